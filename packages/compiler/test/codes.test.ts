import { readFileSync } from 'node:fs';
import { compileHarness, toModelProfileCatalog, toToolCatalog } from '@millforge/compiler';
import { expect, test } from 'vitest';
import { readCodePage, readDocsFile } from './support/code-pages.ts';
import { FIXTURES, fixtureNames, GRANTS } from './support/fixtures.ts';

const codes = new Map([
  ...declaredIn('../src/diagnostics.ts'),
  ...declaredIn('../../source/src/diagnostics.ts'),
  ['MF-D001', 'diagnostics-truncated'] as const,
]);

// A text or an object cannot cause these: a catalog, the host program or the size of the document does.
const CAUSED_BY_CODE: { readonly [code: string]: string } = {
  'MF-S001': 'publish/code-pages.test.ts',
  'MF-S002': 'publish/code-pages.test.ts',
  'MF-S003': 'compile.test.ts',
  'MF-S004': 'compile.test.ts',
  'MF-S013': 'publish/code-pages.test.ts',
  'MF-S014': 'publish/code-pages.test.ts',
  'MF-S015': 'publish/code-pages.test.ts',
  'MF-S016': 'publish/code-pages.test.ts',
  'MF-S017': 'publish/code-pages.test.ts',
  'MF-S018': 'read/read-request.test.ts',
  'MF-R003': 'resolve/resolve-harness.test.ts',
  'MF-R004': 'resolve/resolve-harness.test.ts',
  'MF-R007': 'resolve/resolve-harness.test.ts',
  'MF-R008': 'resolve/resolve-harness.test.ts',
  'MF-R009': 'resolve/resolve-harness.test.ts',
  'MF-R010': 'resolve/resolve-harness.test.ts',
  'MF-C001_DISCOVERY_NOT_CATALOG': 'resolve/resolve-harness.test.ts',
  'MF-L001': 'lower/lower-harness.test.ts',
  'MF-L002': 'lower/lower-harness.test.ts',
  'MF-O001': 'publish/code-pages.test.ts',
  'MF-O002': 'publish/code-pages.test.ts',
  'MF-O003': 'emit/emit-plan.test.ts',
  'MF-O004': 'publish/code-pages.test.ts',
  'MF-O005': 'publish/code-pages.test.ts',
  'MF-I001': 'compile.test.ts',
  'MF-D001': 'compile.test.ts',
};

// An earlier phase answers first, or nothing can cause them; the checks themselves are still total.
const SHADOWED: { readonly [code: string]: string } = {
  'MF-S005': 'the request admits yaml and json only (MF-S018)',
  'MF-R011': 'MF-S023',
  'MF-G009': 'MF-S029',
  'MF-G010': 'MF-S029',
  'MF-A003': 'MF-S029',
  'MF-A006': 'MF-S022',
  'MF-L003': 'what was checked can be encoded',
  'MF-L004': 'what was written is what is read',
};

test('has an invalid fixture or a test for every code that can be reached', () => {
  const caused = new Set(fixtureNames().invalid.flatMap(codesOfFixture));
  for (const [code, file] of Object.entries(CAUSED_BY_CODE)) {
    if (readFileSync(new URL(file, import.meta.url), 'utf8').includes(code)) caused.add(code);
  }
  const missing = [...codes.keys()].filter((code) => !caused.has(code) && !(code in SHADOWED));
  expect(missing).toEqual([]);
  expect(Object.keys(SHADOWED).filter((code) => caused.has(code))).toEqual([]);
});

test.each([...codes])('%s has a page named %s whose examples hold', (code, name) => {
  const page = readCodePage(code);
  expect(page).toMatchObject({ code, name });
  if (page === null || page.wrong === null || page.right === null) return;
  const { message } = page;
  expect(compile(page.wrong)).toContainEqual(expect.objectContaining({ code, message }));
  expect(compile(page.right)).toEqual([]);
});

function compile({
  source,
  request,
}: NonNullable<NonNullable<ReturnType<typeof readCodePage>>['wrong']>) {
  const result = compileHarness(source, {
    catalog: toToolCatalog(readDocsFile('catalog.json')),
    profiles: toModelProfileCatalog(['docs.profile.small']),
    request: { format: 'yaml', grants: GRANTS, ...request },
  });
  return result.diagnostics;
}

function declaredIn(file: string): readonly (readonly [string, string])[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return [...text.matchAll(/code: '(MF-[A-Z0-9_]+)',\s*name: '([a-z-]+)'/g)].map(
    ([, code = '', name = '']) => [code, name] as const,
  );
}

function codesOfFixture(name: string): readonly string[] {
  const text = readFileSync(new URL(`${name}/diagnostics.json`, FIXTURES), 'utf8');
  const report: readonly { readonly code: string }[] = JSON.parse(text);
  return report.map((diagnostic) => diagnostic.code);
}

import { readFileSync } from 'node:fs';
import { compileHarness, toModelProfileCatalog, toToolCatalog } from '@millforge/compiler';
import { expect, test } from 'vitest';
import { docsFiles, readCodePage, readDocsFile } from './support/code-pages.ts';
import { FIXTURES, fixtureNames, GRANTS } from './support/fixtures.ts';
import { findingsIn, surroundingsOf } from './support/surroundings.ts';

const codes = new Map([
  ...declaredIn('../src/diagnostics.ts'),
  ...declaredIn('../../source/src/diagnostics.ts'),
  ['MF-D001', 'diagnostics-truncated'] as const,
]);

// A harness cannot cause these by what it says: a catalog, the host program, the parser's format or the size
// of the document does.
const CAUSED_BY_CODE: { readonly [code: string]: string } = {
  'MF-S001': 'publish/code-pages.test.ts',
  'MF-S002': 'publish/code-pages.test.ts',
  'MF-S003': 'compile.test.ts',
  'MF-S004': 'compile.test.ts',
  'MF-S005': '../../source/test/rules.test.ts',
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
  'MF-G018': 'check/check-dispositions.test.ts',
  'MF-G019': 'check/check-terminal-schemas.test.ts',
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

// Only these may say in a sentence why they cannot occur; every other page shows what triggers its code.
const MAY_LACK_EXAMPLES: readonly string[] = [
  'MF-R011',
  'MF-G009',
  'MF-G010',
  'MF-A003',
  'MF-A006',
  'MF-L001',
  'MF-L003',
  'MF-L004',
];

test('shows on every page what triggers the code and the same put right, or says why nothing can', () => {
  const lacking = [...codes.keys()].filter((code) => {
    const page = readDocsFile(`${code.charAt('MF-'.length)}/${code}.md`);
    const sides = ['wrong', 'right'].map(
      (side) => new RegExp(`^\`\`\`(?:yaml|json) ${side}\\b`, 'm'),
    );
    return !sides.every((block) => block.test(page));
  });
  expect(lacking.toSorted()).toEqual(MAY_LACK_EXAMPLES.toSorted());
  for (const code of lacking) {
    const page = readDocsFile(`${code.charAt('MF-'.length)}/${code}.md`);
    expect(page).toMatch(
      /are answered with\s+MF-S0\d\d before|cause is a compiler\s+identity|a fault of the\s+compiler/,
    );
  }
});

test('has a page for every code, and no page for another', () => {
  const pages = [...new Set([...codes.keys()].map((code) => code.charAt('MF-'.length)))].flatMap(
    (folder) => docsFiles(folder).filter((page) => !OF_OTHERS.test(page)),
  );
  expect(pages.toSorted()).toEqual([...codes.keys()].map((code) => `${code}.md`).toSorted());
});

/**
 * Codes with a name in them are those of connectors, and from `MF-D010` on those of developments: their pages have
 * a test there. One of a connector is found here.
 */
const OF_OTHERS = /^MF-(?:C\d+_(?!DISCOVERY_NOT_CATALOG)|D01\d)/u;

const surrounded = [...codes.keys()].filter((code) => surroundingsOf(code, 'wrong') !== null);

test.each(surrounded)(
  'the page of %s shows surroundings that cause it, and others that do not',
  (code) => {
    const [wrong, right] = [surroundingsOf(code, 'wrong'), surroundingsOf(code, 'right')];
    if (wrong === null || right === null) throw new Error(`${code} shows one side only.`);
    const message = readCodePage(code)?.message;
    expect(findingsIn(wrong)).toContainEqual(expect.objectContaining({ code, message }));
    expect(findingsIn(right)).toEqual([]);
  },
);

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
  return [...text.matchAll(/code: '(MF-[A-Z0-9_]+)',\s*name: '([a-z0-9-]+)'/g)].map(
    ([, code = '', name = '']) => [code, name] as const,
  );
}

function codesOfFixture(name: string): readonly string[] {
  const text = readFileSync(new URL(`${name}/diagnostics.json`, FIXTURES), 'utf8');
  const report: readonly { readonly code: string }[] = JSON.parse(text);
  return report.map((diagnostic) => diagnostic.code);
}

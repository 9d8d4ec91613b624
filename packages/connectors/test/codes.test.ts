import { readdirSync, readFileSync } from 'node:fs';
import { admitConnectorTools } from '@millforge/connectors';
import { expect, test } from 'vitest';

const PAGES = new URL('../../../docs/codes/', import.meta.url);
const declared = readFileSync(new URL('../src/diagnostics.ts', import.meta.url), 'utf8');
const names = new Map(
  [...declared.matchAll(/code: '(MF-C\w+)',\s*name: '([a-z-]+)'/gu)].map(
    ([, code = '', name = '']) => [code, name] as const,
  ),
);

test('every code has a page, and no page is for another', () => {
  expect(readdirSync(new URL('C/', PAGES)).filter(isOfConnectors).toSorted()).toEqual(
    [...names.keys()].map((code) => `${code}.md`).toSorted(),
  );
});

test.each([...names])(
  'the page of %s shows documents that cause it, and others that do not',
  (code, name) => {
    const page = readFileSync(new URL(`C/${code}.md`, PAGES), 'utf8');
    expect(page.startsWith(`# ${code} · ${name}\n`)).toBe(true);
    expect(admitWith(page, 'wrong').diagnostics).toContainEqual(
      expect.objectContaining({ code, message: /\n> (.+)\n/u.exec(page)?.[1] }),
    );
    expect(admitWith(page, 'right').diagnostics).toEqual([]);
  },
);

/** The pages without a name in their code, and the one that the compiler finds, are the compiler's. */
function isOfConnectors(page: string): boolean {
  return page.includes('_') && !page.includes('DISCOVERY_NOT_CATALOG');
}

/** Admits the common documents with the values of a page put in, by pointers. */
function admitWith(page: string, side: 'wrong' | 'right') {
  const text = new RegExp(`\`\`\`json ${side}\\n([^\`]+)\`\`\``, 'u').exec(page)?.[1] ?? 'null';
  const documents = JSON.parse(readFileSync(new URL('connector.json', PAGES), 'utf8'));
  for (const [pointer, value] of Object.entries(JSON.parse(text))) {
    const keys = pointer.split('/').slice(1);
    let at = documents;
    for (const key of keys.slice(0, -1)) at = at[key];
    at[keys.at(-1) ?? ''] = value;
  }
  return admitConnectorTools(documents);
}

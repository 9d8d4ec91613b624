import { readdirSync, readFileSync } from 'node:fs';
import { compileCustomTools } from '@millforge/custom-tools';
import { expect, test } from 'vitest';

const PAGES = new URL('../../../docs/codes/', import.meta.url);
const declared = readFileSync(new URL('../src/diagnostics.ts', import.meta.url), 'utf8');
const names = new Map(
  [...declared.matchAll(/'?(MF-CT\d+)',\s*(?:name: )?'([a-z-]+)'/gu)].map(
    ([, code = '', name = '']) => [code, name] as const,
  ),
);
const common = JSON.parse(readFileSync(new URL('custom-tools.json', PAGES), 'utf8'));

test('has a page for every code, and no page for another', () => {
  expect(names.size).toBeGreaterThan(0);
  expect(new Set(readdirSync(new URL('CT/', PAGES)))).toEqual(
    new Set([...names.keys()].map((code) => `${code}.md`)),
  );
});

test.each([...names])(
  'the page of %s (%s) shows a part of a manifest that causes it, and the same part mended',
  (code, name) => {
    const page = readFileSync(new URL(`CT/${code}.md`, PAGES), 'utf8');
    const message = /\n> (.+)\n/u.exec(page)?.[1];
    expect(page.startsWith(`# ${code} · ${name}\n`)).toBe(true);
    expect(compile(page, 'wrong')).toContainEqual(expect.objectContaining({ code, message }));
    expect(compile(page, 'right')).toEqual([]);
  },
);

/** What the compiler finds in the common manifest with a part of it replaced. */
function compile(page: string, side: 'wrong' | 'right') {
  const block = new RegExp(`\`\`\`json ${side} custom tool\\n([^\`]+)\`\`\``, 'u').exec(page)?.[1];
  const part = JSON.parse(block ?? 'null');
  const first = { ...common.tool, ...part.tool };
  const second =
    part.second === undefined ? [] : [{ ...common.tool, ...common.second, ...part.second }];
  const value = { ...common.manifest, tools: [first, ...second], ...part.manifest };
  return compileCustomTools({ value }, { ...common.policy, ...part.policy }).diagnostics;
}

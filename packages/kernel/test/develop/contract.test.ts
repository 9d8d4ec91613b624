import { readFileSync } from 'node:fs';
import type { DevelopContract } from '@millforge/kernel/develop';
import { expect, test } from 'vitest';
import { readDevelopContract } from '../../src/develop/read-develop-contract.ts';

const PAGES = new URL('../../../../docs/codes/', import.meta.url);
const declared = readFileSync(new URL('../../src/develop/diagnostics.ts', import.meta.url), 'utf8');
const codes = [...declared.matchAll(/code: '(MF-D\d+)',\s*name: '([a-z-]+)'/g)].map(
  ([, code = '', name = '']) => [code, name] as const,
);
const whole: DevelopContract = JSON.parse(readFileSync(new URL('develop.json', PAGES), 'utf8'));

function found(part: object): readonly { readonly code: string; readonly message: string }[] {
  return readDevelopContract({ ...whole, ...part }).diagnostics;
}

test.each(codes)(
  'the page of %s (%s) shows a contract that causes it, and one that is read',
  (code, name) => {
    const page = readFileSync(new URL(`D/${code}.md`, PAGES), 'utf8');
    const message = /\n> (.+)\n/.exec(page)?.[1];
    const part = (side: string): object =>
      JSON.parse(
        new RegExp(`\`\`\`json ${side} develop\\n([^\`]+)\`\`\``).exec(page)?.[1] ?? 'null',
      );
    expect(page.startsWith(`# ${code} · ${name}\n`)).toBe(true);
    expect(found(part('wrong'))).toContainEqual(expect.objectContaining({ code, message }));
    expect(found(part('right'))).toEqual([]);
  },
);

test('fills in what a contract does not say', () => {
  const read = readDevelopContract(whole);
  expect(read.ok ? read.value : null).toEqual({
    ...whole,
    criteria: [
      {
        name: 'test',
        text: 'The tests pass.',
        command: ['npm', 'test'],
        hidden: false,
        timeout_ms: 600_000,
      },
    ],
    rounds: 1,
    phases: ['plan', 'research', 'debug'],
    allowed_paths: ['**'],
    ignore: [],
    restore: true,
    limits: { wall_ms: null, phase_ms: 1_800_000, artifact_bytes: null },
    observed_limits: null,
    labels: {},
  });
});

const wrong: readonly (readonly [string, object, readonly [code: string, path: string]])[] = [
  ['no criterion', { criteria: [] }, ['MF-K004', '/criteria']],
  ['four rounds', { rounds: 4 }, ['MF-K005', '/rounds']],
  ['an unknown phase', { phases: ['plan', 'build'] }, ['MF-K004', '/phases']],
  ['a rule that leaves the tree', { ignore: ['a', '../b'] }, ['MF-D011', '/ignore/1']],
  [
    'a command of a shell',
    { criteria: [{ name: 'a', text: 'b', command: 'npm test' }] },
    ['MF-K004', '/criteria/0/command'],
  ],
  [
    'a command without program',
    { criteria: [{ name: 'a', text: 'b', command: [''] }] },
    ['MF-K004', '/criteria/0/command'],
  ],
  ['a field that is not known', { autoMerge: true }, ['MF-K002', '/autoMerge']],
  ['a label that is no text', { labels: { a: 1 } }, ['MF-K004', '/labels/a']],
];

test.each(wrong)('refuses %s, and says where', (_what, part, expected) => {
  const diagnostics = readDevelopContract({ ...whole, ...part }).diagnostics;
  expect(diagnostics.map((one) => [one.code, one.path])).toContainEqual(expected);
});

test('refuses what is no contract at all', () => {
  for (const value of [null, 'text', [], undefined, () => 1]) {
    expect(readDevelopContract(value).ok).toBe(false);
  }
});

import { chmod, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { sha256 } from '@millforge/contracts';
import { applyPatch } from 'diff';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ToolWorld, textOf, toolWorld } from './tool-world.ts';

type Edits = readonly (readonly [string, string])[];

test('replaces one passage and says so', async () => {
  const { after, result } = await edited('a\nb\nc\n', [['b', 'B']]);
  expect(after).toBe('a\nB\nc\n');
  expect(textOf(result)).toBe('Successfully replaced 1 block(s) in f.');
  expect(result).toMatchObject({
    data: {
      truncated: false,
      changed_path: 'f',
      first_changed_line: 2,
      patch: '--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
    },
    after: { path: 'f', sha256: sha256('a\nB\nc\n') },
  });
});

test('takes half of a character for no part of it', async () => {
  const { after, result } = await edited('a🙂b', [['\uD83D', 'x']]);
  expect(result).toMatchObject({ kind: 'failed', code: 'conflict' });
  expect(after).toBe('a🙂b');
});

test.each([
  ['UTF-16', Buffer.from('\uFEFFabc\n', 'utf16le'), 'The file is UTF-16'],
  ['broken', Buffer.from([0x61, 0xff, 0x62]), 'The file holds bytes that are not UTF-8'],
])(
  'says of a miss in a file that is %s what a model cannot see (KB-06)',
  async (_what, bytes, told) => {
    const world = await toolWorld();
    await writeFile(world.path('f'), bytes);
    expect((await edit(world, [['a\uFFFDb', 'x']])).text).toContain(`newlines. ${told}`);
    expect(await readFile(world.path('f'))).toEqual(bytes);
  },
);

test('matches every edit against the original, in whatever order they come', async () => {
  expect(
    (
      await edited('one two three', [
        ['three', 'one'],
        ['one', '1'],
      ])
    ).after,
  ).toBe('1 two one');
});

test('takes the new text literally', async () => {
  expect((await edited('a b', [['b', '$& $1 $$']])).after).toBe('a $& $1 $$');
});

test.each<readonly [string, string, Edits, string]>([
  [
    'not found',
    'a',
    [['x', 'y']],
    'Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.',
  ],
  [
    'not found among several',
    'a',
    [
      ['a', 'b'],
      ['x', 'y'],
    ],
    'Could not find edits[1] in f. The oldText must match exactly including all whitespace and newlines.',
  ],
  [
    'found twice',
    'a\na',
    [['a', 'b']],
    'Found 2 occurrences of the text in f. The text must be unique. Please provide more context to make it unique. They begin at lines 1, 2.',
  ],
  [
    'found twice among several',
    'a a b',
    [
      ['b', 'c'],
      ['a', 'x'],
    ],
    'Found 2 occurrences of edits[1] in f. Each oldText must be unique. Please provide more context to make it unique. They begin at lines 1, 1.',
  ],
  ['empty', 'a', [['', 'b']], 'oldText must not be empty in f.'],
  [
    'empty among several',
    'a',
    [
      ['a', 'b'],
      ['', 'b'],
    ],
    'edits[1].oldText must not be empty in f.',
  ],
  [
    'overlapping',
    'abc',
    [
      ['bc', 'x'],
      ['ab', 'y'],
    ],
    'edits[1] and edits[0] overlap in f. Merge them into one edit or target disjoint regions.',
  ],
  [
    'without effect',
    'a',
    [['a', 'a']],
    'No changes made to f. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.',
  ],
])('refuses edits that are %s and leaves the file alone', async (...row) => {
  const [, before, edits, text] = row;
  const { after, result } = await edited(before, edits);
  expect(result).toMatchObject({ kind: 'failed' });
  expect(result.text?.slice(0, text.length)).toBe(text);
  expect(after).toBe(before);
});

test('counts as many times as it can replace', async () => {
  expect((await edited('aaa', [['aa', 'b']])).after).toBe('ba');
  expect((await edited('aaaa', [['aa', 'b']])).result.text).toMatch(/^Found 2 occurrences/);
  expect(
    (
      await edited('ab', [
        ['a', 'x'],
        ['b', 'y'],
      ])
    ).after,
  ).toBe('xy');
});

test('refuses no edits at all', async () => {
  expect((await edited('a', [])).result).toMatchObject({
    code: 'invalid_arguments',
    text: 'Edit tool input is invalid. edits must contain at least one replacement.',
  });
});

test('points to the place that was probably meant (KB-06)', async () => {
  const spaces = await edited('def f():\n\treturn 1\n', [['def f():\n    return 1', 'x']]);
  expect(spaces.result.text).toContain(
    'Only the white space differs at line 1, where the file says:\ndef f():\n\treturn 1',
  );
  const stale = await edited('begin\nnew\nend\n', [['begin\nold\nend', 'x']]);
  expect(stale.result.text).toContain(
    'It begins like line 1, but differs at line 2, where the file says:\nnew',
  );
});

test.each<readonly [string, string, string]>([
  [
    'export function Main() {',
    'a\n\nexport function main() {\n',
    'The most similar line is line 3, where the file says:\nexport function main() {',
  ],
  [
    'function  main()',
    'a\nexport function main() {\n',
    'Only the white space differs at line 2, where the file says:\nexport function main() {',
  ],
  [
    'def ff(a):\n    if a:\n        return 1',
    'x\ndef f(a):\n    if a:\n        return 1\n',
    'It looks like line 2, but differs at line 2, where the file says:\ndef f(a):',
  ],
  ['begin\nmiddle\nend', 'begin\nmiddle', 'differs at line 3, where the file says:\n(end of file)'],
  ['say (\\n  1)', 'say (\n  1)\n', 'It holds escapes such as \\n as two characters'],
  ['nothing of the kind', 'a\n', 'Read the file again and copy the text from it.'],
])('tells what %j has to do with %j (KB-06)', async (oldText, before, hint) => {
  const { result } = await edited(before, [[oldText, 'x']]);
  expect(result).toMatchObject({ code: 'conflict', text: expect.stringContaining(hint) });
});

test('says that no edit sees what another one makes', async () => {
  const { result } = await edited('a', [
    ['a', 'bb'],
    ['bb', 'c'],
  ]);
  expect(result.text).toContain('Every edit is matched against the original file');
});

test.each<readonly [string, string, string]>([
  ['many equal lines', '}\n'.repeat(200_000), `${'}\n'.repeat(5000)}zz`],
  ['ligatures', '\uFDFA'.repeat(50_000), 'zz'],
  ['lines of one long file', 'line of text\r\n'.repeat(300_000), 'zz'],
])('answers in bounded work that %s do not hold a text', async (_what, before, oldText) => {
  const { result } = await edited(before, [[oldText, 'x']]);
  expect(result).toMatchObject({ code: 'conflict' });
});

test('refuses a file that is too large to be held, and leaves it alone', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'x');
  await truncate(world.path('f'), 3 * 1024 ** 3);
  for (const [tool, change] of [
    ['edit', { edits: [{ oldText: 'x', newText: 'y' }] }],
    ['write', { content: 'y' }],
  ] as const) {
    expect(await world.call(tool, { path: 'f', ...change })).toMatchObject({
      code: 'io_error',
      text: expect.stringContaining('larger than 64MB'),
    });
  }
});

test('keeps CRLF, a byte order mark, mixed endings and a missing final newline (KB-02, KB-11)', async () => {
  const cases: readonly (readonly [string, Edits, string])[] = [
    ['a\r\nb\r\n', [['b', 'b\nc']], 'a\r\nb\r\nc\r\n'],
    ['a\r\nb\r\nc\r\n', [['a\nb', 'A\nB']], 'A\r\nB\r\nc\r\n'],
    ['a\nb\n', [['a\r\nb', 'A\r\nB']], 'A\nB\n'],
    ['\uFEFFa\r\nb', [['b', 'B']], '\uFEFFa\r\nB'],
    ['a\r\nb\nc\r\n', [['c', 'C']], 'a\r\nb\nC\r\n'],
    ['a\nb\r\nc\nd\n', [['c', 'c1\nc2']], 'a\nb\r\nc1\r\nc2\nd\n'],
    ['a\r\nb\nc\r\nd', [['b\nc', 'B\nc']], 'a\r\nB\nc\r\nd'],
    ['a\rb\r', [['b', 'B']], 'a\rB\r'],
    ['a', [['a', '']], ''],
  ];
  for (const [before, edits, after] of cases) {
    expect((await edited(before, edits)).after).toBe(after);
  }
});

test('forgives spelling and changes nothing but the place (KB-01)', async () => {
  const before = 'keep  \n“q” — x\t\nsay “hi” … ﬁn\nend\u00A0 \n';
  const { after, result } = await edited(before, [['say "hi" ... fin', 'said']]);
  expect(after).toBe('keep  \n“q” — x\t\nsaid\nend\u00A0 \n');
  const { patch } = Object(result.data);
  expect(applyPatch(before, String(patch))).toBe(after);
});

test('finds no loose spelling that begins or ends inside a character of the file', async () => {
  const { after, result } = await edited('ﬁn\n', [['in', 'x']]);
  expect(result.kind).toBe('failed');
  expect(after).toBe('ﬁn\n');
});

test('lets the exact text decide what is unique (KB-03)', async () => {
  expect((await edited('say "hi"\nsay “hi”\n', [['say "hi"', 'x']])).after).toBe('x\nsay “hi”\n');
  expect((await edited('a \na\n', [['a \n', 'b\n']])).after).toBe('b\na\n');
});

test('finds text of nothing but white space (KB-04)', async () => {
  expect((await edited('a\tb', [['\t', ' ']])).after).toBe('a b');
  expect((await edited('ab', [['   ', ' ']])).result.text).toMatch(/^Could not find/);
});

test('edits a file that is not UTF-8 and leaves every other byte (KB-12)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), Buffer.from([0xff, 0x0d, 0x0a, 0xc3, 0xa9, 0xe9, 0x0a]));
  const result = await edit(world, [['é', 'ü']]);
  expect(textOf(result)).toBe('Successfully replaced 1 block(s) in f.');
  expect(result.data).toEqual({ truncated: false, changed_path: 'f' });
  const after = Buffer.from([0xff, 0x0d, 0x0a, 0xc3, 0xbc, 0xe9, 0x0a]);
  expect(await readFile(world.path('f'))).toEqual(after);
  expect(await edit(world, [['é', 'ü']])).toMatchObject({ kind: 'failed', code: 'conflict' });
  expect(await readFile(world.path('f'))).toEqual(after);
});

test('names the line whose indentation differs (KB-05)', async () => {
  const { result, after } = await edited('if a:\n    b = 1\n', [['if a:\n  b  =  1', 'x']]);
  expect(result.text).toContain(
    'Only the white space differs at line 1, where the file says:\nif a:\n    b = 1',
  );
  expect(after).toBe('if a:\n    b = 1\n');
});

test('passes over keys of an edit that mean nothing (KB-07)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'a');
  const edits = [{ oldText: 'a', newText: 'b', newText_2: '' }];
  textOf(await world.call('edit', { path: 'f', edits, dry_run: false }));
  expect(await readFile(world.path('f'), 'utf8')).toBe('b');
});

test.each([
  ['an array', { edits: [{ oldText: 'a', newText: 'b' }] }],
  ['one object', { edits: { oldText: 'a', newText: 'b' } }],
  ['the text of an array', { edits: '[{"oldText":"a","newText":"b"}]' }],
  ['the text of an object', { edits: '{"oldText":"a","newText":"b"}' }],
  ['a pair beside the path', { oldText: 'a', newText: 'b' }],
  ['a pair beside an empty array', { edits: [], oldText: 'a', newText: 'b' }],
])('takes edits as %s (KB-08)', async (_form, input) => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'a');
  textOf(await world.call('edit', { path: 'f', ...input }));
  expect(await readFile(world.path('f'), 'utf8')).toBe('b');
});

test('shows people what changed, with the numbers of the lines', async () => {
  const before = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`).join('');
  const { result } = await edited(before, [['line 11', 'line eleven\nline 11½']]);
  expect(Object(result.data).diff).toBe(
    [
      '    ...',
      '  7 line 7',
      '  8 line 8',
      '  9 line 9',
      ' 10 line 10',
      '-11 line 11',
      '+11 line eleven',
      '+12 line 11½',
      ' 12 line 12',
    ].join('\n'),
  );
});

test('shows a small change of a file that is too long to be compared', async () => {
  const before = 'a line of text\n'.repeat(200_000);
  const { result } = await edited(`${before}end\n${before}last`, [
    ['end\n', 'END\n'],
    ['last', 'LAST\n'],
  ]);
  const context = ' a line of text\n'.repeat(4);
  expect(Object(result.data).patch).toBe(
    `--- f\n+++ f\n@@ -199997,9 +199997,9 @@\n${context}-end\n+END\n${context}` +
      `@@ -399998,5 +399998,5 @@\n${context}-last\n\\ No newline at end of file\n+LAST\n`,
  );
});

test('keeps permissions and links', async () => {
  const world = await toolWorld();
  await writeFile(world.path('real'), 'a');
  await chmod(world.path('real'), 0o755);
  await symlink('real', world.path('f'));
  textOf(await edit(world, [['a', 'b']]));
  expect(await readFile(world.path('real'), 'utf8')).toBe('b');
  expect((await stat(world.path('real'))).mode & 0o777).toBe(0o755);
});

test('says why a file cannot be edited', async () => {
  const world = await toolWorld();
  expect(await edit(world, [['a', 'b']])).toMatchObject({
    code: 'not_found',
    text: 'Could not edit file: f. Error code: ENOENT.',
  });
});

test('lands parallel edits of one file all (KB-09)', async () => {
  const world = await toolWorld();
  const names = Array.from({ length: 10 }, (_, index) => `<${index}>`);
  await writeFile(world.path('f'), names.join('\n'));
  const results = await Promise.all(names.map((name) => edit(world, [[name, `${name}!`]])));
  expect(results.every((result) => result.kind === 'done')).toBe(true);
  expect(await readFile(world.path('f'), 'utf8')).toBe(names.map((name) => `${name}!`).join('\n'));
});

test('makes a small change of a long file in bounded work (KB-10)', async () => {
  const { after, result } = await edited(`${'x'.repeat(4_000_000)}\nend\n`, [['end', 'END']]);
  expect(after.endsWith('\nEND\n')).toBe(true);
  expect(result.data).not.toHaveProperty('patch');
});

test('finds out whether an interrupted edit was made', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'a');
  const input = inputOf([['a', 'b']]);
  const prepared = await world.prepare('edit', input);
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  await prepared.dispose?.();
  const before = { ...Object(prepared.before) };
  expect(before).toMatchObject({
    path: 'f',
    sha256_before: sha256('a'),
    sha256_after: sha256('b'),
  });
  expect(await world.reconcile('edit', input, before)).toMatchObject({ kind: 'not-happened' });
  await writeFile(world.path('f'), 'b');
  expect(await world.reconcile('edit', input, before)).toMatchObject({
    kind: 'happened',
    result: {
      kind: 'done',
      text: 'Successfully replaced 1 block(s) in f.',
      data: { changed_path: 'f', first_changed_line: 1 },
    },
  });
  await writeFile(world.path('f'), 'c');
  expect(await world.reconcile('edit', input, before)).toMatchObject({ kind: 'unknown' });
});

test('changes nothing outside of the places, and its patch leads from old to new', async () => {
  const ending = fc.constantFrom('\n', '\r\n');
  const filler = fc.constantFrom('keep  ', '“q” — x', '\ttab', '', 'ﬁn\u00A0', 'plain');
  const line = fc.tuple(filler, ending);
  const world = await toolWorld();
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.nat(), fc.nat(), async (all, a, b) => {
      const lines = all.map(([text, end], index) => ({ text: `${index}:${text}`, end }));
      const chosen = new Set([a % (lines.length + 1), b % (lines.length + 1)]);
      const edits = lines
        .map(({ text }, index) => [text, `<${index}>`] as const)
        .filter((_, index) => chosen.has(index));
      const before = lines.map(({ text, end }) => text + end).join('');
      const after = lines
        .map(({ text, end }, index) => (chosen.has(index) ? `<${index}>` : text) + end)
        .join('');
      await writeFile(world.path('f'), before);
      const result = await edit(world, edits.toReversed());
      if (edits.length === 0) return;
      expect(await readFile(world.path('f'), 'utf8')).toBe(after);
      expect(applyPatch(before, String(Object(result.data).patch))).toBe(after);
    }),
    { numRuns: 60 },
  );
});

function inputOf(edits: Edits) {
  return { path: 'f', edits: edits.map(([oldText, newText]) => ({ oldText, newText })) };
}

function edit(world: ToolWorld, edits: Edits) {
  return world.call('edit', inputOf(edits));
}

async function edited(before: string, edits: Edits) {
  const world = await toolWorld();
  await writeFile(world.path('f'), before);
  const result = await edit(world, edits);
  return { result, after: await readFile(world.path('f'), 'utf8') };
}

import { readFile, stat, writeFile } from 'node:fs/promises';
import type { JsonObject } from '@millforge/contracts';
import { anchoredTools, piTools } from '@millforge/pi-tools';
import { createRegistry } from '@millforge/registry';
import { expect, test } from 'vitest';
import { type AnchoredWorld, anchoredWorld } from './anchored-world.ts';

test('are not among the tools unless the host adds them', () => {
  const names = piTools().map(({ descriptor }) => descriptor.model_tool_name);
  expect(names).not.toContain('edit_anchored');
});

test('shows every line with its number and a digest of what it says', async () => {
  const world = await anchoredWorld('one\ntwo\r\n\none\n');
  const text = await world.read();
  expect(text.split('\n').map((row) => row.replace(/#[0-9a-f]{4}│/, '#…│'))).toEqual([
    '1#…│one',
    '2#…│two',
    '3#…│',
    '4#…│one',
  ]);
  const [first, , , last] = text.split('\n').map((row) => row.slice(2, 6));
  expect(first).toBe(last);
});

test('reads on from an offset, within its limits', async () => {
  const world = await anchoredWorld('x\n'.repeat(5000));
  const rows = (await world.read({ offset: 4990 })).split('\n');
  expect(rows).toHaveLength(11);
  expect(await world.read({ offset: 3, limit: 2 })).toMatch(
    /^3#\w+│x\n4#\w+│x\n\n\[Showing lines 3-4 of 5000\. Use offset=5 to continue\.\]$/,
  );
  expect(await world.read()).toMatch(/Showing lines 1-2000 of 5000/);
  await expect(world.read({ offset: 5001 })).rejects.toThrow('beyond end of file (5000 lines');
});

test('replaces, deletes and inserts at once, and tells what changed', async () => {
  const world = await anchoredWorld('a\nb\nc\nd\ne\n');
  const result = await world.edit([
    { op: 'insert_after', at: 5, text: 'f\ng\n' },
    { op: 'replace', at: 2, to: 3, text: 'B' },
    { op: 'delete', at: 4 },
    { op: 'insert_before', at: 1, text: '\n' },
  ]);
  expect(await world.content()).toBe('\na\nB\ne\nf\ng\n');
  expect(result).toMatchObject({
    kind: 'done',
    text: 'Successfully made 4 change(s) in f.',
    data: { changed_path: 'f', first_changed_line: 1, patch: expect.stringContaining('-b\n') },
  });
});

test('keeps line endings, the mark at the beginning and the missing one at the end', async () => {
  const world = await anchoredWorld('\uFEFFa\r\nb\nc');
  await world.edit([
    { op: 'replace', at: 1, text: 'A\nAA' },
    { op: 'insert_after', at: 3, text: 'd\ne' },
  ]);
  expect(await world.content()).toBe('\uFEFFA\r\nAA\r\nb\nc\nd\ne');
});

test('changes lines of a file that is not UTF-8 and leaves the other bytes', async () => {
  const world = await anchoredWorld(Buffer.from('a\xff\nb\xfe\nc\n', 'latin1'));
  await world.edit([{ op: 'replace', at: 2, text: 'é' }]);
  expect(await world.bytes()).toEqual(
    Buffer.concat([Buffer.from([0x61, 0xff, 0x0a]), Buffer.from('é\n'), Buffer.from('c\n')]),
  );
});

test('takes an anchor that the line still hangs on, and drops anchors from the new lines', async () => {
  const world = await anchoredWorld('a\nb\n');
  const [row = ''] = (await world.read()).split('\n');
  const edits = [{ op: 'replace', at: row, text: `${row}\n\n${row}` }];
  expect(await world.send(edits)).toMatchObject({ kind: 'done' });
  expect(await world.content()).toBe('a\n\na\nb\n');
});

test('refuses new lines of which some have an anchor of the file in front', async () => {
  const world = await anchoredWorld('a\nb\n');
  const [row = ''] = (await world.read()).split('\n');
  const edits = [{ op: 'insert_after', at: row, text: `new\n${row}` }];
  expect(await world.send(edits)).toMatchObject({ code: 'invalid_arguments' });
  const foreign = [
    { op: 'insert_after', at: row, text: 'an anchor looks like this:\n12#0000│text' },
  ];
  expect(await world.send(foreign)).toMatchObject({ kind: 'done' });
});

test('says of a replacement that it repeats the line behind it', async () => {
  const world = await anchoredWorld('if (a) {\n  b();\n}\n');
  const result = await world.edit([{ op: 'replace', at: 2, text: '  c();\n}' }]);
  expect(result).toMatchObject({ kind: 'done', text: expect.stringContaining('old line 3') });
});

test('tells where the lines of stale anchors are, and changes nothing', async () => {
  const world = await anchoredWorld('one\ntwo\nthree\ntwin\n');
  const anchors = await world.anchors();
  await writeFile(world.path, 'new\none\nTWO\nthree\ntwin\ntwin\n');
  const now = await world.anchors();
  const edits = anchors.map((at) => ({ op: 'delete', at }));
  const result = await world.send(edits);
  expect(result).toMatchObject({ kind: 'failed', code: 'conflict' });
  expect(result.text?.split('\n').slice(1)).toEqual([
    `${anchors[0]} is now ${now[1]}│one`,
    `${anchors[1]} is gone; that line is now ${now[1]}│one`,
    `${anchors[2]} is now ${now[3]}│three`,
    `${anchors[3]} may be any of`,
    `  ${now[4]}│twin`,
    `  ${now[5]}│twin`,
  ]);
  expect(await world.content()).toBe('new\none\nTWO\nthree\ntwin\ntwin\n');
});

test.each<[string, readonly (JsonObject & { at: number; to?: number })[]]>([
  [
    'ranges that overlap',
    [
      { op: 'delete', at: 1, to: 2 },
      { op: 'replace', at: 2, text: 'x' },
    ],
  ],
  [
    'one line twice',
    [
      { op: 'replace', at: 3, text: 'x' },
      { op: 'replace', at: 3, text: 'y' },
    ],
  ],
  [
    'two insertions at one place',
    [
      { op: 'insert_after', at: 1, text: 'x' },
      { op: 'insert_before', at: 2, text: 'y' },
    ],
  ],
  [
    'an insertion inside a range',
    [
      { op: 'delete', at: 1, to: 3 },
      { op: 'insert_after', at: 2, text: 'x' },
    ],
  ],
  [
    'a last line without an ending, and what follows it',
    [
      { op: 'delete', at: 4 },
      { op: 'insert_after', at: 4, text: 'x' },
    ],
  ],
])('refuses %s, in any order', async (_name, edits) => {
  const world = await anchoredWorld('a\nb\n\nd');
  for (const some of [edits, edits.toReversed()]) {
    const result = await world.edit(some);
    expect(result).toMatchObject({ kind: 'failed', code: 'conflict' });
    expect(result.text).toMatch(/^edits\[0\] and edits\[1\] touch the same place of f\./);
  }
  expect(await world.content()).toBe('a\nb\n\nd');
});

test.each<[string, JsonObject]>([
  ['no change', { edits: [] }],
  ['an anchor that is none', { edits: [{ op: 'delete', at: 'line 1' }] }],
  ['a range that runs backwards', { edits: [{ op: 'delete', at: '2#0000', to: '1#0000' }] }],
  [
    'an insertion with a range',
    { edits: [{ op: 'insert_after', at: '1#0000', to: '2#0000', text: 'x' }] },
  ],
  ['a replacement by nothing', { edits: [{ op: 'replace', at: '1#0000', text: '' }] }],
  ['a deletion with a text', { edits: [{ op: 'delete', at: '1#0000', text: 'x' }] }],
])('refuses %s as an argument', async (_name, input) => {
  const world = await anchoredWorld('a\nb\n');
  const result = await world.tools.call('edit_anchored', { path: 'f', ...input });
  expect(result).toMatchObject({ kind: 'failed', code: 'invalid_arguments' });
});

test('shares the queue of its file with write, and notices a change in between', async () => {
  const world: AnchoredWorld = await anchoredWorld('a\nb\n');
  const [first, second] = await world.anchors();
  const results = await Promise.all([
    world.send([{ op: 'delete', at: first ?? '' }]),
    world.send([{ op: 'delete', at: second ?? '' }]),
  ]);
  expect(results.map(({ kind }) => kind)).toEqual(['done', 'failed']);
  expect(await world.content()).toBe('b\n');
});

test('finds out after a crash whether the change was made', async () => {
  const world = await anchoredWorld('a\nb\n');
  const [at = ''] = await world.anchors();
  const input = { path: 'f', edits: [{ op: 'replace', at, text: 'A' }] };
  const prepared = await world.tools.prepare('edit_anchored', input);
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  const before: JsonObject = { ...Object(prepared.before) };
  await prepared.dispose?.();
  expect(await world.tools.reconcile('edit_anchored', input, before)).toMatchObject({
    kind: 'not-happened',
  });
  await world.tools.call('edit_anchored', input);
  expect(await world.tools.reconcile('edit_anchored', input, before)).toMatchObject({
    kind: 'happened',
    result: { text: 'Successfully made 1 change(s) in f.' },
  });
  expect((await stat(world.path)).isFile()).toBe(true);
  expect(await readFile(world.path, 'utf8')).toBe('A\nb\n');
});

test('stand in a registry beside the other tools', () => {
  const registry = createRegistry();
  registry.register(...piTools(), ...anchoredTools());
  const ids = registry.freeze().records.map(({ tool_id }) => tool_id);
  expect(ids).toContain('builtin.pi_compat.edit_anchored');
  expect(ids).toHaveLength(12);
});

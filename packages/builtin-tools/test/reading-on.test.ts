import { expect, test } from 'vitest';
import { runWorld, succeed } from './run-world.ts';
import { dataOf, faultOf, toolWorld } from './tool-world.ts';

test('a long text is read to its end, each time from the line that the cut names', async () => {
  const world = await runWorld();
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`);
  await world.write('a.txt', lines.join('\n'));
  const seen = new Set<string>();
  let [start, calls] = [1, 0];
  for (; start > 0 && calls < 20; calls++) {
    // More than the text of a result holds: what was seen counts, not what the data hold.
    const input = { path: 'a.txt', start_line: start, max_bytes: 100_000 };
    const { text, data } = await succeed(world, 'read_workspace_file', input);
    for (const line of text.split('\n')) seen.add(line);
    const next = data?.['next_line'];
    const named = /\[continue with start_line (\d+)\]$/.exec(text)?.[1];
    expect(next).toBe(named === undefined ? undefined : Number(named));
    start = typeof next === 'number' ? next : 0;
  }
  expect(calls).toBeGreaterThan(2);
  expect(lines.filter((line) => !seen.has(line))).toEqual([]);
});

test('a part of a file has no digest of the file', async () => {
  const world = await toolWorld();
  await world.write('a.txt', 'one\ntwo\nthree');
  const read = await world.call('read_workspace_file', { path: 'a.txt', start_line: 2 });
  expect(dataOf(read)).toEqual({
    status: 'success',
    summary: 'a.txt: 13 bytes, 9 of them shown, from line 2',
    content: 'two\nthree',
    truncated: false,
    artifact_refs: [],
  });
});

test.each([
  ['', 2],
  ['one\n', 2],
  ['one\ntwo', 3],
  ['x\n'.repeat(100_000), 100_001],
])('a line behind the last one is refused, case %#', async (content, start_line) => {
  const world = await toolWorld();
  await world.write('a.txt', content);
  const result = await world.call('read_workspace_file', { path: 'a.txt', start_line });
  expect(faultOf(result)).toBe('invalid_arguments start_line');
});

test('a binary file is refused wherever the reading begins', async () => {
  const world = await toolWorld();
  await world.write('a.bin', `\0\n${'x\n'.repeat(100_000)}`);
  const result = await world.call('read_workspace_file', { path: 'a.bin', start_line: 90_000 });
  expect(faultOf(result)).toBe('policy_denied binary_file');
});

import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { textOf, toolWorld } from './tool-world.ts';

const lines = (count: number, text = 'L'): string =>
  Array.from({ length: count }, (_, index) => `${text}${index + 1}\n`).join('');

test('gives a whole file as it is', async () => {
  const world = await toolWorld();
  for (const text of ['a\nb\nc\n', 'a\nb\nc', 'a\r\nb\r\n', '\uFEFFa\n', 'nul\0é\n', '\n\n']) {
    await writeFile(world.path('f'), text);
    expect(textOf(await world.call('read', { path: 'f' }))).toBe(text);
  }
});

test.each([
  [{ offset: 2 }, 'b\nc\n'],
  [{ offset: 0 }, 'a\nb\nc\n'],
  [{ offset: -3 }, 'a\nb\nc\n'],
  [{ limit: 1 }, 'a\n\n[2 more lines in file. Use offset=2 to continue.]'],
  [{ limit: 3 }, 'a\nb\nc\n'],
  [{ limit: 9 }, 'a\nb\nc\n'],
  [{ limit: 0 }, 'a\n\n[2 more lines in file. Use offset=2 to continue.]'],
  [{ offset: 2, limit: 1 }, 'b\n\n[1 more lines in file. Use offset=3 to continue.]'],
])('gives the lines that %o asks for', async (asked, text) => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'a\nb\nc\n');
  expect(textOf(await world.call('read', { path: 'f', ...asked }))).toBe(text);
});

test('counts lines as wc does and refuses an offset behind the last (KB-13)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'a\nb\nc\n');
  expect(await world.call('read', { path: 'f', offset: 4 })).toMatchObject({
    kind: 'failed',
    code: 'invalid_arguments',
    text: 'Offset 4 is beyond end of file (3 lines total)',
  });
});

test('cuts at 2000 lines and says where to go on', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), lines(2500));
  const first = await world.call('read', { path: 'f' });
  expect(textOf(first)).toMatch(
    /\nL2000\n\n\[Showing lines 1-2000 of 2500\. Use offset=2001 to continue\.\]$/,
  );
  expect(first).toMatchObject({ truncated: true, data: { truncated: true } });
  expect(textOf(await world.call('read', { path: 'f', offset: 2001 }))).toMatch(
    /^L2001\n.*L2500\n$/s,
  );
  expect(textOf(await world.call('read', { path: 'f', limit: 2200 }))).toContain('1-2000 of 2500');
});

test('cuts at 50KB between lines', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), `${'x'.repeat(99)}\n`.repeat(600));
  expect(textOf(await world.call('read', { path: 'f' }))).toMatch(
    /x\n\n\[Showing lines 1-512 of 600 \(50\.0KB limit\)\. Use offset=513 to continue\.\]$/,
  );
});

test('names a line that is too long, with a command that is safe to paste (KB-46)', async () => {
  const world = await toolWorld();
  await writeFile(world.path("it's"), `short\n${'y'.repeat(60_000)}\n`);
  expect(textOf(await world.call('read', { path: "it's", offset: 2 }))).toBe(
    String.raw`[Line 2 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '2p' 'it'\''s' | head -c 51200]`,
  );
});

test('keeps a line of exactly the limit', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'z'.repeat(51_200));
  expect(textOf(await world.call('read', { path: 'f' }))).toHaveLength(51_200);
});

test('reads one line of a huge file in bounded memory (KB-14)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'first\n');
  await truncate(world.path('f'), 300 * 1024 * 1024);
  const before = process.memoryUsage().rss;
  expect(textOf(await world.call('read', { path: 'f', limit: 1 }))).toBe(
    'first\n\n[1 more lines in file. Use offset=2 to continue.]',
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
});

test('joins characters that lie across pieces of the file', async () => {
  const world = await toolWorld();
  const text = `${'é'.repeat(20_000)}\n`.repeat(20);
  await writeFile(world.path('f'), `x${text}`);
  const shown = textOf(await world.call('read', { path: 'f', offset: 2, limit: 1 }));
  expect(shown.startsWith('é'.repeat(20_000))).toBe(true);
  expect(shown).not.toContain('\uFFFD');
});

test('reads text that begins like an image (KB-15)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'GIFTS = 3\n');
  expect(textOf(await world.call('read', { path: 'f' }))).toBe('GIFTS = 3\n');
});

test('fails softly with a code and the words of the system', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), '');
  await mkdir(world.path('d'));
  await symlink('loop', world.path('loop'));
  execFileSync('mkfifo', [world.path('pipe')]);
  const failures = [
    [
      'missing',
      'not_found',
      `ENOENT: no such file or directory, access '${world.path('missing')}'`,
    ],
    ['f/x', 'not_found', `ENOTDIR: not a directory, access '${world.path('f/x')}'`],
    ['d', 'io_error', 'EISDIR: illegal operation on a directory, read'],
    [
      'loop',
      'io_error',
      `ELOOP: too many symbolic links encountered, access '${world.path('loop')}'`,
    ],
    ['pipe', 'io_error', `Not a regular file: ${world.path('pipe')}`],
    ['a\0b', 'invalid_arguments', 'A path must not contain a NUL character.'],
    ['a\ud800', 'invalid_arguments', 'A path must not contain half of a surrogate pair.'],
  ] as const;
  for (const [path, code, text] of failures) {
    expect(await world.call('read', { path })).toEqual({
      kind: 'failed',
      code,
      text,
      data: { truncated: false },
    });
  }
});

test('finds files behind the spellings that models use', async () => {
  const world = await toolWorld();
  const names = ['one', 'sp ace', 'home/h', 'at 10.00.00\u202FAM.txt', 'nai\u0308ve', 'it\u2019s'];
  await mkdir(world.path('home'));
  for (const name of names) await writeFile(world.path(name), name);
  const sent = [
    ['@one', 'one'],
    ['sp\u00A0ace', 'sp ace'],
    ['~/h', 'home/h'],
    [`file://${world.path('one')}`, 'one'],
    [world.path('one'), 'one'],
    ['at 10.00.00 AM.txt', 'at 10.00.00\u202FAM.txt'],
    ['na\u00EFve', 'nai\u0308ve'],
    ["it's", 'it\u2019s'],
  ] as const;
  for (const [path, name] of sent) {
    expect(textOf(await world.call('read', { path }))).toBe(name);
  }
});

test('tries the exact name first (KB-16, KB-47)', async () => {
  const world = await toolWorld();
  for (const name of ['@one', 'one', 'a\u00A0b']) await writeFile(world.path(name), name);
  expect(textOf(await world.call('read', { path: '@one' }))).toBe('@one');
  expect(textOf(await world.call('read', { path: 'a\u00A0b' }))).toBe('a\u00A0b');
});

test('stops when it is told to', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'a');
  expect(await world.call('read', { path: 'f' }, { signal: AbortSignal.abort() })).toMatchObject({
    kind: 'failed',
    code: 'cancelled',
    text: 'Operation aborted',
  });
});

test('counts the lines behind a limit, wherever they begin', async () => {
  const world = await toolWorld();
  for (const [before, after] of Array.from({ length: 48 }, (_, index) => [index % 6, index >> 2])) {
    const rest = 'ab\n\n\u008a\u010a\n'.repeat(2).slice(0, after);
    await writeFile(world.path('f'), `${'x'.repeat(before ?? 0)}\n${rest}`);
    const left = rest.split('\n').length - (rest === '' || rest.endsWith('\n') ? 1 : 0);
    const first = 'x'.repeat(before ?? 0);
    expect(textOf(await world.call('read', { path: 'f', limit: 1 }))).toBe(
      left === 0
        ? `${first}\n`
        : `${first}\n\n[${left} more lines in file. Use offset=2 to continue.]`,
    );
  }
});

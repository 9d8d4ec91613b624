import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { sha256 } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { textOf, toolWorld } from './tool-world.ts';

test('creates a file with its folders and says how many bytes (KB-31)', async () => {
  const world = await toolWorld();
  const result = await world.call('write', { path: 'a/b/c.txt', content: '你好🙂' });
  expect(textOf(result)).toBe('Successfully wrote 10 bytes to a/b/c.txt');
  expect(result).toMatchObject({
    data: { truncated: false, changed_path: 'a/b/c.txt' },
    after: { path: 'a/b/c.txt', sha256: sha256('你好🙂'), bytes: 10 },
  });
  expect(await readFile(world.path('a/b/c.txt'), 'utf8')).toBe('你好🙂');
});

test('replaces the content in one step and keeps the permissions (B-14)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'old');
  await chmod(world.path('f'), 0o755);
  const before = await stat(world.path('f'));
  await world.call('write', { path: 'f', content: 'new\r\n' });
  const after = await stat(world.path('f'));
  expect(await readFile(world.path('f'), 'utf8')).toBe('new\r\n');
  expect(after.mode).toBe(before.mode);
  expect(after.ino).not.toBe(before.ino);
  expect(await readdir(world.workspace)).toEqual(['f']);
});

test('writes through links and keeps them, also one that leads nowhere yet', async () => {
  const world = await toolWorld();
  await mkdir(world.path('d'));
  await writeFile(world.path('d/real'), 'old');
  await symlink('d/real', world.path('link'));
  await symlink('d/later', world.path('dangling'));
  await world.call('write', { path: 'link', content: 'one' });
  await world.call('write', { path: 'dangling', content: 'two' });
  expect(await readFile(world.path('d/real'), 'utf8')).toBe('one');
  expect(await readFile(world.path('d/later'), 'utf8')).toBe('two');
  expect((await lstat(world.path('link'))).isSymbolicLink()).toBe(true);
  expect(await readlink(world.path('dangling'))).toBe('d/later');
});

test('refuses what cannot be written before it does anything', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), '');
  await mkdir(world.path('d'));
  const failures = [
    ['d', 'io_error'],
    ['f/x', 'not_found'],
    ['/dev/null', 'io_error'],
    ['a\0b', 'invalid_arguments'],
  ] as const;
  for (const [path, code] of failures) {
    expect(await world.prepare('write', { path, content: 'x' })).toMatchObject({
      kind: 'refused',
      code,
    });
  }
});

test('leaves the file to the next call when one is refused', async () => {
  const world = await toolWorld();
  await mkdir(world.path('d'));
  await writeFile(world.path('f'), 'a\n');
  const miss = { path: 'f', edits: [{ oldText: 'no such text', newText: '' }] };
  for (let round = 0; round < 2; round++) {
    expect(await world.call('write', { path: 'd', content: 'x' })).toMatchObject({
      kind: 'failed',
    });
    expect(await world.call('edit', miss)).toMatchObject({ kind: 'failed' });
  }
  expect(await world.call('write', { path: 'f', content: 'b\n' })).toMatchObject({ kind: 'done' });
});

test('names the file that was meant when it cannot be replaced', async () => {
  const world = await toolWorld();
  await mkdir(world.path('d'));
  expect(await world.call('write', { path: 'd', content: 'x' })).toMatchObject({
    text: `EISDIR: illegal operation on a directory, open '${world.path('d')}'`,
  });
});

test.skipIf(process.platform !== 'linux')('says that a folder takes no new file', async () => {
  const world = await toolWorld();
  // A file of the system may be written, but nothing can be made beside it.
  const path = `/proc/${process.pid}/oom_score_adj`;
  const { kind, text } = await world.call('write', { path, content: '0' });
  expect(kind).toBe('failed');
  expect(text).toMatch(/^E\w+: '\/proc\/\d+\/oom_score_adj' cannot be replaced/);
});

test('creates nothing when it is stopped beforehand', async () => {
  const world = await toolWorld();
  const stopped = { signal: AbortSignal.abort() };
  const result = await world.call('write', { path: 'a/b', content: 'x' }, stopped);
  expect(result).toMatchObject({ kind: 'failed', code: 'cancelled' });
  expect(await readdir(world.workspace)).toEqual([]);
});

test('notices a change between prepare and run, and leaves it alone', async () => {
  const world = await toolWorld();
  for (const found of ['old', null]) {
    if (found !== null) await writeFile(world.path('f'), found);
    const prepared = await world.prepare('write', {
      path: found === null ? 'g' : 'f',
      content: 'n',
    });
    if (prepared.kind === 'refused') throw new Error(prepared.message);
    const path = world.path(found === null ? 'g' : 'f');
    await writeFile(path, 'from elsewhere');
    expect(await prepared.run(liveContext(world.workspace))).toMatchObject({
      kind: 'failed',
      code: 'conflict',
    });
    await prepared.dispose?.();
    expect(await readFile(path, 'utf8')).toBe('from elsewhere');
  }
  expect((await readdir(world.workspace)).toSorted()).toEqual(['f', 'g']);
});

test('puts twenty writes to one file through two links in the order of the calls (KB-09)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), '');
  await symlink('f', world.path('link'));
  const calls = Array.from({ length: 20 }, (_, index) =>
    world.call('write', { path: index % 2 === 0 ? 'f' : 'link', content: `${index}` }),
  );
  const results = await Promise.all(calls);
  expect(results.every((result) => result.kind === 'done')).toBe(true);
  expect(await readFile(world.path('f'), 'utf8')).toBe('19');
});

test('keeps the order of the calls when the way to the file is long (KB-09)', async () => {
  const world = await toolWorld();
  await symlink('f', world.path('link0'));
  for (let index = 1; index < 30; index++) {
    await symlink(`link${index - 1}`, world.path(`link${index}`));
  }
  await Promise.all(
    ['link29', 'f'].map((path) => world.call('write', { path, content: `by ${path}` })),
  );
  expect(await readFile(world.path('f'), 'utf8')).toBe('by f');
});

test('calls the hook right before and right after the replacement', async () => {
  const seen: unknown[] = [];
  const world = await toolWorld({ onEffect: (...effect) => void seen.push(effect) });
  await world.call('write', { path: 'f', content: 'x' });
  expect(seen).toEqual([
    ['write', 'before-effect', world.path('f')],
    ['write', 'after-effect', world.path('f')],
  ]);
});

const INPUT = { path: 'f', content: 'new' };

test('finds out that an interrupted write was made, with the answer it would have given', async () => {
  const world = await toolWorld({ onEffect: dieAt('after-effect') });
  await writeFile(world.path('f'), 'old');
  const before = await interrupted(world);
  expect(await world.reconcile('write', INPUT, before)).toEqual({
    kind: 'happened',
    result: {
      kind: 'done',
      text: 'Successfully wrote 3 bytes to f',
      data: { truncated: false, changed_path: 'f' },
      after: { path: 'f', sha256: sha256('new'), bytes: 3 },
    },
  });
});

test('finds out that an interrupted write was not made, and clears its temporary file away', async () => {
  const world = await toolWorld({ onEffect: dieAt('before-effect') });
  await writeFile(world.path('f'), 'old');
  const before = await interrupted(world);
  const leftover = world.path(`.f.${sha256(world.key).slice(0, 16)}.tmp`);
  await writeFile(leftover, 'ne');
  expect(await world.reconcile('write', INPUT, before)).toEqual({
    kind: 'not-happened',
    evidence: { path: 'f', sha256_found: sha256('old') },
  });
  expect(await readdir(world.workspace)).toEqual(['f']);
});

test('finds out that a file was not created', async () => {
  const world = await toolWorld({ onEffect: dieAt('before-effect') });
  const before = await interrupted(world);
  expect(before).toMatchObject({ sha256_before: null, mode: null });
  expect(await world.reconcile('write', INPUT, before)).toMatchObject({ kind: 'not-happened' });
});

test('does not know what happened when the file is neither, or nothing was kept', async () => {
  const world = await toolWorld({ onEffect: dieAt('before-effect') });
  const before = await interrupted(world);
  await writeFile(world.path('f'), 'third');
  expect(await world.reconcile('write', INPUT, before)).toMatchObject({ kind: 'unknown' });
  expect(await world.reconcile('write', INPUT, null)).toMatchObject({ kind: 'unknown' });
});

function dieAt(at: 'before-effect' | 'after-effect') {
  return (_tool: string, phase: string): void => {
    if (phase === at) throw new Error('killed');
  };
}

/** Takes a write as far as the hook lets it, and gives the evidence that it left. */
async function interrupted(world: Awaited<ReturnType<typeof toolWorld>>) {
  const prepared = await world.prepare('write', INPUT);
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  await expect(prepared.run(liveContext(world.workspace))).rejects.toThrow('killed');
  await prepared.dispose?.();
  return { ...Object(prepared.before) };
}

function liveContext(workspace: string) {
  return {
    runId: 'run-1',
    callId: 'call-1',
    workspace,
    signal: new AbortController().signal,
    clock: { now: () => 0, monotonicMs: () => 0, delay: async () => undefined },
    idempotencyKey: 'key-1',
  };
}

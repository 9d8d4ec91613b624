import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { sha256 } from '@millforge/contracts';
import { describe, expect, test } from 'vitest';
import { dataOf, faultOf, type ToolWorld, toolWorld } from './tool-world.ts';

describe('write_workspace_file', () => {
  test('creates a file and replaces it, and says its digest', async () => {
    const world = await toolWorld();
    const first = await write(world, { path: 'a.txt', content: 'é' });
    expect(dataOf(first)).toEqual({
      status: 'success',
      summary: 'wrote 2 bytes to a.txt',
      path: 'a.txt',
      content_sha256: sha256(Buffer.from('é')),
    });
    await write(world, { path: 'a.txt', content: 'two' });
    expect(await readFile(world.path('a.txt'), 'utf8')).toBe('two');
    expect(await readdir(world.workspace)).toEqual(['a.txt']);
    expect((await stat(world.path('a.txt'))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test('keeps the permissions of the file it replaces (B-14)', async () => {
    const world = await toolWorld();
    await world.write('run.sh', 'old');
    await chmod(world.path('run.sh'), 0o751);
    await write(world, { path: 'run.sh', content: 'new' });
    expect((await stat(world.path('run.sh'))).mode & 0o777).toBe(0o751);
  });

  test('holds the condition of a digest, also when the file is gone (B-13)', async () => {
    const world = await toolWorld();
    await world.write('a', 'old');
    const old = sha256(Buffer.from('old'));
    const wrong = await write(world, { path: 'a', content: 'x', expected_sha256: '0'.repeat(64) });
    expect(faultOf(wrong)).toBe('conflict expected_sha256');
    const gone = await write(world, { path: 'b', content: 'x', expected_sha256: old });
    expect(faultOf(gone)).toBe('conflict expected_sha256');
    expect(await readdir(world.workspace)).toEqual(['a']);
    dataOf(await write(world, { path: 'a', content: 'new', expected_sha256: old }));
    const taken = await write(world, { path: 'a', content: 'x', expected_absent: true });
    expect(faultOf(taken)).toBe('conflict expected_absent');
    dataOf(await write(world, { path: 'b', content: 'x', expected_absent: true }));
    const malformed = await write(world, { path: 'a', content: 'x', expected_sha256: 'ABC' });
    expect(faultOf(malformed)).toMatch(/^invalid_arguments/);
  });

  test('makes no folders, and takes none for a file', async () => {
    const world = await toolWorld();
    await mkdir(world.path('src'));
    expect(faultOf(await write(world, { path: 'new/a', content: '' }))).toBe('not_found not_found');
    expect(faultOf(await write(world, { path: 'src', content: '' }))).toBe(
      'policy_denied not_a_file',
    );
    expect(await readdir(world.workspace)).toEqual(['src']);
  });

  test('writes a name of 255 bytes, and no pipe or device', async () => {
    const world = await toolWorld();
    const name = `${'ü'.repeat(126)}.md`;
    dataOf(await write(world, { path: name, content: 'x' }));
    expect(await readdir(world.workspace)).toEqual([name]);
    execFileSync('mkfifo', [world.path('pipe')]);
    expect(faultOf(await write(world, { path: 'pipe', content: '' }))).toBe(
      'policy_denied not_a_file',
    );
    expect((await lstat(world.path('pipe'))).isFIFO()).toBe(true);
  });

  test('writes through a link to a file inside, which stays a link', async () => {
    const world = await toolWorld();
    await world.write('a/file', 'old');
    await symlink('a/file', world.path('link'));
    expect(dataOf(await write(world, { path: 'link', content: 'new' }))['path']).toBe('a/file');
    expect(await readFile(world.path('a/file'), 'utf8')).toBe('new');
    expect((await lstat(world.path('link'))).isSymbolicLink()).toBe(true);
  });

  test('refuses git and what the operator protects (B-17)', async () => {
    const world = await toolWorld({ protectedPaths: ['.env'] });
    await world.write('.git/config', 'original');
    for (const path of ['.git/config', '.GIT/hooks/post-checkout']) {
      expect(faultOf(await write(world, { path, content: '' }))).toBe('policy_denied git_folder');
    }
    expect(faultOf(await write(world, { path: '.env', content: '' }))).toBe(
      'policy_denied protected',
    );
    expect(await readFile(world.path('.git/config'), 'utf8')).toBe('original');
  });

  test('changes nothing when the file was changed after the look', async () => {
    const world = await toolWorld();
    await world.write('a', 'old');
    const prepared = await world.prepare('write_workspace_file', { path: 'a', content: 'mine' });
    if (prepared.kind === 'refused') throw new Error(prepared.message);
    await world.write('a', 'theirs');
    const result = await world.run(prepared);
    await prepared.dispose?.();
    expect(faultOf(result)).toBe('conflict changed');
    expect(await readFile(world.path('a'), 'utf8')).toBe('theirs');
    expect(await readdir(world.workspace)).toEqual(['a']);
  });

  test('two writes of one file follow each other, also through a link', async () => {
    const world = await toolWorld();
    await world.write('a', 'old');
    await symlink('a', world.path('link'));
    const contents = Array.from({ length: 20 }, (_, index) => `content ${index}`);
    const results = await Promise.all(
      contents.map((content, index) =>
        write(world, { path: index % 2 === 0 ? 'a' : 'link', content }),
      ),
    );
    for (const result of results) dataOf(result);
    expect(contents).toContain(await readFile(world.path('a'), 'utf8'));
  });

  test('a call that was stopped while it waited lets the next one go', async () => {
    const world = await toolWorld();
    await world.write('a', 'old');
    const held = await world.prepare('write_workspace_file', { path: 'a', content: 'first' });
    if (held.kind === 'refused') throw new Error(held.message);
    const stopping = new AbortController();
    const waiting = world.call(
      'write_workspace_file',
      { path: 'a', content: 'second' },
      { signal: stopping.signal },
    );
    stopping.abort();
    expect((await waiting).kind).toBe('failed');
    await held.dispose?.();
    dataOf(await write(world, { path: 'a', content: 'third' }));
    expect(await readFile(world.path('a'), 'utf8')).toBe('third');
  });
});

describe('an interrupted write', () => {
  test.each(['before-effect', 'after-effect'] as const)(
    'is found out by the digest of the file when it broke off %s',
    async (point) => {
      const world = await toolWorld({
        onEffect(phase) {
          if (phase === point) throw new Error('crash');
        },
      });
      await world.write('a', 'old');
      const input = { path: 'a', content: 'new' };
      const prepared = await world.prepare('write_workspace_file', input);
      if (prepared.kind === 'refused') throw new Error(prepared.message);
      await expect(world.run(prepared)).rejects.toThrow('crash');
      await prepared.dispose?.();
      const answer = await world.reconcile('write_workspace_file', input, prepared);
      expect(answer.kind).toBe(point === 'before-effect' ? 'not-happened' : 'happened');
      expect(await readdir(world.workspace)).toEqual(['a']);
      await world.write('a', 'something else');
      const later = await world.reconcile('write_workspace_file', input, prepared);
      expect(later.kind).toBe('unknown');
    },
  );
});

function write(
  world: ToolWorld,
  input: { path: string; content: string; [name: string]: string | boolean },
) {
  return world.call('write_workspace_file', input);
}

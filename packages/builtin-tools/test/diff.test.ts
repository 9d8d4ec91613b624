import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadBaseline, openBaseline } from '@millforge/builtin-tools';
import { digest } from '@millforge/contracts';
import { describe, expect, test } from 'vitest';
import { runWorld, succeed } from './run-world.ts';
import { realClock } from './tool-world.ts';

describe('read_workspace_diff', () => {
  test('shows what changed since the run began, new files too, without git (B-16)', async () => {
    const world = await runWorld();
    await world.write('a.txt', 'one\ntwo\n');
    await world.write('gone.txt', 'gone');
    await world.write('same.txt', 'same\n');
    await world.write('run.sh', 'x\n');
    await world.write('.gitignore', 'node_modules\n');
    await world.begin();
    await world.write('a.txt', 'one\n2\n');
    await world.write('new/b.txt', 'new');
    await world.write('node_modules/x.js', 'ignored');
    await chmod(world.path('run.sh'), 0o755);
    await rm(world.path('gone.txt'));
    const { data, text } = await succeed(world, 'read_workspace_diff');
    const diff = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+2
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,1 +0,0 @@
-gone
\\ No newline at end of file
diff --git a/new/b.txt b/new/b.txt
new file mode 100644
--- /dev/null
+++ b/new/b.txt
@@ -0,0 +1,1 @@
+new
\\ No newline at end of file
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`;
    expect(text).toBe(diff);
    expect(data).toMatchObject({ diff, truncated: false, diff_sha256: digest(diff) });
    const narrowed = await succeed(world, 'read_workspace_diff', { paths: ['new', 'same.txt'] });
    expect(narrowed.text.split('\n')[0]).toBe('diff --git a/new/b.txt b/new/b.txt');
    const cut = await succeed(world, 'read_workspace_diff', { max_bytes: 10 });
    expect(cut.data).toMatchObject({
      diff: 'diff --git[truncated]',
      truncated: true,
      diff_sha256: digest(diff),
    });
  });

  test('starts no program, whatever the repository configures (B-17)', async () => {
    const world = await runWorld();
    execFileSync('git', ['init', '--quiet'], { cwd: world.workspace });
    await world.write('a.txt', 'old\n');
    await world.begin();
    const evil = `#!/bin/sh\ntouch ${world.folder}/executed\n`;
    await writeFile(join(world.folder, 'evil'), evil, { mode: 0o755 });
    await world.write(
      '.git/config',
      `[diff]\n\texternal = ${world.folder}/evil\n[core]\n\tfsmonitor = ${world.folder}/evil\n`,
    );
    await world.write('.gitattributes', '* diff=evil\n');
    await world.write('a.txt', 'new\n');
    expect((await succeed(world, 'read_workspace_diff')).text).toContain('+new');
    await expect(readFile(join(world.folder, 'executed'))).rejects.toThrow('ENOENT');
  });

  test('sees a change that keeps size and times', async () => {
    const world = await runWorld();
    await world.write('a.txt', 'old\n');
    await utimes(world.path('a.txt'), 1, 1);
    await world.begin();
    await world.write('a.txt', 'new\n');
    await utimes(world.path('a.txt'), 1, 1);
    expect((await succeed(world, 'read_workspace_diff')).text).toContain('+new');
  });

  test('sees a change of a file that had not been touched for long', async () => {
    const world = await runWorld();
    await world.write('a.txt', 'old\n');
    await world.write('b.txt', 'same\n');
    const long = { ...realClock, now: () => Date.now() + 60_000 };
    const directory = join(world.folder, 'baseline');
    const { workspace } = world;
    const { files } = await openBaseline({ workspace, directory, clock: long });
    expect([...files.values()].every(({ stamp }) => stamp !== null)).toBe(true);
    await world.begin(directory);
    await world.write('a.txt', 'newer\n');
    const { text } = await succeed(world, 'read_workspace_diff');
    expect(text).toContain('-old\n+newer');
    expect(text).not.toContain('b.txt');
  });

  test('says of binary and large files only that they differ', async () => {
    const world = await runWorld();
    await world.write('image', Buffer.from([0, 1]));
    await world.write('large', 'x'.repeat(5 * 1024 * 1024));
    await world.begin();
    expect((await succeed(world, 'read_workspace_diff')).text).toBe('nothing has changed');
    await world.write('image', Buffer.from([0, 2]));
    await world.write('large', `${'x'.repeat(5 * 1024 * 1024 - 1)}y`);
    await chmod(world.path('large'), 0o755);
    expect((await succeed(world, 'read_workspace_diff')).text).toBe(
      [
        'diff --git a/image b/image',
        'Binary files a/image and b/image differ',
        'diff --git a/large b/large',
        'old mode 100644',
        'new mode 100755',
        'Binary files a/large and b/large differ',
        '',
      ].join('\n'),
    );
  });

  test('a run without a beginning is refused', async () => {
    const world = await runWorld();
    const { outcome } = await world.execute('read_workspace_diff', {});
    expect(outcome.text).toMatch(/^baseline_missing: /);
    const wrong = await world.execute('read_workspace_diff', { paths: ['../x'] });
    expect(wrong.outcome.text).toMatch(/^parent: /);
  });
});

describe('a patch under the condition of a diff', () => {
  const patch = '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n';

  test('is applied when the diff is the one that was read, and gives the one after it', async () => {
    const world = await runWorld();
    await world.write('a', 'zero\n');
    await world.write('b', 'zero\n');
    await world.begin();
    await world.write('a', 'one\n');
    await world.write('b', 'one\n');
    const whole = (await succeed(world, 'read_workspace_diff')).data['diff_sha256'];
    const part = (await succeed(world, 'read_workspace_diff', { paths: ['a'] })).data[
      'diff_sha256'
    ];
    const stale = { patch, expected_base_sha256: '0'.repeat(64) };
    const { outcome } = await world.execute('apply_workspace_patch', stale);
    expect([outcome.error_code, outcome.text.split(':')[0]]).toEqual([
      'conflict',
      'expected_base_sha256',
    ]);
    const applied = await succeed(world, 'apply_workspace_patch', {
      patch,
      expected_base_sha256: part,
    });
    const after = await succeed(world, 'read_workspace_diff', { paths: ['a'] });
    expect(applied.data['diff_sha256']).toBe(after.data['diff_sha256']);
    await world.write('a', 'one\n');
    await succeed(world, 'apply_workspace_patch', { patch, expected_base_sha256: whole });
  });
});

describe('a baseline', () => {
  test('is kept in a folder and found again there, as it was', async () => {
    const world = await runWorld();
    await world.write('a', 'beginning\n');
    const directory = join(world.folder, 'baseline');
    await world.begin(directory);
    await world.write('a', 'later\n');
    await world.begin(directory);
    expect((await succeed(world, 'read_workspace_diff')).text).toContain('-beginning\n+later');
  });

  test('is damage when its files are not what was written', async () => {
    const world = await runWorld();
    await world.write('a', 'beginning\n');
    const directory = join(world.folder, 'baseline');
    expect(await loadBaseline(directory)).toBe(null);
    await openBaseline({ workspace: world.workspace, directory, clock: realClock });
    const content = join(directory, 'baseline.bin');
    await writeFile(content, 'something else');
    const baseline = await loadBaseline(directory);
    await expect(baseline?.read('a')).rejects.toThrow('damaged');
    for (const index of [
      '{',
      '{}',
      '{"kind":"workspace_baseline","schema_version":"1.0","gap":null,"files":[{}]}',
    ]) {
      await writeFile(join(directory, 'baseline.json'), index);
      await expect(loadBaseline(directory)).rejects.toThrow('damaged');
    }
  });

  test('a capture that was stopped leaves nothing', async () => {
    const world = await runWorld();
    await world.write('a', 'x');
    const directory = join(world.folder, 'baseline');
    const signal = AbortSignal.abort();
    const { workspace } = world;
    await expect(
      openBaseline({ workspace, directory, clock: realClock, signal }),
    ).rejects.toThrow();
    expect(await loadBaseline(directory)).toBe(null);
    await mkdir(join(world.folder, 'moved'));
    await rename(directory, join(world.folder, 'moved/baseline'));
    expect(execFileSync('ls', ['-A', join(world.folder, 'moved/baseline')]).toString()).toBe('');
  });
});

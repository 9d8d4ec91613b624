import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, truncate } from 'node:fs/promises';
import { sha256 } from '@millforge/contracts';
import { describe, expect, test } from 'vitest';
import { faultOf, type ToolWorld, toolWorld } from './tool-world.ts';

describe('work that a model or a file could ask for without end', () => {
  test('a glob of more than 1,000 characters is refused', async () => {
    const world = await toolWorld();
    const glob = '['.repeat(1001);
    for (const [tool, input] of [
      ['list_workspace_files', { root: '.', glob }],
      ['search_workspace_text', { query: 'a', glob }],
    ] as const) {
      expect((await world.call(tool, input)).text).toBe('glob must be at most 1000 characters.');
    }
  });

  test('a .gitignore of blanks takes no time', async () => {
    const world = await toolWorld();
    await world.write('.gitignore', `${' '.repeat(1_000_000)}x\n*.log`);
    await world.write('a.log', '');
    const { text } = await world.call('list_workspace_files', { root: '.' });
    expect(text).toBe('.gitignore');
  });

  test('a patch of a file of millions of lines is refused', async () => {
    const world = await toolWorld();
    await world.write('a', '\n'.repeat(2_000_001));
    const patch = '--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n+x\n \n';
    const result = await world.call('apply_workspace_patch', { patch });
    expect(result.text).toMatch(/^patch_does_not_apply: a has \d+ lines/);
  });

  test('a patch whose hunks are nearly everywhere is refused', async () => {
    const world = await toolWorld();
    await world.write('a', `${'\n'.repeat(200_000)}x\n`);
    const patch = `--- a/a\n+++ b/a\n@@ -5,1002 +5,1003 @@\n${' \n'.repeat(1000)} x\n+y\n \n`;
    const result = await world.call('apply_workspace_patch', { patch });
    expect(result.text).toBe(
      'patch_does_not_apply: the hunks for a are too much work to place; send fewer at once.',
    );
  });

  test('a patch of files that are too large together is refused', async () => {
    const world = await toolWorld();
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      await world.write(name, '');
      await truncate(world.path(name), 50 * 1024 * 1024);
    }
    const patch = names.map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`);
    const result = await world.call('apply_workspace_patch', { patch: patch.join('') });
    expect(faultOf(result)).toBe('policy_denied too_large');
  });
});

describe('files that are not as they seem', () => {
  test('a program that runs as its owner loses that mark with its bytes', async () => {
    const world = await toolWorld();
    await world.write('a', 'old\n');
    await chmod(world.path('a'), 0o6755);
    await world.call('write_workspace_file', { path: 'a', content: 'new\n' });
    expect(await modeOf(world, 'a')).toBe(0o755);
    await chmod(world.path('a'), 0o6755);
    const patch = [
      'diff --git a/a b/b',
      'copy from a',
      'copy to b',
      '--- a/a',
      '+++ b/b',
      '@@ -1 +1 @@',
      '-new',
      '+newer',
      '',
    ];
    await world.call('apply_workspace_patch', { patch: patch.join('\n') });
    expect(await readFile(world.path('b'), 'utf8')).toBe('newer\n');
    expect((await modeOf(world, 'b')) & 0o6000).toBe(0);
  });

  test('a folder in the place of the temporary file is an answer, and names no folder of the host', async () => {
    const world = await toolWorld();
    await world.write('a', 'old');
    const tag = sha256(`key of ${world.folder}`).slice(0, 16);
    await mkdir(world.path(`.a.${tag}.tmp`));
    const result = await world.call('write_workspace_file', { path: 'a', content: 'new' });
    expect(result.text).toBe('io: a cannot be used (EEXIST).');
    expect(await readFile(world.path('a'), 'utf8')).toBe('old');
  });

  test('the beginning and the end of a long line are not one text', async () => {
    const world = await toolWorld();
    const middle = 'b'.repeat(65_536 * 16);
    await world.write('a', `${'a'.repeat(1_048_572)}NEED${middle}LE${'c'.repeat(10)}\nNEEDLE\n`);
    const { text } = await world.call('search_workspace_text', { query: 'NEEDLE' });
    expect(text).toBe('a:2: NEEDLE');
    const { text: first } = await world.call('search_workspace_text', { query: 'aNEED' });
    expect(first).toContain('a:1: ');
  });

  test.skipIf(process.platform !== 'linux')('names that are no UTF-8 are not listed', async () => {
    const world = await toolWorld();
    execFileSync('sh', ['-c', 'touch "$(printf "a\\377b")" plain'], { cwd: world.workspace });
    await world.write('real-\ufffd', '');
    expect(await readdir(world.workspace)).toHaveLength(3);
    const { text } = await world.call('list_workspace_files', { root: '.' });
    expect(text).toBe('plain\nreal-\ufffd');
  });
});

async function modeOf(world: ToolWorld, path: string): Promise<number> {
  return (await stat(world.path(path))).mode & 0o7777;
}

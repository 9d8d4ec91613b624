import { chmod, mkdir, symlink } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { dataOf, faultOf, toolWorld } from './tool-world.ts';

describe('read_workspace_file', () => {
  test('gives the text, whole, with its digest', async () => {
    const world = await toolWorld();
    await world.write('a.txt', 'one\r\ntwo');
    const result = await world.call('read_workspace_file', { path: 'a.txt' });
    expect(result).toEqual({
      kind: 'done',
      text: 'one\r\ntwo',
      truncated: false,
      data: {
        status: 'success',
        summary: 'a.txt: 8 bytes',
        content: 'one\r\ntwo',
        truncated: false,
        artifact_refs: [],
        content_sha256: '29a776bb35efe730dabb1b1d3ad74dbf80cc3e9009e168241798ea73adca3dcf',
      },
    });
  });

  test('cuts behind max_bytes, between characters, and says so (B-04)', async () => {
    const world = await toolWorld();
    await world.write('a.txt', 'ab€'.repeat(20_000));
    expect(
      dataOf(await world.call('read_workspace_file', { path: 'a.txt', max_bytes: 4 })),
    ).toEqual({
      status: 'success',
      summary: 'a.txt: 100000 bytes, 4 of them shown, from line 1',
      content: 'ab[truncated]',
      truncated: true,
      artifact_refs: [],
    });
    const data = dataOf(await world.call('read_workspace_file', { path: 'a.txt', max_bytes: 0 }));
    expect(data['content']).toHaveLength('[truncated]'.length + 19_661);
    const whole = dataOf(
      await world.call('read_workspace_file', { path: 'a.txt', max_bytes: 1e9 }),
    );
    expect(whole['truncated']).toBe(false);
  });

  test('never cuts a word in two, which might be half of a secret', async () => {
    const world = await toolWorld();
    await world.write('a.txt', 'the key is sk-abcdefghijklmnop at /srv/site\n');
    for (const max_bytes of [12, 20, 29]) {
      const { text } = await world.call('read_workspace_file', { path: 'a.txt', max_bytes });
      expect(text).toBe('the key is [truncated]');
    }
    const { text } = await world.call('read_workspace_file', { path: 'a.txt', max_bytes: 30 });
    expect(text).toBe('the key is sk-abcdefghijklmnop[truncated]');
    await world.write(
      'long',
      `${'x '.repeat(400)}secret=${'y'.repeat(120)} needle ${'z '.repeat(190)}token=${'w'.repeat(200)}`,
    );
    const found = await world.call('search_workspace_text', { query: 'needle', root: 'long' });
    expect(found.text).toBe(`long:1:  needle ${'z '.repeat(190)}`);
  });

  test('secrets of any characters stay whole at a cut, as far as blanks tell where they end', async () => {
    const world = await toolWorld();
    await world.write('a.txt', 'key p@ss!word$of#mine more');
    for (const max_bytes of [6, 10, 15, 20]) {
      const { text } = await world.call('read_workspace_file', { path: 'a.txt', max_bytes });
      expect(text).toBe('key [truncated]');
    }
  });

  test('a file of exactly max_bytes is not cut', async () => {
    const world = await toolWorld();
    await world.write('a.txt', '12345');
    const data = dataOf(await world.call('read_workspace_file', { path: 'a.txt', max_bytes: 5 }));
    expect([data['content'], data['truncated']]).toEqual(['12345', false]);
  });

  test('a missing file is not found, in words of its own (B-11)', async () => {
    const world = await toolWorld();
    const result = await world.call('read_workspace_file', { path: 'src/missing.ts' });
    expect(faultOf(result)).toBe('not_found not_found');
    expect(result.text).toBe('not_found: the folder src does not exist.');
    expect(faultOf(await world.call('read_workspace_file', { path: 'a' }))).toBe(
      'not_found not_found',
    );
  });

  test('a folder is no file, and a binary file is refused with its size', async () => {
    const world = await toolWorld();
    await mkdir(world.path('src'));
    await world.write('image.png', Buffer.from([0x89, 0x50, 0, 1, 2]));
    expect(faultOf(await world.call('read_workspace_file', { path: 'src' }))).toBe(
      'policy_denied not_a_file',
    );
    const binary = await world.call('read_workspace_file', { path: 'image.png' });
    expect(binary.text).toBe('binary_file: image.png is binary, 5 bytes; only text is read.');
  });

  test('bytes that are no UTF-8 are replaced', async () => {
    const world = await toolWorld();
    await world.write('a.txt', Buffer.from([0x61, 0xff, 0x62]));
    expect(dataOf(await world.call('read_workspace_file', { path: 'a.txt' }))['content']).toBe(
      'a\ufffdb',
    );
  });

  test('what a call reaches is its path', async () => {
    const { builtinTools } = await import('@millforge/builtin-tools');
    const reach = (name: string, input: object) =>
      builtinTools()
        .find((tool) => tool.descriptor.model_tool_name === name)
        ?.implementation.reach?.({ ...input }, { runId: 'r', callId: 'c', workspace: '/w' });
    expect(reach('read_workspace_file', { path: 'a/b' })).toEqual({ paths: ['a/b'] });
    expect(reach('list_workspace_files', { root: '.' })).toEqual({ paths: ['./'] });
    expect(reach('search_workspace_text', { query: 'x', root: 'a' })).toEqual({ paths: ['a/'] });
  });
});

describe('list_workspace_files', () => {
  test('lists files in the order of their parts, without git and what is ignored (B-12)', async () => {
    const world = await toolWorld();
    for (const path of [
      'b/z',
      'b/a',
      'b.txt',
      'a',
      '.git/config',
      'node_modules/x/i.js',
      'b/skip.log',
      'b/keep.log',
      'b/.GIT/x',
    ]) {
      await world.write(path, '');
    }
    await world.write('.gitignore', 'node_modules/\n*.log\n');
    await world.write('b/.gitignore', '!keep.log\n');
    expect(await paths(world, { root: '.' })).toEqual([
      '.gitignore',
      'a',
      'b/.gitignore',
      'b/a',
      'b/keep.log',
      'b/z',
      'b.txt',
    ]);
    expect(await paths(world, { root: 'b' })).toEqual(['b/.gitignore', 'b/a', 'b/keep.log', 'b/z']);
    expect(await paths(world, { root: 'node_modules' })).toEqual(['node_modules/x/i.js']);
  });

  test('does not list .git when it is asked for, by its name or by a link (B-17)', async () => {
    const world = await toolWorld();
    await world.write('.git/config', '');
    await symlink('.git', world.path('link'));
    for (const root of ['.git', 'link', '.git/config']) {
      const result = await world.call('list_workspace_files', { root });
      expect(faultOf(result)).toBe('policy_denied git_folder');
    }
  });

  test('is truncated only when there are more than it shows (B-10)', async () => {
    const world = await toolWorld();
    for (const path of ['a', 'b', 'c']) await world.write(path, '');
    const list = async (max_results: number) => {
      const data = dataOf(await world.call('list_workspace_files', { root: '.', max_results }));
      return [data['paths'], data['truncated']];
    };
    expect(await list(3)).toEqual([['a', 'b', 'c'], false]);
    expect(await list(2)).toEqual([['a', 'b'], true]);
  });

  test('more than 64 paths come whole (B-04)', async () => {
    const world = await toolWorld();
    const names = Array.from({ length: 150 }, (_, index) => `f${String(index).padStart(3, '0')}`);
    for (const name of names) await world.write(name, '');
    expect(await paths(world, { root: '.' })).toEqual(names);
  });

  test.each([
    ['*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**/*.ts', ['src/b.ts', 'src/deep/c.ts']],
    ['**/deep/*', ['src/deep/c.ts']],
    ['**', ['[x].md', 'a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['[ab].ts', ['a.ts', 'src/b.ts']],
    ['[!a].ts', ['src/b.ts', 'src/deep/c.ts']],
    ['[a-b].t?', ['a.ts', 'src/b.ts']],
    ['\\[x].md', ['[x].md']],
    ['', ['[x].md', 'a.ts', 'src/b.ts', 'src/deep/c.ts']],
  ])('the glob %s matches as documented', async (glob, expected) => {
    const world = await toolWorld();
    for (const path of ['a.ts', 'src/b.ts', 'src/deep/c.ts', '[x].md']) await world.write(path, '');
    expect(await paths(world, { root: '.', glob })).toEqual(expected);
  });

  test('a glob made to backtrack takes no time', async () => {
    const world = await toolWorld();
    await world.write('a'.repeat(200), '');
    expect(await paths(world, { root: '.', glob: `${'*a'.repeat(90)}*b` })).toEqual([]);
  });

  test('links to files inside are listed, links to folders are not entered', async () => {
    const world = await toolWorld();
    await world.write('a/file', '');
    await symlink('a/file', world.path('link'));
    await symlink('a', world.path('folder'));
    await symlink('/etc/passwd', world.path('out'));
    await symlink('..', world.path('a/up'));
    expect(await paths(world, { root: '.' })).toEqual(['a/file', 'link']);
    expect(await paths(world, { root: 'folder' })).toEqual(['a/file']);
  });

  test('a folder that is missing is not found, a file is listed as itself', async () => {
    const world = await toolWorld();
    await world.write('a', '');
    expect(faultOf(await world.call('list_workspace_files', { root: 'b' }))).toBe(
      'not_found not_found',
    );
    expect(await paths(world, { root: 'a' })).toEqual(['a']);
  });
});

describe('search_workspace_text', () => {
  test('finds each line once, by its number, in text files only (B-12)', async () => {
    const world = await toolWorld();
    await world.write('a.txt', 'no\nyes yes\r\n\nYES\nyes');
    await world.write('b/c.txt', 'yes');
    await world.write('.git/x', 'yes');
    await world.write('binary', Buffer.from('yes\0yes'));
    const data = dataOf(await world.call('search_workspace_text', { query: 'yes' }));
    expect(data['matches']).toEqual([
      { path: 'a.txt', line: 2, snippet: 'yes yes' },
      { path: 'a.txt', line: 5, snippet: 'yes' },
      { path: 'b/c.txt', line: 1, snippet: 'yes' },
    ]);
    expect(data['summary']).toBe('3 lines; 1 binary, large or unreadable files not searched');
  });

  test('counts lines across the pieces in which a file is read', async () => {
    const world = await toolWorld();
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index}`);
    lines[9_000] = 'needle at 9000';
    lines[29_999] = 'needle at the end';
    await world.write('long.txt', lines.join('\n'));
    const data = dataOf(await world.call('search_workspace_text', { query: 'needle' }));
    expect(data['matches']).toEqual([
      { path: 'long.txt', line: 9_001, snippet: 'needle at 9000' },
      { path: 'long.txt', line: 30_000, snippet: 'needle at the end' },
    ]);
  });

  test('finds what lies across two pieces, and shows the place in a long line', async () => {
    const world = await toolWorld();
    await world.write('a', `${'x'.repeat(65_533)}needle${'y'.repeat(70_000)}\nneedle`);
    const data = dataOf(await world.call('search_workspace_text', { query: 'needle' }));
    expect(data['matches']).toEqual([
      { path: 'a', line: 1, snippet: `${'x'.repeat(100)}needle${'y'.repeat(406)}` },
      { path: 'a', line: 2, snippet: 'needle' },
    ]);
  });

  test('is truncated only when there are more, and 70 long lines fit (B-05, B-10)', async () => {
    const world = await toolWorld();
    await world.write('a', `${'needle'.padEnd(600, 'x')}\n`.repeat(70));
    const find = async (max_results: number) => {
      const data = dataOf(
        await world.call('search_workspace_text', { query: 'needle', max_results }),
      );
      const { matches, truncated } = data;
      return [Array.isArray(matches) && matches.length, truncated];
    };
    expect(await find(70)).toEqual([70, false]);
    expect(await find(69)).toEqual([69, true]);
  });

  test.each(['', 'a\nb'])('the query %j is refused', async (query) => {
    const world = await toolWorld();
    expect(faultOf(await world.call('search_workspace_text', { query }))).toMatch(
      /^invalid_arguments/,
    );
  });

  test('a file that cannot be read is left out', async () => {
    const world = await toolWorld();
    await world.write('a', 'needle');
    await world.write('b', 'needle');
    await chmod(world.path('a'), 0);
    const data = dataOf(await world.call('search_workspace_text', { query: 'needle' }));
    expect(data['matches']).toContainEqual({ path: 'b', line: 1, snippet: 'needle' });
  });
});

async function paths(
  world: Awaited<ReturnType<typeof toolWorld>>,
  input: { root: string; glob?: string },
) {
  return dataOf(await world.call('list_workspace_files', input))['paths'];
}

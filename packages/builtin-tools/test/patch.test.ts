import { chmod, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { dataOf, faultOf, type ToolWorld, toolWorld } from './tool-world.ts';

describe('a patch', () => {
  test('changes, creates, deletes and renames in one step, also in new folders (B-15)', async () => {
    const world = await toolWorld();
    await world.write('a.txt', 'one\ntwo\nthree\n');
    await world.write('old.txt', 'moved\n');
    await world.write('gone.txt', 'gone\n');
    const result = await apply(
      world,
      `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/src/deep/new.txt b/src/deep/new.txt
new file mode 100755
--- /dev/null
+++ b/src/deep/new.txt
@@ -0,0 +1,2 @@
+new
+file
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/old.txt b/there/new name.txt
similarity index 100%
rename from old.txt
rename to there/new name.txt
`,
    );
    expect(dataOf(result)['changed_paths']).toEqual([
      'a.txt',
      'gone.txt',
      'old.txt',
      'src/deep/new.txt',
      'there/new name.txt',
    ]);
    expect(await files(world)).toEqual({
      'a.txt': 'one\n2\nthree\n',
      'src/deep/new.txt': 'new\nfile\n',
      'there/new name.txt': 'moved\n',
    });
    expect((await stat(world.path('src/deep/new.txt'))).mode & 0o100).toBe(0o100);
  });

  test('copies, and renames two files into each other', async () => {
    const world = await toolWorld();
    await world.write('a', 'A\n');
    await world.write('b', 'B\n');
    const result = await apply(
      world,
      `diff --git a/a b/c
copy from a
copy to c
diff --git a/a b/b
rename from a
rename to b
diff --git a/b b/a
rename from b
rename to a
`,
    );
    dataOf(result);
    expect(await files(world)).toEqual({ a: 'B\n', b: 'A\n', c: 'A\n' });
  });

  test('sets and clears the mark of a program', async () => {
    const world = await toolWorld();
    await world.write('a', 'x\n');
    await chmod(world.path('a'), 0o640);
    await apply(world, 'diff --git a/a b/a\nold mode 100644\nnew mode 100755\n');
    expect((await stat(world.path('a'))).mode & 0o777).toBe(0o750);
    await apply(world, 'diff --git a/a b/a\nold mode 100755\nnew mode 100644\n');
    expect((await stat(world.path('a'))).mode & 0o777).toBe(0o640);
  });

  test('a line of a hunk that looks like a header is a line (B-15)', async () => {
    const world = await toolWorld();
    await world.write('a', '-- x\n++ y\nend\n');
    const result = await apply(
      world,
      '--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n--- x\n+-- z\n ++ y\n end\n',
    );
    dataOf(result);
    expect(await files(world)).toEqual({ a: '-- z\n++ y\nend\n' });
  });

  test('times behind a tab, quotes and missing prefixes are understood (B-15)', async () => {
    const world = await toolWorld();
    await world.write('ä b', 'x\n');
    await world.write('c', 'x\n');
    await apply(
      world,
      '--- "a/\\303\\244 b"\t2020-01-01\n+++ "b/\\303\\244 b"\n@@ -1 +1 @@\n-x\n+y\n',
    );
    await apply(world, '--- c\t2020-01-01 00:00\n+++ c\t2020-01-02\n@@ -1 +1 @@\n-x\n+y\n');
    expect(await files(world)).toEqual({ 'ä b': 'y\n', c: 'y\n' });
  });

  test('carriage returns and a missing last line feed are kept to the byte', async () => {
    const world = await toolWorld();
    await world.write('crlf', 'one\r\ntwo\r\nlast');
    const result = await apply(
      world,
      '--- a/crlf\n+++ b/crlf\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n last\n\\ No newline at end of file\n',
    );
    dataOf(result);
    expect(await files(world)).toEqual({ crlf: 'one\r\n2\r\nlast' });
  });

  test('a patch without carriage returns fits a file that has them on every line', async () => {
    const world = await toolWorld();
    await world.write('crlf', 'one\r\ntwo\r\n');
    dataOf(await apply(world, '--- a/crlf\n+++ b/crlf\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n'));
    expect(await files(world)).toEqual({ crlf: 'one\r\n2\r\n' });
  });

  test('bytes that are no UTF-8 stay as they are', async () => {
    const world = await toolWorld();
    await world.write('a', Buffer.from([0xff, 0x0a, 0x78, 0x0a]));
    dataOf(await apply(world, '--- a/a\n+++ b/a\n@@ -2 +2 @@\n-x\n+y\n'));
    expect(await readFile(world.path('a'))).toEqual(Buffer.from([0xff, 0x0a, 0x79, 0x0a]));
  });

  test('lines that have moved are found at the nearest place', async () => {
    const world = await toolWorld();
    await world.write('a', `${'x\n'.repeat(50)}one\ntwo\nthree\n${'x\n'.repeat(10)}`);
    dataOf(await apply(world, '--- a/a\n+++ b/a\n@@ -20,3 +20,3 @@\n one\n-two\n+2\n three\n'));
    expect((await files(world))['a']).toBe(`${'x\n'.repeat(50)}one\n2\nthree\n${'x\n'.repeat(10)}`);
  });

  test('the same patch twice is a conflict, and changes nothing', async () => {
    const world = await toolWorld();
    await world.write('a', 'one\n');
    const patch = '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n';
    dataOf(await apply(world, patch));
    const again = await apply(world, patch);
    expect(faultOf(again)).toBe('conflict patch_does_not_apply');
    expect(again.text).toContain('beginning with "one"');
    expect(await files(world)).toEqual({ a: 'two\n' });
  });

  test('a patch of which one file does not fit changes none', async () => {
    const world = await toolWorld();
    await world.write('a', 'one\n');
    await world.write('b', 'one\n');
    const result = await apply(
      world,
      '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-other\n+two\n',
    );
    expect(faultOf(result)).toBe('conflict patch_does_not_apply');
    expect(await files(world)).toEqual({ a: 'one\n', b: 'one\n' });
  });

  test('files before one that cannot be written are put back', async () => {
    let effects = 0;
    const world = await toolWorld({
      onEffect(phase) {
        if (phase !== 'before-effect' || ++effects !== 2) return;
        throw Object.assign(new Error('full'), { code: 'ENOSPC', errno: -28 });
      },
    });
    await world.write('a', 'one\n');
    await world.write('b', 'one\n');
    const patch = ['a', 'b']
      .map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-one\n+two\n`)
      .join('');
    expect(await apply(world, patch)).toMatchObject({
      kind: 'failed',
      code: 'io_error',
      certainty: 'rolled_back',
      text: 'io: b cannot be written: the disk is full. The files before it were put back.',
    });
    expect(await files(world)).toEqual({ a: 'one\n', b: 'one\n' });
  });

  test('an interrupted patch happened, did not, or nobody knows', async () => {
    let effects = 0;
    let last = 1;
    const world = await toolWorld({
      onEffect(phase) {
        if (phase === 'after-effect' && ++effects === last) throw new Error('crash');
      },
    });
    const patch = ['a', 'b']
      .map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-one\n+two\n`)
      .join('');
    const kinds: string[] = [];
    for (last of [1, 2]) {
      effects = 0;
      await world.write('a', 'one\n');
      await world.write('b', 'one\n');
      const prepared = await world.prepare('apply_workspace_patch', { patch });
      if (prepared.kind === 'refused') throw new Error(prepared.message);
      await expect(world.run(prepared)).rejects.toThrow('crash');
      kinds.push((await world.reconcile('apply_workspace_patch', { patch }, prepared)).kind);
      await prepared.dispose?.();
      if (last === 1) {
        await world.write('a', 'one\n');
        const { kind } = await world.reconcile('apply_workspace_patch', { patch }, prepared);
        kinds.push(kind);
      }
    }
    expect(kinds).toEqual(['unknown', 'not-happened', 'happened']);
  });
});

test('a hunk of any length is applied', async () => {
  const world = await toolWorld();
  const lines = Array.from({ length: 25_000 }, (_, index) => `line ${index}\n`);
  await world.write('a', 'begin\nend\n');
  const added = lines.map((line) => `+${line}`).join('');
  dataOf(await apply(world, `--- a/a\n+++ b/a\n@@ -1,2 +1,25002 @@\n begin\n${added} end\n`));
  expect((await files(world))['a']).toBe(`begin\n${lines.join('')}end\n`);
});

describe('a hostile patch', () => {
  const HUNK = '@@ -0,0 +1 @@\n+x\n';

  test.each([
    ['../outside', 'policy_denied parent'],
    ['/etc/passwd', 'policy_denied absolute'],
    ['.git/config', 'policy_denied git_folder'],
    ['sub/.GIT/hooks/x', 'policy_denied git_folder'],
    ['C:/x', 'policy_denied colon'],
    ['a//b', 'policy_denied empty_part'],
    ['CON', 'policy_denied device_name'],
    ['link/x', 'policy_denied outside'],
    ['link', 'policy_denied outside'],
    ['dangling', 'policy_denied dangling_link'],
  ])('may not write %s (B-17)', async (path, fault) => {
    const world = await toolWorld();
    await symlink('../..', world.path('link'));
    await symlink('nothing', world.path('dangling'));
    expect(faultOf(await apply(world, `--- /dev/null\n+++ b/${path}\n${HUNK}`))).toBe(fault);
    const renaming = `diff --git a/a b/${path}\nrename from a\nrename to ${path}\n`;
    await world.write('a', 'x\n');
    expect(faultOf(await apply(world, renaming))).toBe(fault);
    expect(await readdir(world.folder)).toEqual(['workspace']);
  });

  test.each([
    ['', 'names no file'],
    ['--- ', 'names no file'],
    ['--- a/a\n', 'names no file'],
    ['--- \n+++ \n@@ -1 +1 @@\n-x\n+y\n', 'a path is missing'],
    ['--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-x\n+y\n', 'names no file'],
    ['--- a/a\n+++ b/a\n', 'has no hunks'],
    ['--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n+y\n', 'lacks 1 old and 1 new lines'],
    ['--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n+z\n', 'more lines than its header counts'],
    ['--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n-y\n', 'counts fewer such lines'],
    ['--- a/a\n+++ b/a\n@@ -1 +1 @@\n x\n', 'changes nothing'],
    ['--- a/a\n+++ b/a\n@@ wrong @@\n-x\n', 'begins with "@@'],
    ['--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n', 'renamed with'],
    ['diff --git a/a b/a\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n', 'different files'],
    [
      'diff --git a/a b/c\nrename from a\nrename to c\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n',
      'different files',
    ],
    ['diff --git a/a b/a\nnew file mode 120000\n', 'no links or modules'],
    ['diff --git a/a b/a\nnew file mode 160000\n', 'no links or modules'],
    ['diff --git a/a b/a\nindex 1..2\nGIT binary patch\nliteral 1\n', 'binary'],
    ['diff --git a/a b/a\nBinary files a/a and b/a differ\n', 'binary'],
    ['--- "a/\\377"\n+++ "b/\\377"\n@@ -1 +1 @@\n-x\n+y\n', 'no UTF-8'],
  ])('%j is malformed', async (patch, fault) => {
    const world = await toolWorld();
    await world.write('a', 'x\n');
    const result = await apply(world, patch);
    expect(faultOf(result)).toBe('invalid_arguments malformed_patch');
    expect(result.text).toContain(fault);
    expect(await files(world)).toEqual({ a: 'x\n' });
  });

  test('a header whose names have no end is refused at once', async () => {
    const world = await toolWorld();
    const result = await apply(world, `diff --git ${'a '.repeat(200_000)}\n`);
    expect(result.text).toContain('longer than paths can be');
  });

  test.each([
    ['--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n', 'exists already'],
    ['--- a/missing\n+++ b/missing\n@@ -1 +1 @@\n-x\n+y\n', 'does not exist'],
    ['--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n', 'has lines that the patch does not name'],
    ['--- a/a\n+++ b/a\n@@ -1,0 +2 @@\n+z\n', 'are not in a'],
    ['diff --git a/a b/b\nrename from a\nrename to b\n', 'exists already'],
  ])('%j does not fit', async (patch, fault) => {
    const world = await toolWorld();
    await world.write('a', 'x\nrest\nend\n');
    await world.write('b', 'b\n');
    const result = await apply(world, patch);
    expect(faultOf(result)).toBe('conflict patch_does_not_apply');
    expect(result.text).toContain(fault);
    expect(await files(world)).toEqual({ a: 'x\nrest\nend\n', b: 'b\n' });
  });
});

function apply(world: ToolWorld, patch: string) {
  return world.call('apply_workspace_patch', { patch });
}

async function files(world: ToolWorld): Promise<Record<string, string>> {
  const entries = await readdir(world.workspace, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .toSorted();
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [
        name.slice(world.workspace.length + 1),
        await readFile(name, 'utf8'),
      ]),
    ),
  );
}

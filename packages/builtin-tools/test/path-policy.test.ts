import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createPathPolicy,
  type PathPolicy,
  pathRuleOf,
} from '@millforge/builtin-tools/path-policy';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from './tool-world.ts';

describe('the text of a path', () => {
  const policy = createPathPolicy();

  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    [7, 'empty'],
    ['a\0b', 'nul'],
    ['a\\b', 'backslash'],
    ['\\\\.\\NUL', 'backslash'],
    ['C:/x', 'colon'],
    ['f:ads', 'colon'],
    ['/x', 'absolute'],
    ['//s/x', 'absolute'],
    ['//?/x', 'absolute'],
    ['~', 'home'],
    ['~root/x', 'home'],
    ['../x', 'parent'],
    ['a/../b', 'parent'],
    ['a\nb', 'control_character'],
    ['a\u007f', 'control_character'],
    ['a\u0085b', 'control_character'],
    ['\ud800', 'control_character'],
    ['a//b', 'empty_part'],
    ['a/', 'empty_part'],
    ['x'.repeat(256), 'too_long'],
    ['é'.repeat(128), 'too_long'],
    [`${'x'.repeat(250)}/`.repeat(17).slice(0, -1), 'too_long'],
  ])('%j is refused by rule %s', (path, rule) => {
    expect(ruleOf(() => policy.checkRead(path))).toBe(rule);
  });

  test.each(['.', './a', 'a/./b', 'a/.'])('%s is refused for its part "." (B-26)', (path) => {
    expect(ruleOf(() => policy.checkRead(path))).toBe('dot');
  });

  test('the workspace itself is "." where it may be named', () => {
    expect(policy.checkRead('.', { allowDot: true })).toEqual({ text: '', parts: [] });
    expect(ruleOf(() => policy.checkRead('./a', { allowDot: true }))).toBe('dot');
  });

  const DEVICES = ['CON', 'PRN', 'AUX', 'NUL', 'CONIN$', 'CONOUT$'].concat(
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => [`COM${digit}`, `LPT${digit}`]),
    ['COM¹', 'lpt³'],
  );

  test.each(DEVICES)('the device name %s is refused with any case, ending and folder', (name) => {
    for (const path of [
      name,
      name.toLowerCase(),
      `${name}.txt`,
      `a/${name}.tar.gz`,
      `${name} ./b`,
    ]) {
      expect(ruleOf(() => policy.checkRead(path))).toBe('device_name');
    }
  });

  test.each(['COM10.txt', 'com0', 'console', 'a/..b', '...', 'a b/ü', 'nulls'])(
    '%s is an ordinary path',
    (path) => {
      expect(policy.checkRead(path).text).toBe(path);
    },
  );

  test.each([
    '.git/config',
    '.GIT/config',
    'a/.git',
    '.git ./x',
    'GIT~1/config',
    '.g\u200cit/hooks/x',
    '．git/x',
  ])('%s is refused for writing as version control (B-17)', (path) => {
    expect(ruleOf(() => policy.checkWrite(path))).toBe('git_folder');
    expect(policy.checkRead(path).text).toBe(path);
  });

  test('.gitignore and names that only begin like it are written', () => {
    for (const path of ['.gitignore', '.github/a', 'a.git', 'git']) {
      expect(policy.checkWrite(path).text).toBe(path);
    }
  });

  test('paths that the operator lists are refused with all below them', () => {
    const listing = createPathPolicy({ protectedPaths: ['.env', 'ci/secrets'] });
    expect(ruleOf(() => listing.checkWrite('.env'))).toBe('protected');
    expect(ruleOf(() => listing.checkWrite('ci/secrets/a/b'))).toBe('protected');
    expect(listing.checkWrite('ci/secret').text).toBe('ci/secret');
    expect(listing.checkWrite('.env.example').text).toBe('.env.example');
  });

  test('an injected comparison tells the names of a file system that folds them', () => {
    const folding = createPathPolicy({
      protectedPaths: ['Ci/Ä.txt'],
      foldName: (name) => name.normalize('NFC').toLowerCase(),
    });
    for (const path of ['ci/ä.txt', 'CI/A\u0308.TXT', 'ci/a\u0308.txt']) {
      expect(ruleOf(() => folding.checkWrite(path))).toBe('protected');
    }
    const exact = createPathPolicy({ protectedPaths: ['Ci'], foldName: (name) => name });
    expect(exact.checkWrite('ci').text).toBe('ci');
  });
});

describe('links', () => {
  test('a link is followed inside the workspace, and never out of it', async () => {
    const { policy, root, folder } = await place();
    await mkdir(join(root, 'a/b'), { recursive: true });
    await writeFile(join(root, 'a/file'), 'inside');
    await writeFile(join(folder, 'outside'), 'canary');
    await symlink('../file', join(root, 'a/b/up'));
    await symlink(join(root, 'a'), join(root, 'absolute'));
    await symlink('../outside', join(root, 'out'));
    await symlink(join(folder, 'outside'), join(root, 'absolute-out'));
    await symlink('..', join(root, 'parent'));
    await symlink('a/../../outside', join(root, 'winding'));
    expect(await read(policy, root, 'a/b/up')).toBe('inside');
    expect(await read(policy, root, 'absolute/file')).toBe('inside');
    expect(await read(policy, root, 'absolute/b/up')).toBe('inside');
    for (const path of ['out', 'absolute-out', 'parent/outside', 'winding']) {
      expect(await rejected(read(policy, root, path))).toBe('outside');
      expect(await rejected(writing(policy, root, path))).toBe('outside');
    }
  });

  test('a folder beside the workspace whose name begins like it is outside', async () => {
    const { policy, root, folder } = await place();
    await mkdir(join(folder, 'root-b'));
    await writeFile(join(folder, 'root-b/x'), 'canary');
    await symlink(join(folder, 'root-b'), join(root, 'near'));
    expect(await rejected(read(policy, root, 'near/x'))).toBe('outside');
  });

  test('a link to nothing is not found for reading and refused for writing', async () => {
    const { policy, root } = await place();
    await symlink('missing', join(root, 'dangling'));
    expect(await rejected(read(policy, root, 'dangling'))).toBe('not_found');
    expect(await rejected(writing(policy, root, 'dangling'))).toBe('dangling_link');
  });

  test('links that lead in a circle end', async () => {
    const { policy, root } = await place();
    await symlink('b', join(root, 'a'));
    await symlink('a', join(root, 'b'));
    expect(await rejected(read(policy, root, 'a'))).toBe('link_loop');
  });

  test('a link to a protected place does not open it for writing (B-17)', async () => {
    const { policy, root } = await place({ protectedPaths: ['keep'] });
    await mkdir(join(root, '.git'));
    await mkdir(join(root, 'keep'));
    await writeFile(join(root, '.git/config'), 'original');
    await symlink('.git', join(root, 'plain'));
    await symlink('.git/config', join(root, 'file'));
    await symlink('keep', join(root, 'other'));
    expect(await rejected(writing(policy, root, 'plain/config'))).toBe('git_folder');
    expect(await rejected(writing(policy, root, 'file'))).toBe('git_folder');
    expect(await rejected(writing(policy, root, 'other/new'))).toBe('protected');
    expect(await readFile(join(root, '.git/config'), 'utf8')).toBe('original');
  });

  test('replacing a hard link leaves the file behind its other names alone', async () => {
    const { policy, root, folder } = await place();
    await writeFile(join(folder, 'outside'), 'canary');
    await link(join(folder, 'outside'), join(root, 'linked'));
    await writing(policy, root, 'linked');
    expect(await readFile(join(root, 'linked'), 'utf8')).toBe('written');
    expect(await readFile(join(folder, 'outside'), 'utf8')).toBe('canary');
  });

  test('the operator may refuse to read files with further names', async () => {
    const { policy, root, folder } = await place({ hardLinks: 'refuse' });
    await writeFile(join(folder, 'outside'), 'canary');
    await link(join(folder, 'outside'), join(root, 'linked'));
    expect(await rejected(read(policy, root, 'linked'))).toBe('hard_link');
  });
});

test('a deep path of long names is read and written', async () => {
  const { policy, root } = await place();
  const folder = Array(19).fill('d'.repeat(200)).join('/');
  await mkdir(join(root, folder), { recursive: true });
  const path = `${folder}/${'f'.repeat(255)}`.slice(0, 3900);
  await writeFile(join(root, path), 'deep');
  expect(await read(policy, root, path)).toBe('deep');
  await writing(policy, root, path);
  expect(await read(policy, root, path)).toBe('written');
});

test('a workspace that is missing or a file is refused by name', async () => {
  const { policy, root } = await place();
  await writeFile(join(root, 'file'), '');
  for (const path of [null, join(root, 'missing'), join(root, 'file')]) {
    expect(await rejected(policy.openWorkspace(path))).toBe('workspace');
  }
});

test('no refusal names a path of the host', async () => {
  const { policy, root, folder } = await place();
  await symlink(join(folder, 'outside'), join(root, 'out'));
  await mkdir(join(root, 'a'));
  for (const path of ['out', 'missing/x', 'a', 'a/b/c']) {
    const error = await read(policy, root, path).then(
      () => null,
      (fault: unknown) => fault,
    );
    expect(String(error)).not.toContain(folder);
  }
});

async function place(options: Parameters<typeof createPathPolicy>[0] = {}) {
  const folder = await temporaryFolder();
  const root = join(folder, 'root');
  await mkdir(root);
  return { policy: createPathPolicy(options), folder, root };
}

async function read(policy: PathPolicy, root: string, path: string): Promise<string> {
  await using workspace = await policy.openWorkspace(root);
  const { bytes } = await workspace.readFile(policy.checkRead(path));
  return bytes.toString();
}

async function writing(policy: PathPolicy, root: string, path: string): Promise<void> {
  await using workspace = await policy.openWorkspace(root);
  const target = await workspace.readTarget(policy.checkWrite(path));
  await workspace.writeTarget(target, {
    bytes: Buffer.from('written'),
    mode: null,
    key: 'key',
    signal: new AbortController().signal,
  });
}

function ruleOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return pathRuleOf(error);
  }
}

async function rejected(promise: Promise<unknown>): Promise<string | null> {
  return promise.then(
    () => null,
    (error: unknown) => pathRuleOf(error),
  );
}

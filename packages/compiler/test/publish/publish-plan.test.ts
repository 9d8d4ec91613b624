import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileHarness, planFileName } from '@millforge/compiler';
import { type PublishFiles, publishPlan, systemFiles } from '@millforge/compiler/publish';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFixture } from '../support/fixtures.ts';

const { source, input } = readFixture('review');
const result = compileHarness(source, input);
if (!result.ok) throw new Error('not compiled');
const { bytes, plan, sha256 } = result;
const fileName = planFileName(plan);

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millforge-publish-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

function failing(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error('/secret/path'), { code }));
}

/** The file system of this machine, but writing to a new file fails. */
function failingHandle(method: 'writeFile' | 'sync', code: string): PublishFiles {
  const open: PublishFiles['open'] = async (path, flags, mode) => {
    const handle = await systemFiles.open(path, flags, mode);
    if (mode !== undefined) handle[method] = failing(code);
    return handle;
  };
  return { ...systemFiles, open };
}

test('writes the exact bytes under the name of the plan, for its owner only', async () => {
  expect(await publishPlan({ directory, bytes })).toEqual({
    kind: 'published',
    fileName,
    sha256,
    reused: false,
  });
  expect(await readdir(directory)).toEqual([fileName]);
  expect(new Uint8Array(await readFile(join(directory, fileName)))).toEqual(bytes);
  expect((await lstat(join(directory, fileName))).mode & 0o777).toBe(0o600);
});

test('reuses an equal file', async () => {
  await publishPlan({ directory, bytes });
  const before = await lstat(join(directory, fileName));
  expect(await publishPlan({ directory, bytes })).toMatchObject({
    kind: 'published',
    reused: true,
  });
  expect((await lstat(join(directory, fileName))).ino).toBe(before.ino);
});

test('leaves one file and no other when many publish the same plan at once', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 24 }, () => publishPlan({ directory, bytes })),
  );
  expect(outcomes.every((outcome) => outcome.kind === 'published')).toBe(true);
  expect(
    outcomes.filter((outcome) => outcome.kind === 'published' && !outcome.reused),
  ).toHaveLength(1);
  expect(await readdir(directory)).toEqual([fileName]);
});

test.each<[string, (path: string) => Promise<unknown>]>([
  ['a file with other bytes', (path) => writeFile(path, 'other')],
  ['a longer file', (path) => writeFile(path, new Uint8Array([...bytes, 10]))],
  ['an empty file', (path) => writeFile(path, '')],
  ['a directory', (path) => mkdir(path)],
  ['a link to nowhere', (path) => symlink('/nowhere', path)],
])('does not touch %s that stands under the name', async (_, make) => {
  const path = join(directory, fileName);
  await make(path);
  const before = await lstat(path);
  expect(await publishPlan({ directory, bytes })).toEqual({
    kind: 'conflict',
    fileName,
    sha256,
    leftover: null,
  });
  const after = await lstat(path);
  expect([after.ino, after.mode, after.size, after.mtimeMs]).toEqual([
    before.ino,
    before.mode,
    before.size,
    before.mtimeMs,
  ]);
  expect(await readdir(directory)).toEqual([fileName]);
});

test('keeps plans of one harness version apart', async () => {
  const other = compileHarness(source, {
    ...input,
    identity: { ...input.identity, build_id: 'other' },
  });
  if (!other.ok) throw new Error('not compiled');
  await publishPlan({ directory, bytes });
  expect(await publishPlan({ directory, bytes: other.bytes })).toMatchObject({ reused: false });
  expect(await readdir(directory)).toHaveLength(2);
});

test('refuses bytes that are no plan, and touches nothing', async () => {
  const broken = new TextEncoder().encode(
    new TextDecoder().decode(bytes).replace('"review"', '"x"'),
  );
  const outcome = await publishPlan({ directory: '/nowhere', bytes: broken });
  expect(outcome).toMatchObject({
    kind: 'rejected',
    problems: [expect.stringContaining('digest')],
  });
});

test('does not create the directory, and does not follow a link to one', async () => {
  const link = join(directory, 'link');
  await symlink(directory, link);
  expect(await publishPlan({ directory: join(directory, 'none'), bytes })).toMatchObject({
    kind: 'not_written',
    errorCode: 'ENOENT',
  });
  expect(await publishPlan({ directory: link, bytes })).toMatchObject({ kind: 'not_written' });
  expect(await readdir(directory)).toEqual(['link']);
});

test('leaves nothing in a directory it may not write to', async () => {
  await chmod(directory, 0o500);
  // The owner of everything may write to any directory but those of the kernel.
  const closed = process.getuid?.() === 0 ? '/proc' : directory;
  expect(await publishPlan({ directory: closed, bytes })).toMatchObject({
    kind: 'not_written',
    errorCode: expect.stringMatching(/^(?:EACCES|EROFS|ENOENT|EPERM)$/),
    leftover: null,
  });
  await chmod(directory, 0o700);
  expect((await readdir(closed)).filter((name) => name.startsWith('.millforge'))).toEqual([]);
});

test.each<[string, PublishFiles, string]>([
  ['the disk is full', failingHandle('writeFile', 'ENOSPC'), 'ENOSPC'],
  ['the disk fails while syncing', failingHandle('sync', 'EIO'), 'EIO'],
  ['the file system has no hard links', { ...systemFiles, link: failing('EPERM') }, 'EPERM'],
])('leaves nothing when %s', async (_, files, errorCode) => {
  const outcome = await publishPlan({ directory, bytes }, files);
  expect(outcome).toMatchObject({ kind: 'not_written', errorCode, leftover: null });
  expect(JSON.stringify(outcome)).not.toContain('/secret/path');
  expect(await readdir(directory)).toEqual([]);
});

test('names a temporary file that it could not remove', async () => {
  const outcome = await publishPlan(
    { directory, bytes },
    { ...systemFiles, unlink: failing('EIO') },
  );
  const left = (await readdir(directory)).filter((name) => name !== fileName);
  expect(outcome).toEqual({
    kind: 'publish_unsure',
    fileName,
    sha256,
    errorCode: null,
    leftover: { fileName: left[0], errorCode: 'EIO' },
  });
  expect(left).toHaveLength(1);
});

test('leaves a temporary file of another writer alone', async () => {
  await publishPlan({ directory, bytes }, { ...systemFiles, unlink: failing('EIO') });
  const foreign = await readdir(directory);
  await rm(join(directory, fileName));
  expect(await publishPlan({ directory, bytes })).toMatchObject({ kind: 'published' });
  expect((await readdir(directory)).toSorted()).toEqual(foreign.toSorted());
});

test('is unsure when the directory cannot be synced', async () => {
  const open: PublishFiles['open'] = async (path, flags, mode) => {
    const handle = await systemFiles.open(path, flags, mode);
    if (path === directory) handle.sync = failing('EIO');
    return handle;
  };
  expect(await publishPlan({ directory, bytes }, { ...systemFiles, open })).toEqual({
    kind: 'publish_unsure',
    fileName,
    sha256,
    errorCode: 'EIO',
    leftover: null,
  });
});

test('refuses a directory that was exchanged after it was opened', async () => {
  const aside = `${directory}-aside`;
  const target = `${directory}-target`;
  await mkdir(target);
  const lstatAfterSwap: PublishFiles = {
    ...systemFiles,
    open: async (path, flags, mode) => {
      const handle = await systemFiles.open(path, flags, mode);
      await rename(directory, aside);
      await symlink(target, directory);
      return handle;
    },
  };
  const outcome = await publishPlan({ directory, bytes }, lstatAfterSwap);
  expect(outcome).toMatchObject({ kind: 'not_written', errorCode: 'ESTALE' });
  expect(await readdir(target)).toEqual([]);
  expect(await readdir(aside)).toEqual([]);
  await rm(directory);
  await rename(aside, directory);
  await rm(target, { recursive: true });
});

test('is not misled by bytes that change while it waits', async () => {
  const copy = bytes.slice();
  const publishing = publishPlan({ directory, bytes: copy });
  copy.fill(0);
  expect(await publishing).toMatchObject({ kind: 'published' });
  expect(new Uint8Array(await readFile(join(directory, fileName)))).toEqual(bytes);
});

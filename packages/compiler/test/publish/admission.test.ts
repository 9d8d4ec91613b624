import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import {
  compileFile,
  type PublishFiles,
  systemFiles,
  toCompileResultJson,
} from '@millforge/compiler/publish';
import { expect, test } from 'vitest';
import { filesIn, type LaidOut, layOut } from '../support/disk.ts';

async function findingsOf({ request, input, output }: LaidOut, changes = {}, fs = systemFiles) {
  const outcome = await compileFile({ ...request, ...changes }, { ...input, fs });
  expect(outcome.kind).toBe('rejected');
  expect(toCompileResultJson(outcome)).toMatchObject({
    source_sha256: null,
    request_identity_sha256: null,
    harness_id: null,
  });
  const left = await filesIn(output).catch(() => new Map());
  expect([...left.keys()]).toEqual([]);
  return outcome.diagnostics.map(({ code, message, fields }) => [
    code,
    message,
    ...(fields ?? []).map(({ key, value }) => `${key}=${String(value)}`),
  ]);
}

const { ENOENT, ENOTDIR, EACCES, EIO } = constants.errno;

test('both roots missing are two findings, output first', async () => {
  const lay = await layOut();
  const changes = { source_root: join(lay.folder, 'no'), output_root: join(lay.folder, 'no') };
  expect(await findingsOf(lay, changes)).toEqual([
    ['MF-S016', 'output_root must be an existing directory.', `errno=${ENOENT}`],
    ['MF-S013', 'source_root must be an existing directory.', `errno=${ENOENT}`],
  ]);
});

test('every finding about paths is collected, in its order', async () => {
  const lay = await layOut();
  const changes = { source_path: '../x', output_dir: 'no', source_root: join(lay.folder, 'no') };
  expect((await findingsOf(lay, changes)).map(([code]) => code)).toEqual([
    'MF-S001',
    'MF-S017',
    'MF-S013',
  ]);
});

test.each(['', '/', '/.', '//'])(
  'a root that is a link is refused, also as link%s',
  async (end) => {
    const lay = await layOut();
    const link = join(lay.folder, 'link');
    await symlink(lay.folder, link);
    expect(await findingsOf(lay, { source_root: link + end, output_root: link + end })).toEqual([
      ['MF-S016', 'output_root must be a directory.'],
      ['MF-S013', 'source_root must be a directory.'],
    ]);
  },
);

test('a root that is a file is refused', async () => {
  const lay = await layOut();
  expect(await findingsOf(lay, { source_root: lay.source, output_root: lay.source })).toEqual([
    ['MF-S016', 'output_root must be a directory.'],
    ['MF-S013', 'source_root must be a directory.'],
  ]);
});

test('a root below a link is the one that the link leads to', async () => {
  const lay = await layOut();
  await symlink(lay.folder, join(lay.folder, 'link'));
  const { request, input } = lay;
  const source_root = join(lay.folder, 'link', 'src');
  expect((await compileFile({ ...request, source_root }, input)).kind).toBe('published');
});

test.each<[string, (lay: LaidOut, at: string) => Promise<unknown>, (string | undefined)[]]>([
  [
    'missing',
    async () => {},
    ['MF-S017', 'Output directory must already exist.', `errno=${ENOENT}`],
  ],
  [
    'a file',
    (_, at) => writeFile(at, ''),
    ['MF-S017', 'Output directory must be a directory.', 'output_dir=there'],
  ],
  [
    'a link to a directory inside',
    (lay, at) => symlink(lay.output, at),
    ['MF-S017', 'Output directory must be a directory.', 'output_dir=there'],
  ],
  [
    'a link that leads nowhere',
    (_, at) => symlink('/there/is/no/such', at),
    ['MF-S017', 'Output directory could not be admitted.', `errno=${ENOENT}`],
  ],
  [
    'a link that leads out',
    (lay, at) => symlink(lay.folder, at),
    ['MF-S002', 'Output directory must stay within output_root.'],
  ],
])('an output directory that is %s is refused', async (_, make, finding) => {
  const lay = await layOut();
  await make(lay, join(lay.request.output_root, 'there'));
  expect(await findingsOf(lay, { output_dir: 'there' })).toEqual([finding]);
});

test('an output directory behind a link is admitted only where the link stays inside', async () => {
  const lay = await layOut();
  await mkdir(join(lay.folder, 'outside', 'deep'), { recursive: true });
  await symlink(join(lay.folder, 'outside'), join(lay.request.output_root, 'out'));
  await symlink('.', join(lay.request.output_root, 'in'));
  expect(await findingsOf(lay, { output_dir: 'out/deep' })).toEqual([
    ['MF-S002', expect.any(String)],
  ]);
  const inside = await compileFile({ ...lay.request, output_dir: 'in/compiled' }, lay.input);
  expect(inside).toMatchObject({
    kind: 'published',
    planPath: expect.stringMatching(/^in\/compiled\//),
  });
});

test.each<[string, (lay: LaidOut) => Promise<unknown>, (string | undefined)[]]>([
  [
    'missing',
    (lay) => rm(lay.source),
    ['MF-S013', 'Source file does not exist.', `errno=${ENOENT}`],
  ],
  ['a directory', (lay) => mkdir(lay.source), ['MF-S014', 'Source path must be a regular file.']],
  [
    'a pipe',
    async (lay) => execFileSync('mkfifo', [lay.source]),
    ['MF-S014', 'Source path must be a regular file.'],
  ],
  [
    'a link that stays inside',
    async (lay) => {
      await writeFile(join(lay.request.source_root, 'real.yaml'), '');
      await symlink('../real.yaml', lay.source);
    },
    ['MF-S014', 'Source path must be a regular file.'],
  ],
  [
    'a link to nowhere',
    (lay) => symlink('none.yaml', lay.source),
    ['MF-S014', 'Source path must be a regular file.'],
  ],
  [
    'a link that leads out',
    (lay) => symlink('/etc/hostname', lay.source),
    ['MF-S001', 'Source path must stay within source_root.'],
  ],
])('a source that is %s is refused', async (_, make, finding) => {
  const lay = await layOut();
  await rm(lay.source, { force: true });
  await make(lay).catch(() => {});
  expect(await findingsOf(lay)).toEqual([finding]);
});

test('a source below a file does not exist', async () => {
  const lay = await layOut();
  const changes = { source_path: 'harnesses/ticket-review.yaml/x' };
  expect(await findingsOf(lay, changes)).toEqual([
    ['MF-S013', 'Source file does not exist.', `errno=${ENOTDIR}`],
  ]);
});

test('a source behind a link that leads out is refused', async () => {
  const lay = await layOut();
  await symlink('/etc', join(lay.request.source_root, 'etc'));
  expect(await findingsOf(lay, { source_path: 'etc/hostname' })).toEqual([
    ['MF-S001', expect.any(String)],
  ]);
  expect(await findingsOf(lay, { source_path: 'etc/no-such-file' })).toEqual([
    ['MF-S001', expect.any(String)],
  ]);
});

test('a source of 1 MiB is read, and of one byte more refused without reading the rest', async () => {
  const lay = await layOut();
  await truncate(lay.source, 2 ** 40).catch(() => truncate(lay.source, 2 ** 30));
  expect(await findingsOf(lay)).toEqual([
    ['MF-S003', 'Source file exceeds the maximum size.', 'source_size=1048577'],
  ]);
  await truncate(lay.source, 2 ** 20);
  // What follows the text are zeros, which no document may hold.
  expect(await findingsOf(lay)).toEqual([['MF-S011', expect.any(String)]]);
});

/** The file system of this machine, with something done behind the back of who opens the source. */
function meddling(
  lay: LaidOut,
  moment: 'before' | 'after',
  act: () => Promise<unknown>,
): PublishFiles {
  return {
    ...systemFiles,
    async open(path, flags, mode) {
      if (path !== lay.source) return systemFiles.open(path, flags, mode);
      if (moment === 'before') await act();
      const handle = await systemFiles.open(path, flags, mode);
      if (moment === 'after') await act();
      return handle;
    },
  };
}

test.each<[string, 'before' | 'after', (lay: LaidOut) => Promise<unknown>]>([
  ['written to before it is opened', 'before', (lay) => writeFile(lay.source, 'a: 1\n')],
  ['written to while it is read', 'after', (lay) => writeFile(lay.source, 'a: 1\n')],
  [
    'exchanged for another file',
    'after',
    async (lay) => {
      await writeFile(`${lay.source}.new`, 'a: 1\n');
      await rename(`${lay.source}.new`, lay.source);
    },
  ],
  [
    'exchanged for a link',
    'before',
    async (lay) => {
      await rename(lay.source, `${lay.source}.old`);
      await symlink(`${lay.source}.old`, lay.source);
    },
  ],
  ['removed', 'before', (lay) => rm(lay.source)],
  ['touched by a nanosecond', 'after', (lay) => utimes(lay.source, 0, 0.000001)],
])('a source that is %s has changed', async (_, moment, act) => {
  const lay = await layOut();
  const fs = meddling(lay, moment, () => act(lay));
  expect(await findingsOf(lay, {}, fs)).toEqual([
    ['MF-S015', 'Source file changed during admission.'],
  ]);
});

test.each([
  ['opened', EACCES, 'EACCES'],
  ['read', EIO, 'EIO'],
] as const)('a source that cannot be %s is unreadable', async (operation, errno, code) => {
  const lay = await layOut();
  const fault = Object.assign(new Error('/secret/path'), { code });
  const fs: PublishFiles = {
    ...systemFiles,
    async open(path, flags, mode) {
      if (operation === 'opened' && path === lay.source) throw fault;
      const handle = await systemFiles.open(path, flags, mode);
      if (path === lay.source) handle.read = () => Promise.reject(fault);
      return handle;
    },
  };
  expect(await findingsOf(lay, {}, fs)).toEqual([
    ['MF-S013', 'Source file could not be read.', `errno=${errno}`],
  ]);
});

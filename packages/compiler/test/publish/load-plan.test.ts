import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileHarness, planFileName } from '@millforge/compiler';
import { loadPlan, publishPlan } from '@millforge/compiler/publish';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFixture } from '../support/fixtures.ts';

const { source, input } = readFixture('review');
const result = compileHarness(source, input);
if (!result.ok) throw new Error('not compiled');
const { bytes, plan, sha256 } = result;

let directory = '';
let path = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millforge-load-'));
  await publishPlan({ directory, bytes });
  path = join(directory, planFileName(plan));
});

afterAll(() => rm(directory, { recursive: true }));

test('loads what was published, with nothing else at hand', async () => {
  const expected = { sha256, harnessId: 'docs.review', harnessVersion: 1 };
  expect(await loadPlan(path, expected)).toEqual({ ok: true, plan, sha256 });
});

test('refuses a plan that is not the one expected', async () => {
  const expected = { sha256: 'a'.repeat(64), harnessId: 'other', harnessVersion: 2 };
  const loaded = await loadPlan(path, expected);
  expect(loaded).toMatchObject({ ok: false, computedSha256: sha256 });
  expect(loaded.ok ? [] : loaded.problems).toHaveLength(3);
});

test.each<[string, (at: string) => unknown, string]>([
  ['a file that does not exist', () => null, 'The plan file does not exist.'],
  ['a directory', (at) => mkdir(at), 'The plan file is not a regular file.'],
  [
    'a link',
    (at) => symlink(path, at),
    'The plan file is a symbolic link; give the path of the file itself.',
  ],
  [
    'a pipe, without waiting for it',
    (at) => execFileSync('mkfifo', [at]),
    'The plan file is not a regular file.',
  ],
  [
    'a file past the limit',
    (at) => writeFile(at, new Uint8Array(1_048_577)),
    'The plan file is larger than 1048576 bytes.',
  ],
])('refuses %s (O-07)', async (name, make, problem) => {
  const at = join(directory, name.replaceAll(/\W/g, '_'));
  await make(at);
  expect(await loadPlan(at)).toEqual({ ok: false, problems: [problem], computedSha256: null });
});

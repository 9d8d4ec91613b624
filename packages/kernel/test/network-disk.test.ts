import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleChild } from './bundle-child.ts';
import { contract, open, scope, temporaryDirectory } from './fixture.ts';

let child = '';

beforeAll(async () => {
  child = await bundleChild(join(import.meta.dirname, 'opening-child.ts'));
});

afterAll(() => rmSync(dirname(child), { recursive: true, force: true }));

/** What a process is told that opens a trail on a file system of a type. */
function opening(path: string, type: number): unknown {
  const preload = join(import.meta.dirname, 'on-file-system.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', preload, child, path], {
    encoding: 'utf8',
    env: { ...process.env, FILE_SYSTEM: String(type) },
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('says in one sentence that a trail may not stand on a network file system, and leaves it as it was', {
  tags: ['slow'],
}, async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'trail.db');
  const kernel = await open(directory);
  await kernel.admitGoal(scope, contract('goal-1'));
  await kernel[Symbol.asyncDispose]();
  const bytes = readFileSync(path);
  // NFS, CIFS and SMB 2, as statfs tells them; the last two fill all bits of a number.
  for (const type of [0x6969, 0xff534d42, 0xfe534d42 | 0]) {
    expect(opening(path, type)).toEqual({
      code: 'kernel/network-file-system',
      message: `${directory} is on a network file system, whose locks cannot be trusted; name a data directory on a local disk.`,
    });
  }
  expect(readFileSync(path)).toEqual(bytes);
  expect(opening(path, 0xef53)).toMatchObject({ code: null });
});

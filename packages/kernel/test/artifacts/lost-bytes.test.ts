import {
  mkdirSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type ArtifactStore, sha256 } from '@millforge/contracts';
import type { RetrievalQuery } from '@millforge/kernel';
import { expect, test } from 'vitest';
import { adapter, contract, open, outcome, scope, temporaryDirectory } from '../fixture.ts';

const BYTES = Buffer.from('what was made');
const TERMS = { mediaType: 'text/plain', maxBytes: 100 };

/** Where the bytes of an artifact of the only tenant lie. */
function fileOf(directory: string, bytes: Buffer): string {
  const digest = sha256(bytes);
  const [tenant = ''] = readdirSync(join(directory, 'artifacts'));
  return join(directory, 'artifacts', tenant, digest.slice(0, 2), digest.slice(2));
}

async function read(store: Pick<ArtifactStore, 'open'>, digest: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.open(digest)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test.each([
  ['were changed', (path: string) => writeFileSync(path, 'what was forged')],
  [
    'became a link',
    (path: string) => {
      unlinkSync(path);
      symlinkSync('/etc/hostname', path);
    },
  ],
])('saves bytes anew that have their name already and %s meanwhile', async (_, damage) => {
  const directory = temporaryDirectory();
  const store = (await open(directory)).artifacts(scope);
  const ref = await store.put(BYTES, TERMS);
  damage(fileOf(directory, BYTES));
  await expect(read(store, ref.sha256)).rejects.toMatchObject({ code: 'artifact/corrupt' });
  expect(await store.put(BYTES, TERMS)).toEqual(ref);
  expect(await read(store, ref.sha256)).toBe(BYTES.toString());
});

test('says that bytes cannot be saved where a directory has their name', async () => {
  const directory = temporaryDirectory();
  const store = (await open(directory)).artifacts(scope);
  await store.put(BYTES, TERMS);
  const path = fileOf(directory, BYTES);
  unlinkSync(path);
  mkdirSync(path);
  await expect(store.put(BYTES, TERMS)).rejects.toMatchObject({ code: 'artifact/corrupt' });
});

test('collects no bytes that were saved again a moment ago, however old the first ones are', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  const store = kernel.artifacts(scope);
  const ref = await store.put(BYTES, TERMS);
  utimesSync(fileOf(directory, BYTES), 0, 0);
  await store.put(BYTES, TERMS);
  expect(await kernel.collectArtifacts()).toMatchObject({ files: 0, kept: 1 });
  expect(await read(store, ref.sha256)).toBe(BYTES.toString());
});

test('makes no backup that lacks an artifact of a goal', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  const program = adapter(async (context) => {
    await context.saveArtifact(BYTES, TERMS);
    return outcome();
  });
  await kernel.admitGoal(scope, contract('goal'));
  await kernel.runGoal(scope, 'goal', { adapters: [program] }).done;
  unlinkSync(fileOf(directory, BYTES));
  await expect(kernel.backup(join(directory, 'copy'))).rejects.toMatchObject({
    code: 'artifact/not-found',
  });
  expect(readdirSync(directory).filter((name) => name.startsWith('copy'))).toEqual([]);
});

test('backs up an imported goal, whose artifacts came without their bytes', async () => {
  const kernel = await open(temporaryDirectory());
  const program = adapter(async (context) => {
    await context.saveArtifact(BYTES, TERMS);
    return outcome();
  });
  await kernel.admitGoal(scope, contract('goal'));
  await kernel.runGoal(scope, 'goal', { adapters: [program] }).done;
  const directory = temporaryDirectory();
  const elsewhere = await open(directory);
  await elsewhere.importTrail(scope, kernel.exportTrail(scope, 'goal'));
  expect(await elsewhere.backup(join(directory, 'copy'))).toMatchObject({ goals: 1, artifacts: 0 });
});

test.each([
  ['no path', () => ''],
  ['a path with a null character', (directory: string) => `${directory}/\0`],
  ['a path through a file', () => '/dev/null/copy'],
  ['a place where nothing can be made', () => '/proc/copy'],
  ['a place among the artifacts', (directory: string) => join(directory, 'artifacts', 'copy')],
])('makes no backup at %s, and says what to name instead', async (_, place) => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await expect(kernel.backup(place(directory))).rejects.toMatchObject({
    code: 'kernel/path-invalid',
    message: expect.stringMatching(/; name [^\n]+\.$/),
  });
});

test('saves, opens and finds no artifact once it was closed', async () => {
  const kernel = await open(temporaryDirectory());
  const store = kernel.artifacts(scope);
  const ref = await store.put(BYTES, TERMS);
  await kernel[Symbol.asyncDispose]();
  const query = { revision: ref.sha256, pattern: 'made', limit: 1 };
  await expect(store.put(BYTES, TERMS)).rejects.toMatchObject({ code: 'kernel/closed' });
  await expect(read(store, ref.sha256)).rejects.toMatchObject({ code: 'kernel/closed' });
  await expect(kernel.retrieve(scope, query)).rejects.toMatchObject({ code: 'kernel/closed' });
});

test.each([
  ['nothing', null],
  ['a pattern that is no text', { pattern: 5, limit: 1 }],
  ['no limit', { pattern: 'made' }],
])('finds no pieces for a query that is %s', async (_, query) => {
  const kernel = await open(temporaryDirectory());
  const given = query as unknown as RetrievalQuery; // As a program without types would.
  await expect(kernel.retrieve(scope, given)).rejects.toMatchObject({ code: 'artifact/invalid' });
});

test('finds no artifact under what is no digest, and collects none by what is no time', async () => {
  const kernel = await open(temporaryDirectory());
  const digest = 5 as unknown as string; // As a program without types would.
  await expect(read(kernel.artifacts(scope), digest)).rejects.toMatchObject({
    code: 'artifact/not-found',
  });
  for (const graceMs of [Number.POSITIVE_INFINITY, Number.NaN]) {
    await expect(kernel.collectArtifacts({ graceMs })).rejects.toMatchObject({
      code: 'kernel/argument-invalid',
    });
  }
});

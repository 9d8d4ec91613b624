import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MillforgeError, type RunArtifacts, sha256 } from '@millforge/contracts';
import { sequentialIds } from '@millforge/contracts/testing';
import {
  memoryArtifacts,
  openArtifactFolder,
  readJsonLines,
  readManifest,
} from '@millforge/kernel/artifacts';
import { describe, expect, onTestFinished, test } from 'vitest';

const MARKDOWN = { mediaType: 'text/markdown', producer: 'tool.x' };

const STORES: readonly (readonly [string, () => Promise<RunArtifacts>])[] = [
  ['a folder', async () => open(await folder())],
  ['memory', async () => memoryArtifacts()],
];

describe.each(STORES)('artifacts of a run in %s', (_, make) => {
  test('are written, read, replaced and listed by id', async () => {
    const artifacts = await make();
    expect(await artifacts.list()).toEqual([]);
    expect(await artifacts.read('plan')).toBe(null);
    const entry = await artifacts.write('plan', Buffer.from('first'), MARKDOWN);
    expect(entry).toEqual({
      artifact_id: 'plan',
      path: 'plan.md',
      media_type: 'text/markdown',
      byte_size: 5,
      sha256_hex: sha256('first'),
      producer: 'tool.x',
      complete: true,
      failure_code: null,
    });
    await artifacts.write('events', Buffer.from('{}\n'), {
      mediaType: 'application/x-ndjson',
      producer: 'host',
    });
    await artifacts.write('plan', Buffer.from('second'), MARKDOWN);
    const ids = (await artifacts.list()).map(({ artifact_id, path }) => [artifact_id, path]);
    expect(ids).toEqual([
      ['events', 'events.jsonl'],
      ['plan', 'plan.md'],
    ]);
    expect(Buffer.from((await artifacts.read('plan'))?.bytes ?? []).toString()).toBe('second');
  });

  test('refuse ids that are none and more bytes than are allowed', async () => {
    const artifacts = await make();
    for (const id of ['', '../x', 'Plan', 'a/b', 'artifact_manifest']) {
      expect(await codeOf(artifacts.write(id, Buffer.from(''), MARKDOWN))).toBe('artifact/invalid');
    }
    await artifacts.write('plan', Buffer.from('old'), MARKDOWN);
    const tooLarge = artifacts.write('plan', Buffer.from('long'), { ...MARKDOWN, maxBytes: 3 });
    expect(await codeOf(tooLarge)).toBe('artifact/too-large');
    expect((await artifacts.read('plan'))?.entry.byte_size).toBe(3);
  });
});

describe('the folder of a run', () => {
  test('has a manifest that lists what everybody wrote, by names that belong to the ids (B-33)', async () => {
    const directory = await folder();
    await open(directory).write('plan', Buffer.from('p'), MARKDOWN);
    await open(directory).write('tool_trace', Buffer.from(''), {
      mediaType: 'application/x-ndjson',
      producer: 'host',
    });
    const text = await readFile(join(directory, 'artifact_manifest.json'), 'utf8');
    const manifest = readManifest(text);
    expect(manifest.run_id).toBe('run-1');
    expect(manifest.artifacts.map((one) => one.producer)).toEqual(['tool.x', 'host']);
    expect((await readdir(directory)).toSorted()).toEqual([
      'artifact_manifest.json',
      'plan.md',
      'tool_trace.jsonl',
    ]);
    const crossed = text.replace('"path":"plan.md"', '"path":"tool_trace.jsonl"');
    expect(() => readManifest(crossed)).toThrow('does not have the name of its id');
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, 'plan.md'))).mode & 0o777).toBe(0o600);
  });

  test('writes the same bytes in the same order to the same files', async () => {
    const [one, other] = [await folder(), await folder()];
    for (const directory of [one, other]) {
      const artifacts = open(directory);
      await artifacts.write('b', Buffer.from('b'), MARKDOWN);
      await artifacts.write('a', Buffer.from('a'), MARKDOWN);
    }
    const manifests = [one, other].map((directory) =>
      readFile(join(directory, 'artifact_manifest.json'), 'utf8'),
    );
    expect(await manifests[0]).toBe(await manifests[1]);
  });

  test.each([
    ['old', 'old'],
    ['new', 'new'],
    [null, null],
  ])('a write that was interrupted leaves %j, whole', async (onDisk, expected) => {
    const directory = await folder();
    const artifacts = open(directory);
    await artifacts.write('plan', Buffer.from('new'), MARKDOWN);
    const path = join(directory, 'artifact_manifest.json');
    const manifest = (await readFile(path, 'utf8')).replace(
      '"complete":true,"failure_code":null',
      '"complete":false,"failure_code":"interrupted"',
    );
    await writeFile(path, manifest);
    if (onDisk === null) await rm(join(directory, 'plan.md'));
    else await writeFile(join(directory, 'plan.md'), onDisk);
    const read = await open(directory).read('plan');
    expect(read === null ? null : Buffer.from(read.bytes).toString()).toBe(expected);
    expect(read?.entry.complete ?? true).toBe(true);
  });

  test('bytes that are not those of the manifest are damage, and so is a link', async () => {
    const directory = await folder();
    await open(directory).write('plan', Buffer.from('p'), MARKDOWN);
    await writeFile(join(directory, 'plan.md'), 'other');
    expect(await codeOf(open(directory).read('plan'))).toBe('artifact/corrupt');
    await rm(join(directory, 'plan.md'));
    await symlink('/etc/hostname', join(directory, 'plan.md'));
    expect(await codeOf(open(directory).read('plan'))).toBe('artifact/corrupt');
    const foreign = openArtifactFolder({ directory, runId: 'run-2', ids: sequentialIds() });
    expect(await codeOf(foreign.list())).toBe('artifact/corrupt');
  });

  test('writes at the same time follow each other, through whichever object', async () => {
    const directory = await folder();
    const ids = Array.from({ length: 20 }, (_, index) => `a${String(index).padStart(2, '0')}`);
    await Promise.all(ids.map((id) => open(directory).write(id, Buffer.from(id), MARKDOWN)));
    expect((await open(directory).list()).map((entry) => entry.artifact_id)).toEqual(ids);
  });

  test('what is removed is in no list any more', async () => {
    const artifacts = open(await folder());
    await artifacts.write('plan', Buffer.from('p'), MARKDOWN);
    await artifacts.remove('plan');
    await artifacts.remove('plan');
    expect(await artifacts.list()).toEqual([]);
  });
});

describe('a manifest', () => {
  const right = {
    kind: 'artifact_manifest',
    schema_version: '1.0',
    run_id: 'r',
    artifacts: [],
  };

  test.each([
    ['{', 'no JSON'],
    ['[]', 'no object'],
    [JSON.stringify({ ...right, more: 1 }), 'other fields'],
    [JSON.stringify({ ...right, schema_version: '2.0' }), 'another kind or version'],
    [JSON.stringify({ ...right, artifacts: [{}] }), 'an entry has other fields'],
    ['{"kind":"a","kind":"b"}', 'no JSON'],
  ])('%s is refused', (text, fault) => {
    expect(() => readManifest(text)).toThrow(fault);
  });
});

describe('lines of JSON', () => {
  test('are read as they are, and by a reader of their form', () => {
    expect(readJsonLines(Buffer.from(''), (value) => value)).toEqual([]);
    expect(readJsonLines(Buffer.from('{"a":1}\n[2]\n'), (value) => value)).toEqual([{ a: 1 }, [2]]);
    expect(() => readJsonLines(Buffer.from('1\n2\n'), refuseTwo)).toThrow(
      'Line 2 cannot be read: it is two.',
    );
  });

  test.each([
    ['{}', 'Line 1'],
    ['{}\n{"a"', 'Line 2'],
    ['{}\n\n{}\n', 'Line 2'],
    ['{}\n{"a":1,"a":2}\n', 'Line 2'],
    ['{}\n{} {}\n', 'Line 2'],
    ['\ufeff{}\n', 'Line 1'],
  ])('%j is refused by its line', (text, line) => {
    expect(() => readJsonLines(Buffer.from(text), (value) => value)).toThrow(line);
  });
});

test('the entry loads no database driver', () => {
  const script =
    "await import('@millforge/kernel/artifacts'); const { createRequire } = await import('node:module'); console.log(Object.keys(createRequire(import.meta.url).cache).filter((name) => name.includes('better-sqlite3')).length);";
  const printed = execFileSync(
    process.execPath,
    ['--conditions=millforge-src', '--import', 'tsx', '--input-type=module', '-e', script],
    { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8' },
  );
  expect(printed).toBe('0\n');
});

function refuseTwo(value: unknown): unknown {
  if (value === 2) throw new Error('it is two');
  return value;
}

function open(directory: string) {
  return openArtifactFolder({ directory, runId: 'run-1', ids: sequentialIds() });
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'millforge-artifacts-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return join(made, 'run');
}

async function codeOf(promise: Promise<unknown>): Promise<string | null> {
  return promise.then(
    () => null,
    (error: unknown) => (MillforgeError.is(error) ? error.code : null),
  );
}

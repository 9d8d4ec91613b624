import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  canonicalJson,
  isSha256,
  type JsonObject,
  type JsonValue,
  MillforgeError,
  readJson,
  sha256,
  toPlainJson,
} from '@millforge/contracts';
import { createPathPolicy, type PathPolicyOptions } from '../paths/create-path-policy.ts';
import type { Baseline, BaselineFile } from './baseline.ts';
import { captureFiles, type KeptBytes } from './capture-files.ts';
import { makeFolder } from './make-folder.ts';

/** Where a baseline comes from and where it is kept. */
export interface BaselineOptions extends PathPolicyOptions {
  /** Folder of the workspace on the host. */
  readonly workspace: string;
  /** Folder in which it is kept, outside of the workspace; null keeps it in memory. */
  readonly directory: string | null;
  /** Time. */
  readonly clock: Clock;
  /** Stops the capture; nothing is kept then. */
  readonly signal?: AbortSignal;
}

/**
 * Captures the workspace as it is, unless the folder holds a baseline already: that one is opened, so
 * that a resumed run compares with its own beginning. Git is not asked, and what `.gitignore` names is
 * left out.
 *
 * @throws `baseline/corrupt` for a folder whose baseline cannot be read.
 */
export async function openBaseline(options: BaselineOptions): Promise<Baseline> {
  const { directory } = options;
  if (directory === null) return captureInMemory(options);
  return (await loadBaseline(directory)) ?? captureInto(directory, options);
}

/** Opens the baseline that a folder holds; null when it holds none. */
export async function loadBaseline(directory: string): Promise<Baseline | null> {
  const text = await readFile(join(directory, INDEX), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : baselineOf(readIndex(text), fromFile(join(directory, CONTENT)));
}

async function captureInMemory(options: BaselineOptions): Promise<Baseline> {
  const pieces: Buffer[] = [];
  const kept: KeptBytes = {
    async add(bytes) {
      pieces.push(bytes);
    },
  };
  const index = await capture(options, kept);
  const all = Buffer.concat(pieces);
  return baselineOf(index, async (offset, size) => all.subarray(offset, offset + size));
}

/** The content first and then the index, which makes it a baseline; both durable. */
async function captureInto(directory: string, options: BaselineOptions): Promise<Baseline> {
  makeFolder(directory, 0o700);
  const content = join(directory, `.${CONTENT}.tmp`);
  const index = join(directory, `.${INDEX}.tmp`);
  try {
    const captured = await writeFile(content, async (file) => {
      const waiting: Buffer[] = [];
      let size = 0;
      const write = async (): Promise<void> => {
        await file.appendFile(Buffer.concat(waiting.splice(0)));
        size = 0;
      };
      const all = await capture(options, {
        async add(bytes) {
          waiting.push(bytes);
          size += bytes.length;
          // A write for each small file would take longer than reading them all.
          if (size > WRITTEN_AT_ONCE) await write();
        },
      });
      await write();
      return all;
    });
    await writeFile(index, (file) => file.writeFile(emitIndex(captured)));
    await rename(content, join(directory, CONTENT));
    await rename(index, join(directory, INDEX));
    await syncFolder(directory);
    return baselineOf(captured, fromFile(join(directory, CONTENT)));
  } catch (error) {
    await rm(content, { force: true });
    await rm(index, { force: true });
    throw error;
  }
}

interface Index {
  readonly files: ReadonlyMap<string, BaselineFile>;
  readonly gap: string | null;
}

function capture(options: BaselineOptions, kept: KeptBytes): Promise<Index> {
  return captureFiles({
    policy: createPathPolicy(options),
    root: options.workspace,
    now: options.clock.now(),
    kept,
    signal: options.signal ?? new AbortController().signal,
  });
}

function baselineOf(
  { files, gap }: Index,
  readAt: (offset: number, size: number) => Promise<Buffer>,
): Baseline {
  return {
    files,
    gap,
    async read(path) {
      const file = files.get(path);
      if (file === undefined || file.offset === null) throw corrupt(`it does not keep ${path}`);
      const bytes = await readAt(file.offset, file.bytes);
      if (sha256(bytes) !== file.sha256) throw corrupt('its content was changed');
      return bytes;
    },
  };
}

function fromFile(path: string): (offset: number, size: number) => Promise<Buffer> {
  return async (offset, size) => {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, offset);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  };
}

async function writeFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'w', 0o600);
  try {
    const result = await write(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function emitIndex({ files, gap }: Index): string {
  const entries = [...files].map(([path, file]) => ({ path, ...file }));
  return canonicalJson({
    kind: 'workspace_baseline',
    schema_version: '1.0',
    gap,
    files: entries,
  });
}

function readIndex(text: string): Index {
  const read = readJson(text);
  const value = read.ok ? toPlainJson(read.value) : null;
  const isRight =
    isObject(value) &&
    value['kind'] === 'workspace_baseline' &&
    value['schema_version'] === '1.0' &&
    Array.isArray(value['files']) &&
    (value['gap'] === null || typeof value['gap'] === 'string');
  if (!isRight) throw corrupt('its index is of another form');
  const { files, gap } = value;
  if (!Array.isArray(files) || typeof gap === 'number') throw corrupt('its index is broken');
  return {
    files: new Map(files.map(readFileEntry)),
    gap: typeof gap === 'string' ? gap : null,
  };
}

function readFileEntry(value: JsonValue): readonly [string, BaselineFile] {
  if (!isObject(value)) throw corrupt('an entry is no object');
  const { path, mode, bytes, sha256: digest, offset, stamp } = value;
  const isRight =
    typeof path === 'string' &&
    isCount(mode) &&
    isCount(bytes) &&
    typeof digest === 'string' &&
    isSha256(digest) &&
    (offset === null || isCount(offset)) &&
    (stamp === null || typeof stamp === 'string');
  if (!isRight) throw corrupt('an entry has a field of the wrong form');
  return [path, { mode, bytes, sha256: digest, offset, stamp }];
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function corrupt(fault: string): MillforgeError {
  return new MillforgeError('baseline/corrupt', `The baseline of the run is damaged: ${fault}.`);
}

const WRITTEN_AT_ONCE = 1_048_576;
const INDEX = 'baseline.json';
const CONTENT = 'baseline.bin';

import { lstat, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type ArtifactEntry,
  type Ids,
  MillforgeError,
  type RunArtifacts,
  sha256,
} from '@millforge/contracts';
import { makeFolder } from '../make-folder.ts';
import { artifactFileName, MANIFEST_FILE } from './artifact-file-name.ts';
import { emitManifest, readManifest } from './artifact-manifest.ts';
import { replaceFile, syncFolder } from './replace-file.ts';

/** The artifacts of one run as files of one folder, beside the manifest that lists them. */
export interface ArtifactFolder extends RunArtifacts {
  /** Removes an artifact, if there is one. */
  remove(artifactId: string): Promise<void>;
}

/** Where the artifacts of a run are kept. */
export interface ArtifactFolderOptions {
  /** The folder; made, with mode 0700, at the first write. */
  readonly directory: string;
  /** The run, as it stands in the manifest. */
  readonly runId: string;
  /** Source of names for temporary files. */
  readonly ids: Ids;
}

/**
 * Opens the artifacts of a run. Nothing is held open; what one process does in one folder is
 * done in turn, through whichever object.
 *
 * Each write replaces its file and then the manifest, both in one step and durably. Between the two the
 * manifest says that the artifact is not complete; whoever opens the folder after a crash finds the old
 * bytes or the new ones, whole, and the manifest is set right by them.
 */
export function openArtifactFolder(options: ArtifactFolderOptions): ArtifactFolder {
  const { directory, runId, ids } = options;
  const key = resolve(directory);
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = (TURNS.get(key) ?? Promise.resolve()).then(act);
    const settled = done.then(ignore, ignore);
    TURNS.set(key, settled);
    void settled.then(() => {
      if (TURNS.get(key) === settled) TURNS.delete(key);
    });
    return done;
  };
  const save = (name: string, bytes: Uint8Array): Promise<void> =>
    replaceFile(join(directory, name), bytes, `.${name}.${ids.newId('tmp')}.tmp`);
  const saveManifest = (entries: readonly ArtifactEntry[]): Promise<void> => {
    const artifacts = entries.toSorted((a, b) => (a.artifact_id < b.artifact_id ? -1 : 1));
    const text = emitManifest({
      kind: 'artifact_manifest',
      schema_version: '1.0',
      run_id: runId,
      artifacts,
    });
    return save(MANIFEST_FILE, Buffer.from(text));
  };

  return {
    write: (artifactId, bytes, { mediaType, producer, maxBytes = MAX_BYTES }) =>
      inTurn(async () => {
        const path = artifactFileName(artifactId, mediaType);
        if (bytes.length > maxBytes) throw tooLarge(artifactId, maxBytes);
        const entry: ArtifactEntry = {
          artifact_id: artifactId,
          path,
          media_type: mediaType,
          byte_size: bytes.length,
          sha256_hex: sha256(bytes),
          producer,
          complete: true,
          failure_code: null,
        };
        makeFolder(directory, 0o700);
        const known = await readEntries(options);
        if (known.some((one) => isSameEntry(one, entry)) && (await holds(directory, entry))) {
          return entry;
        }
        const others = known.filter((one) => one.artifact_id !== artifactId);
        await saveManifest([...others, { ...entry, complete: false, failure_code: 'interrupted' }]);
        await save(path, bytes);
        await saveManifest([...others, entry]);
        const old = known.find((one) => one.artifact_id === artifactId)?.path;
        if (old !== undefined && old !== path) await rm(join(directory, old), { force: true });
        return entry;
      }),
    read: (artifactId) =>
      inTurn(async () => {
        const entry = (await readEntries(options)).find((one) => one.artifact_id === artifactId);
        return entry === undefined ? null : { entry, bytes: await readVerified(directory, entry) };
      }),
    list: () => inTurn(() => readEntries(options)),
    remove: (artifactId) =>
      inTurn(async () => {
        const known = await readEntries(options);
        const entry = known.find((one) => one.artifact_id === artifactId);
        if (entry === undefined) return;
        await saveManifest(known.filter((one) => one !== entry));
        await rm(join(directory, entry.path), { force: true });
        await syncFolder(directory);
      }),
  };
}

/** What the manifest says, with interrupted writes settled by the files; empty without a manifest. */
async function readEntries({
  directory,
  runId,
}: ArtifactFolderOptions): Promise<readonly ArtifactEntry[]> {
  const bytes = await readPlain(join(directory, MANIFEST_FILE));
  if (bytes === null) return [];
  const manifest = readManifest(bytes.toString());
  if (manifest.run_id !== runId) {
    throw corrupt('The folder of the artifacts belongs to another run.');
  }
  const entries: ArtifactEntry[] = [];
  for (const entry of manifest.artifacts) {
    const settled = entry.complete ? entry : await settle(directory, entry);
    if (settled !== null) entries.push(settled);
  }
  return entries;
}

/** The file is that of the interrupted write, or that of the one before it; either is whole. */
async function settle(directory: string, entry: ArtifactEntry): Promise<ArtifactEntry | null> {
  const bytes = await readPlain(join(directory, entry.path));
  if (bytes === null) return null;
  return {
    ...entry,
    byte_size: bytes.length,
    sha256_hex: sha256(bytes),
    complete: true,
    failure_code: null,
  };
}

async function readVerified(directory: string, entry: ArtifactEntry): Promise<Uint8Array> {
  const bytes = await readPlain(join(directory, entry.path));
  if (bytes !== null && sha256(bytes) === entry.sha256_hex) return bytes;
  throw corrupt(`The artifact ${entry.artifact_id} does not have the bytes of its manifest.`);
}

async function holds(directory: string, entry: ArtifactEntry): Promise<boolean> {
  const bytes = await readPlain(join(directory, entry.path));
  return bytes !== null && sha256(bytes) === entry.sha256_hex;
}

/** Null for nothing; a link or a folder in the place of a file is damage. */
async function readPlain(path: string): Promise<Buffer | null> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile()) throw corrupt('In the folder of the artifacts stands something else.');
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function isSameEntry(one: ArtifactEntry, other: ArtifactEntry): boolean {
  return (
    one.path === other.path &&
    one.sha256_hex === other.sha256_hex &&
    one.producer === other.producer &&
    one.complete
  );
}

function corrupt(message: string): MillforgeError {
  return new MillforgeError('artifact/corrupt', message);
}

function tooLarge(artifactId: string, maxBytes: number): MillforgeError {
  return new MillforgeError(
    'artifact/too-large',
    `The artifact ${artifactId} is larger than ${maxBytes} bytes; nothing was changed.`,
  );
}

function ignore(): void {}

// Module state on purpose: a manifest is read and replaced, and two objects may keep the same one.
const TURNS = new Map<string, Promise<void>>();

const MAX_BYTES = 64 * 1024 * 1024;

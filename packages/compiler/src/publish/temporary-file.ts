import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { sha256 } from '@millforge/contracts';
import { errorCode } from './error-code.ts';
import type { OpenDirectory } from './open-directory.ts';
import type { PublishFiles } from './publish-files.ts';

/** A file that is to stand in a directory. */
export interface NewFile {
  /** Its final name. */
  readonly fileName: string;
  /** All of it. */
  readonly bytes: Uint8Array;
}

/** A temporary file that could not be removed. */
export interface Leftover {
  /** Its name in the directory. */
  readonly fileName: string;
  /** Code of the system error. */
  readonly errorCode: string;
}

/** A complete, synced file under a temporary name, or why there is none. */
export type WrittenTemporary =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly error: unknown; readonly leftover: Leftover | null };

/** Writes a new file under a temporary name, for its owner only, and syncs it. Never throws. */
export async function writeTemporary(
  directory: OpenDirectory,
  file: NewFile,
  files: PublishFiles,
): Promise<WrittenTemporary> {
  let created: { readonly name: string; readonly handle: FileHandle };
  try {
    created = await createTemporary(directory, file, files);
  } catch (error) {
    return { ok: false, error, leftover: null };
  }
  const { name, handle } = created;
  try {
    await fill(handle, () => directory.within(() => writeDurably(handle, file.bytes)));
    return { ok: true, name };
  } catch (error) {
    return { ok: false, error, leftover: await removeTemporary(directory, name, files) };
  }
}

/** Takes a temporary name away; gives it back where it stays. Never throws. */
export async function removeTemporary(
  directory: OpenDirectory,
  name: string,
  files: PublishFiles,
): Promise<Leftover | null> {
  const path = directory.pathOf(name);
  try {
    await directory.within(() => files.unlink(path));
    return null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    // Some systems report a failure for what they did all the same.
    const isGone = await files.lstat(path, { bigint: true }).then(
      () => false,
      (missing: unknown) => errorCode(missing) === 'ENOENT',
    );
    return isGone ? null : { fileName: name, errorCode: errorCode(error) };
  }
}

/**
 * Makes a new file under the first free name of a row that belongs to its final name.
 *
 * A name that is taken is another writer's, or was left by one that died: it is never touched. The row
 * does not hold the final name, which may be as long as a name can be.
 */
async function createTemporary(
  directory: OpenDirectory,
  { fileName }: NewFile,
  files: PublishFiles,
): Promise<{ readonly name: string; readonly handle: FileHandle }> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  const row = sha256(fileName).slice(0, 16);
  for (let attempt = 0; ; attempt++) {
    const name = `.millforge-${row}-${attempt}.tmp`;
    try {
      // Not looked at again after it, so that what was opened is always closed.
      await directory.ensureSame();
      return { name, handle: await files.open(directory.pathOf(name), flags, 0o600) };
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || attempt === MAX_TEMPORARIES) throw error;
    }
  }
}

async function fill(handle: FileHandle, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } finally {
    await handle.close();
  }
}

async function writeDurably(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  await handle.writeFile(bytes);
  await handle.sync();
}

/** More writers of one file at one moment than a machine has. */
const MAX_TEMPORARIES = 1000;

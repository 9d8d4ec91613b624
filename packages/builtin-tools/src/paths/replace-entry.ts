import { constants } from 'node:fs';
import { access, type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { sha256 } from '@millforge/contracts';
import { type FileContent, readContent } from './file-content.ts';
import { entryPath, type Folder } from './folder.ts';
import { notAFile, openEntry } from './open-file.ts';
import { errnoOf, pathFault, shown, systemFault } from './path-fault.ts';
import { type FoundEntry, walkPath } from './walk-path.ts';

/** What a file is to become. */
export interface Replacement {
  /** The new bytes; null removes the file. */
  readonly bytes: Uint8Array | null;
  /** Permission bits of the new file; null keeps those that it has, or gives the usual ones. */
  readonly mode: number | null;
  /** The file as it was when the change was decided; null when there was none. */
  readonly found: FileContent | null;
  /** Names the temporary file, so that the one of an interrupted call is found again. */
  readonly key: string;
  /** Stops the replacement before the one step that is seen. */
  readonly signal: AbortSignal;
  /** Called right before and right after that step. */
  readonly onEffect?: ((phase: 'before-effect' | 'after-effect') => void) | undefined;
}

/**
 * Replaces or removes a file in one step: readers see the old content or the new one, also after a
 * crash. Other names of the same file keep the old content.
 *
 * @throws `path/changed` when the file is not as it was found; nothing is changed then.
 */
export async function replaceEntry(entry: FoundEntry, change: Replacement): Promise<void> {
  const { folder, name, path } = entry;
  if (name === null) throw pathFault('not_a_file', 'the workspace itself is no file.');
  const temporary = temporaryName(name, change.key);
  try {
    if (change.bytes !== null) await writeTemporary(entry, temporary, change);
    const current = await readEntry(folder, name);
    if (isOther(current, change.found)) {
      throw pathFault('changed', `${shown(path)} was changed meanwhile; read it again.`);
    }
    if (change.signal.aborted) throw pathFault('io', `the change of ${shown(path)} was stopped.`);
    change.onEffect?.('before-effect');
    await takeEffect(folder, { name, temporary, removes: change.bytes === null });
  } catch (error) {
    await removeQuietly(folder, temporary);
    throw errnoOf(error) === null ? error : systemFault(error, path);
  }
  change.onEffect?.('after-effect');
  await syncFolder(folder);
}

/** Reads the file behind an entry; null when there is none. */
export async function readFound(entry: FoundEntry): Promise<FileContent | null> {
  if (entry.stats === null) return null;
  await using file = await openEntry(entry, { refusesHardLinks: false });
  return await readContent(file);
}

/** Refuses an entry that cannot be replaced: a folder, a device, a file that may not be written. */
export async function assertReplaceable({ folder, name, path, stats }: FoundEntry): Promise<void> {
  if (stats === null || name === null) return;
  if (!stats.isFile()) throw notAFile(path, stats);
  // A rename alone would pass over a read-only mark.
  await access(entryPath(folder, name), constants.W_OK).catch((error: unknown) => {
    throw systemFault(error, path);
  });
}

/** Removes what an interrupted replacement may have left beside the file. */
export async function removeTemporary({ folder, name }: FoundEntry, key: string): Promise<void> {
  if (name === null) return;
  await removeQuietly(folder, temporaryName(name, key));
}

async function readEntry(folder: Folder, name: string): Promise<FileContent | null> {
  const entry = await walkPath(folder, { text: name, parts: [name] });
  try {
    // What is a link by now is not followed: the walk would look elsewhere.
    if (entry.isLinked) throw pathFault('changed', `${shown(name)} became a link meanwhile.`);
    return await readFound(entry);
  } finally {
    await entry.close();
  }
}

function isOther(current: FileContent | null, found: FileContent | null): boolean {
  return (current?.sha256 ?? null) !== (found?.sha256 ?? null);
}

async function takeEffect(
  folder: Folder,
  step: { readonly name: string; readonly temporary: string; readonly removes: boolean },
): Promise<void> {
  const target = entryPath(folder, step.name);
  if (step.removes) await unlink(target);
  else await rename(entryPath(folder, step.temporary), target);
}

async function writeTemporary(
  { folder }: FoundEntry,
  temporary: string,
  { bytes, found, mode }: Replacement,
): Promise<void> {
  const path = entryPath(folder, temporary);
  // A repeated call finds its own leftover under this name. What cannot be removed, such as a folder
  // that somebody has put there, stands in the way of the opening, which tells.
  await removeQuietly(folder, temporary);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, (mode ?? 0o666) & ~RUNS_AS_OTHERS);
  try {
    await file.writeFile(bytes ?? new Uint8Array());
    if (found !== null) await keepAttributes(file, found, mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function keepAttributes(
  file: FileHandle,
  found: FileContent,
  mode: number | null,
): Promise<void> {
  const { uid, gid } = await file.stat();
  if (uid !== found.uid || gid !== found.gid) {
    try {
      await file.chown(found.uid, found.gid);
    } catch {
      // Only root may give files away; content and permissions matter more than the owner.
    }
  }
  // Other bytes are not what somebody has vouched for: the system too drops these marks on a write.
  await file.chmod((mode ?? found.mode) & ~RUNS_AS_OTHERS);
}

async function removeQuietly(folder: Folder, name: string): Promise<void> {
  try {
    await unlink(entryPath(folder, name));
  } catch {
    // Mostly it is not there; what else went wrong is no reason to hide the fault that led here.
  }
}

async function syncFolder(folder: Folder): Promise<void> {
  try {
    await folder.handle.sync();
  } catch {
    // Some file systems cannot sync a folder; the file itself is safe already.
  }
}

function temporaryName(name: string, key: string): string {
  // Leaves room for the tag where the name is as long as file systems allow.
  const stem = Buffer.from(name).subarray(0, 200).toString().replaceAll('\uFFFD', '_');
  return `.${stem}.${sha256(key).slice(0, 16)}.tmp`;
}

/** The marks by which a program runs as its owner or its group. */
const RUNS_AS_OTHERS = 0o6000;

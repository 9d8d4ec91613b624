import {
  close,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  openSync,
  renameSync,
  rmSync,
  write,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type MillforgeError, sha256 } from '@millforge/contracts';
import { type FoundFile, isAsFound } from './found-file.ts';
import { makeFolder } from './make-folder.ts';
import { AT_ONCE_BYTES } from './plain-file.ts';
import { errnoOf, toolFault } from './tool-fault.ts';

/** One replacement of a file. */
export interface Replacement {
  /** The file behind all links. */
  readonly target: string;
  readonly bytes: Uint8Array;
  /** The file as it was when the change was decided; null when there was none. */
  readonly found: FoundFile | null;
  /** Names the temporary file, so that a resumed run finds the one of an interrupted call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** Whether the new content is on the disk before this resolves, where it outlives a loss of power. */
  readonly isDurable: boolean;
  /** Called right before and right after the rename. */
  readonly onEffect: (phase: 'before-effect' | 'after-effect') => void;
}

/**
 * Replaces a file in one step: readers see the old content or the new one, also after the process died.
 *
 * Keeps permissions and, where the user may, the owner. A hard link to the old content stays behind.
 *
 * @throws `tool/conflict` when the file is not as it was found; nothing is changed then.
 */
export async function replaceFile(replacement: Replacement): Promise<void> {
  const { target, found, signal, isDurable, onEffect } = replacement;
  const temporary = temporaryPath(target, replacement.idempotencyKey);
  try {
    await writeTemporary(temporary, replacement);
    if (!(await isAsFound(target, found))) throw conflict(target);
    if (signal.aborted) throw toolFault('cancelled', 'Operation aborted');
    onEffect('before-effect');
    const old = holdOpen(target, found);
    try {
      renameTemporary(temporary, replacement);
    } finally {
      if (old !== null) close(old, () => undefined);
    }
  } catch (error) {
    remove(temporary);
    throw error;
  }
  onEffect('after-effect');
  if (isDurable) await syncFolder(dirname(target));
}

/** Removes what an interrupted replacement may have left beside the file. */
export function removeTemporary(target: string, idempotencyKey: string): void {
  remove(temporaryPath(target, idempotencyKey));
}

function remove(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch {
    // A folder that lets nothing go; what became of the file itself matters more.
  }
}

function temporaryPath(target: string, idempotencyKey: string): string {
  const tag = sha256(idempotencyKey).slice(0, 16);
  // Leaves room for the tag where the name is as long as file systems allow.
  const name = Buffer.from(basename(target)).subarray(0, 200).toString().replaceAll('\uFFFD', '_');
  return join(dirname(target), `.${name}.${tag}.tmp`);
}

async function writeTemporary(path: string, replacement: Replacement): Promise<void> {
  const { bytes, found, isDurable } = replacement;
  const file = openTemporary(path, replacement);
  try {
    for (let at = 0; at < bytes.length; ) {
      const rest = bytes.subarray(at);
      at +=
        rest.length <= AT_ONCE_BYTES
          ? writeSync(file, rest)
          : (await writeAsynchronously(file, rest)).bytesWritten;
    }
    if (found !== null) keepAttributes(file, found);
    if (isDurable) await sync(file);
  } finally {
    closeSync(file);
  }
}

function openTemporary(path: string, replacement: Replacement): number {
  try {
    return openSync(path, 'wx', 0o666);
  } catch (error) {
    const code = errnoOf(error);
    // A repeated call finds its own leftover under this name.
    if (code === 'EEXIST') rmSync(path, { force: true });
    else if (code !== 'ENOENT') throw unreplaceable(replacement, path, error);
    else if (replacement.found === null) makeFolder(dirname(path));
    else if (!existsSync(dirname(path))) throw conflict(replacement.target);
  }
  try {
    return openSync(path, 'wx', 0o666);
  } catch (error) {
    throw unreplaceable(replacement, path, error);
  }
}

/**
 * Keeps a file open while it is replaced. To free what it took on the disk takes longer than the replacement,
 * a hundred times as long where the disk is busy; this happens when it is closed, beside the rest of the process.
 */
function holdOpen(target: string, found: FoundFile | null): number | null {
  if (found === null || found.size === 0) return null;
  try {
    return openSync(target, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // Whoever may not read a file may still replace it.
    return null;
  }
}

function renameTemporary(temporary: string, replacement: Replacement): void {
  try {
    renameSync(temporary, replacement.target);
  } catch (error) {
    throw unreplaceable(replacement, temporary, error);
  }
}

function conflict(target: string): MillforgeError {
  const message = `${basename(target)} was changed by something else in the meantime; read it again.`;
  return toolFault('conflict', message);
}

/** A failure that tells of the file that was meant, not of the temporary one. */
function unreplaceable(
  { target, found }: Replacement,
  temporary: string,
  error: unknown,
): MillforgeError {
  const code = errnoOf(error) ?? 'UNKNOWN';
  const kind = DENIALS.has(code) ? 'permission_denied' : 'io_error';
  if (found === null && error instanceof Error) {
    return toolFault(kind, error.message.replaceAll(temporary, target), error);
  }
  const message = `${code}: '${target}' cannot be replaced, which needs a new file in its folder. If the file itself may be written, write it with bash.`;
  return toolFault(kind, message, error);
}

function keepAttributes(file: number, found: FoundFile): void {
  const { uid, gid, mode } = fstatSync(file);
  if (uid !== found.uid || gid !== found.gid) {
    try {
      fchownSync(file, found.uid, found.gid);
    } catch {
      // Only root may give files away; content and permissions matter more than the owner.
    }
  }
  if ((mode & 0o7777) !== found.mode) fchmodSync(file, found.mode);
}

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = openSync(path, 'r');
    try {
      await sync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Some file systems cannot sync a folder; the file itself is safe already.
  }
}

const writeAsynchronously = promisify(write);
const sync = promisify(fsync);
const DENIALS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type MillforgeError, sha256 } from '@millforge/contracts';
import { type FileState, readFileState } from './file-state.ts';
import { errnoOf, toolFault } from './tool-fault.ts';

/** One replacement of a file. */
export interface Replacement {
  /** The file behind all links. */
  readonly target: string;
  readonly bytes: Uint8Array;
  /** The file as it was when the change was decided; null when there was none. */
  readonly found: FileState | null;
  /** Names the temporary file, so that a resumed run finds the one of an interrupted call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** Called right before and right after the rename. */
  readonly onEffect: (phase: 'before-effect' | 'after-effect') => void;
}

/**
 * Replaces a file in one step: readers see the old content or the new one, also after a crash.
 *
 * Keeps permissions and, where the user may, the owner. A hard link to the old content stays behind.
 *
 * @throws `tool/conflict` when the file is not as it was found; nothing is changed then.
 */
export async function replaceFile(replacement: Replacement): Promise<void> {
  const { target, found, signal, onEffect } = replacement;
  const temporary = temporaryPath(target, replacement.idempotencyKey);
  await mkdir(dirname(target), { recursive: true });
  try {
    await writeTemporary(temporary, replacement);
    const current = await readFileState(target);
    if ((current?.sha256 ?? null) !== (found?.sha256 ?? null)) {
      throw toolFault(
        'conflict',
        `${basename(target)} was changed by something else in the meantime; read it again.`,
      );
    }
    if (signal.aborted) throw toolFault('cancelled', 'Operation aborted');
    onEffect('before-effect');
    await rename(temporary, target).catch((error: unknown) => {
      throw unreplaceable(replacement, temporary, error);
    });
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  onEffect('after-effect');
  await syncFolder(dirname(target));
}

/** Removes what an interrupted replacement may have left beside the file. */
export async function removeTemporary(target: string, idempotencyKey: string): Promise<void> {
  await rm(temporaryPath(target, idempotencyKey), { force: true });
}

function temporaryPath(target: string, idempotencyKey: string): string {
  const tag = sha256(idempotencyKey).slice(0, 16);
  // Leaves room for the tag where the name is as long as file systems allow.
  const name = Buffer.from(basename(target)).subarray(0, 200).toString().replaceAll('\uFFFD', '_');
  return join(dirname(target), `.${name}.${tag}.tmp`);
}

async function writeTemporary(path: string, replacement: Replacement): Promise<void> {
  const { bytes, found } = replacement;
  // A repeated call finds its own leftover under this name.
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o666).catch((error: unknown) => {
    throw unreplaceable(replacement, path, error);
  });
  try {
    await file.writeFile(bytes);
    if (found !== null) await keepAttributes(file, found);
    await file.sync();
  } finally {
    await file.close();
  }
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

async function keepAttributes(file: FileHandle, found: FileState): Promise<void> {
  const { uid, gid } = await file.stat();
  if (uid !== found.uid || gid !== found.gid) {
    try {
      await file.chown(found.uid, found.gid);
    } catch {
      // Only root may give files away; content and permissions matter more than the owner.
    }
  }
  await file.chmod(found.mode);
}

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Some file systems cannot sync a folder; the file itself is safe already.
  }
}

const DENIALS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

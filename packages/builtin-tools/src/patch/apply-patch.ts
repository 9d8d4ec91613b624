import { shown } from '../paths/path-fault.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FilePatch, fromBytesText, toBytesText } from './file-patch.ts';
import { malformed, misfit } from './patch-fault.ts';

/** A file as it was before. */
export interface Original {
  /** Its bytes. */
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** What becomes of one file. */
export interface PatchedFile {
  /** Path inside the workspace. */
  readonly path: string;
  /** New bytes; null for a file that is removed. */
  readonly bytes: Buffer | null;
  /** Permission bits; null for those that a new file gets. */
  readonly mode: number | null;
}

/** Every path that a patch looks at or writes, once each, in the order of the patch. */
export function patchPaths(files: readonly FilePatch[]): readonly string[] {
  const paths = files.flatMap(({ oldPath, newPath, line }) =>
    [oldPath, newPath].flatMap((path) => (path === null ? [] : [toPath(path, line)])),
  );
  return [...new Set(paths)];
}

/**
 * Applies a patch in memory. All its files are taken as they were before the first of them.
 *
 * @throws `tool/conflict` when the files are not as the patch says; then there is no result at all.
 */
export function applyPatch(
  files: readonly FilePatch[],
  originals: ReadonlyMap<string, Original | null>,
): readonly PatchedFile[] {
  const written = new Map<string, PatchedFile>();
  const removed = new Set<string>();
  for (const file of files) {
    const from = file.oldPath === null ? null : toPath(file.oldPath, file.line);
    const to = file.newPath === null ? null : toPath(file.newPath, file.line);
    if (from !== null && from !== to && !file.isCopy) {
      if (removed.has(from))
        throw malformed(file.line, `${shown(from)} is moved or deleted twice.`);
      removed.add(from);
    }
    const patched = patchFile(file, { from, to, originals });
    if (to === null) continue;
    if (written.has(to)) throw malformed(file.line, `${shown(to)} is changed twice.`);
    written.set(to, { path: to, ...patched });
  }
  for (const path of written.keys()) {
    const isTaken = originals.get(path) != null && !removed.has(path) && isNewPath(files, path);
    if (isTaken) throw misfit(`${shown(path)} exists already, and the patch makes it anew.`);
  }
  const gone = [...removed].filter((path) => !written.has(path));
  return [...written.values(), ...gone.map((path) => ({ path, bytes: null, mode: null }))];
}

function patchFile(
  file: FilePatch,
  place: {
    readonly from: string | null;
    readonly to: string | null;
    readonly originals: ReadonlyMap<string, Original | null>;
  },
): Pick<PatchedFile, 'bytes' | 'mode'> {
  const { from, to, originals } = place;
  const original = from === null ? null : (originals.get(from) ?? null);
  if (from !== null && original === null) throw misfit(`${shown(from)} does not exist.`);
  const before = original === null ? '' : toBytesText(original.bytes);
  const after = applyHunks(before, file.hunks, shown(from ?? to ?? ''));
  if (to === null && after !== '') {
    throw misfit(`${shown(from ?? '')} is deleted, but has lines that the patch does not name.`);
  }
  return { bytes: fromBytesText(after), mode: modeOf(original, file.isExecutable) };
}

/** The bits of the owner decide; whoever may read a program may run it. */
function modeOf(original: Original | null, isExecutable: boolean | null): number | null {
  if (original === null) return isExecutable === true ? 0o777 : null;
  if (isExecutable === null) return original.mode;
  return isExecutable ? original.mode | ((original.mode & 0o444) >> 2) : original.mode & ~0o111;
}

function isNewPath(files: readonly FilePatch[], path: string): boolean {
  return files.some(({ oldPath, newPath, line }) => {
    if (newPath === null || toPath(newPath, line) !== path) return false;
    return oldPath === null || toPath(oldPath, line) !== path;
  });
}

function toPath(bytes: string, line: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fromBytesText(bytes));
  } catch {
    throw malformed(line, 'the name of the file is no UTF-8.');
  }
}

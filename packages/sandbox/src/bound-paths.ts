import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, normalize, relative, sep } from 'node:path';
import { MillforgeError } from '@millforge/contracts';

/** A path of the host that a run sees at the same place. */
export interface BoundPath {
  /** Where it is seen. */
  readonly path: string;
  /** Where it really is, without links. */
  readonly source: string;
  /** Whether the run may change it. */
  readonly isWritable: boolean;
}

/** What a run sees of the host beside the system. */
export interface BoundPaths {
  /** In the order in which they have to be mounted: outer before inner. */
  readonly bound: readonly BoundPath[];
  /** Hidden paths that lie inside of bound ones and are covered. */
  readonly covered: readonly CoveredPath[];
}

/** A place inside of a bound path that shows nothing. */
export interface CoveredPath {
  /** Where it would be seen. */
  readonly path: string;
  /** What stands there. */
  readonly kind: 'file' | 'folder';
}

/**
 * Resolves the paths that a run asks for; a text says why it may not have them.
 *
 * @throws `sandbox/invalid-request` for a path that is not absolute or does not exist.
 */
export async function bindPaths(
  asked: { readonly readOnly: readonly string[]; readonly writable: readonly string[] },
  hiddenPaths: readonly string[],
): Promise<BoundPaths | string> {
  const bound: BoundPath[] = [];
  for (const [paths, isWritable] of [
    [asked.readOnly, false],
    [asked.writable, true],
  ] as const) {
    for (const path of paths) bound.push(await resolveBound(path, isWritable));
  }
  const hidden = await Promise.all(hiddenPaths.map(resolveHidden));
  for (const { path, source } of bound) {
    const reserved = RESERVED.find((folder) => isReservedUse(folder, [path, source]));
    if (reserved !== undefined) return `${path} cannot be bound: ${reserved} is the sandbox's own.`;
    const secret = hidden.find((each) => isInside(source, each.source));
    if (secret !== undefined) return `${path} cannot be bound: no sandbox sees it.`;
  }
  const covered = new Map<string, CoveredPath>();
  for (const { source: secret, kind } of hidden) {
    // Where there is nothing, a cover would leave a folder on the host.
    if (kind === 'absent') continue;
    for (const { path, source } of bound) {
      if (!isInside(secret, source)) continue;
      const place = normalize(`${path}/${relative(source, secret)}`);
      covered.set(place, { path: place, kind });
    }
  }
  const order = bound.toSorted(
    (a, b) => depth(a.path) - depth(b.path) || Number(a.isWritable) - Number(b.isWritable),
  );
  return { bound: order, covered: [...covered.values()] };
}

/** Whether a path is a folder or lies in it. */
function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function resolveBound(path: string, isWritable: boolean): Promise<BoundPath> {
  if (!isAbsolute(path) || path.includes('\0')) {
    throw new MillforgeError('sandbox/invalid-request', `A bound path is absolute: ${path}`);
  }
  try {
    const place = normalize(path).replace(/(?<=.)\/+$/u, '');
    return { path: place, source: await realpath(path), isWritable };
  } catch (cause) {
    throw new MillforgeError('sandbox/invalid-request', `There is nothing to bind at ${path}.`, {
      cause,
    });
  }
}

async function resolveHidden(
  path: string,
): Promise<{ readonly source: string; readonly kind: CoveredPath['kind'] | 'absent' }> {
  try {
    const source = await realpath(path);
    return { source, kind: (await stat(source)).isDirectory() ? 'folder' : 'file' };
  } catch {
    // What is not there yet is not bound either, should it be there by then.
    return { source: path, kind: 'absent' };
  }
}

/** These folders are made for each run; only `/tmp` may have something of the host inside. */
function isReservedUse(folder: string, paths: readonly string[]): boolean {
  return paths.some((path) =>
    folder === '/' || folder === '/tmp' ? path === folder : isInside(path, folder),
  );
}

function depth(path: string): number {
  return path.split('/').length;
}

const RESERVED = ['/', '/tmp', '/proc', '/sys', '/dev'];

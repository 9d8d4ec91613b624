import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { errnoOf, pathFault, shown, systemFault } from './path-fault.ts';

/** An open folder: whatever is renamed meanwhile, its entries are those of this folder. */
export interface Folder {
  /** The open folder. */
  readonly handle: FileHandle;
  /** Path on the host, by which the entries are reached where open folders have no path of their own. */
  readonly hostPath: string;
  /** Path inside the workspace, empty for the workspace itself. */
  readonly path: string;
}

/** Opens the folder at the top, following links, since its path is the operator's word. */
export async function openTop(path: string): Promise<Folder> {
  try {
    const hostPath = await realpath(path);
    const handle = await open(hostPath, constants.O_RDONLY | constants.O_DIRECTORY);
    const folder = { handle, hostPath, path: '' };
    await assertReachable(folder);
    return folder;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    throw pathFault('workspace', 'the workspace is no folder that can be opened.', error);
  }
}

/**
 * The host path of an entry of an open folder; on Linux the entry of that very folder, like `openat`.
 * The last part is the only one that can be a link.
 */
export function entryPath(folder: Folder, name: string): string {
  return USES_DESCRIPTORS
    ? `/proc/self/fd/${folder.handle.fd}/${name}`
    : `${folder.hostPath === '/' ? '' : folder.hostPath}/${name}`;
}

/** The host path of an open folder itself. */
export function folderPath(folder: Folder): string {
  return USES_DESCRIPTORS ? `/proc/self/fd/${folder.handle.fd}/` : folder.hostPath;
}

/** Looks at an entry without following it; null when there is none. */
export async function lookAt(folder: Folder, name: string): Promise<Stats | null> {
  try {
    return await lstat(entryPath(folder, name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw systemFault(error, joined(folder, name));
  }
}

/** Opens a folder inside a folder; one that became something else since it was looked at is refused. */
export async function openChild(folder: Folder, name: string, seen: Stats): Promise<Folder> {
  const path = joined(folder, name);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(entryPath(folder, name), flags).catch((error: unknown) => {
    // What was a folder a moment ago and is a link or a file by now.
    const code = errnoOf(error);
    if (code === 'ENOTDIR' || code === 'ELOOP') throw changed(path, error);
    throw systemFault(error, path);
  });
  const child = { handle, hostPath: `${folder.hostPath}/${name}`, path };
  try {
    if (!isSame(await handle.stat(), seen)) throw changed(path);
    return child;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Whether two looks saw the same entry of the disk. */
export function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** The refusal of an entry that was replaced while it was being looked at. */
export function changed(path: string, cause?: unknown): Error {
  return pathFault('changed', `${shown(path)} was replaced meanwhile; try again.`, cause);
}

function joined(folder: Folder, name: string): string {
  return folder.path === '' ? name : `${folder.path}/${name}`;
}

/** Without the paths of open folders there would be no protection against renamed ones: then nothing goes. */
async function assertReachable(folder: Folder): Promise<void> {
  if (!USES_DESCRIPTORS) return;
  const [through, itself] = await Promise.all([
    lstat(folderPath(folder)).catch(() => null),
    folder.handle.stat(),
  ]);
  if (through !== null && isSame(through, itself)) return;
  await folder.handle.close();
  throw pathFault('workspace', 'this host has no /proc/self/fd, through which folders are held.');
}

const USES_DESCRIPTORS = process.platform === 'linux';

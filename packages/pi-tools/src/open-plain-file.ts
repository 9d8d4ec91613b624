import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { toolFault } from './tool-fault.ts';

/** A file that is open for reading, as it is and not as it was under its name. */
export interface OpenPlainFile {
  readonly file: FileHandle;
  readonly stats: Stats;
}

/**
 * Opens a file whose content ends, or a folder; nothing here waits for someone else to write.
 *
 * @throws `tool/io_error` for pipes, sockets and devices.
 */
export async function openPlainFile(
  path: string,
  known: { readonly isFile: boolean } = { isFile: false },
): Promise<OpenPlainFile> {
  // Some devices act when they are opened, so what nobody has looked at is looked at first.
  if (!known.isFile) refuseSpecial(await stat(path), path);
  // A pipe that takes the name between the look and the opening would hold a thread until it is written to.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    refuseSpecial(stats, path);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function refuseSpecial(stats: Stats, path: string): void {
  if (stats.isFile() || stats.isDirectory()) return;
  throw toolFault('io_error', `Not a regular file: ${path}`);
}

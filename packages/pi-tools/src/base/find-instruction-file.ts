import { lstat, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { sha256 } from '@millforge/contracts';
import { openPlainFile, readWhole } from '../plain-file.ts';
import { errnoOf, toolFault } from '../tool-fault.ts';
import { plainText } from './plain-text.ts';

/** A folder in which a file is looked for. */
export interface Place {
  readonly folder: string;
  /** Folder that the file may not lead out of; null for any. */
  readonly within: string | null;
  /** How a path is named to the model and to people. */
  readonly show: (path: string) => string;
  /** Takes a sentence about each file that exists and is not taken. */
  readonly diagnostics: string[];
}

/** A file that was read. */
export interface FoundFile {
  /** Its path as it is shown. */
  readonly shown: string;
  /** Its text. */
  readonly text: string;
  /** Digest of its bytes. */
  readonly rawSha256: string;
  /** Number of its bytes. */
  readonly byteCount: number;
  /** Device and file number: the same for two names of one file. */
  readonly identity: string;
}

/** Reads the first of the named files that can be read; null where none can. */
export async function findInstructionFile(
  place: Place,
  names: readonly string[],
): Promise<FoundFile | null> {
  const tried = new Set<string>();
  for (const name of names) {
    const path = join(place.folder, name);
    try {
      if ((await lstatOrNull(path)) === null) continue;
      const file = await readCandidate(path, place, tried);
      if (file !== null) return file;
    } catch (error) {
      const code = errnoOf(error);
      if (code === null) throw error;
      place.diagnostics.push(`${place.show(path)} cannot be read (${code}).`);
    }
  }
  return null;
}

async function readCandidate(
  path: string,
  place: Place,
  tried: Set<string>,
): Promise<FoundFile | null> {
  const shown = place.show(path);
  const real = await realpath(path);
  if (place.within !== null && !isInside(real, place.within)) {
    place.diagnostics.push(`${shown} leads out of the repository and was not taken.`);
    return null;
  }
  if (!(await stat(real)).isFile()) {
    place.diagnostics.push(`${shown} is no file and was not taken.`);
    return null;
  }
  const file = openPlainFile(real);
  const { stats } = file;
  try {
    const identity = `${stats.dev}:${stats.ino}`;
    // Where case means nothing, two of the names are one file.
    if (tried.has(identity)) return null;
    tried.add(identity);
    if (stats.size > MAX_FILE_BYTES) {
      place.diagnostics.push(`${shown} is larger than ${MAX_FILE_BYTES} bytes and was not taken.`);
      return null;
    }
    const tooLarge = () => toolFault('io_error', `${shown} grows while it is read.`);
    const bytes = await readWhole(file, { maxBytes: MAX_FILE_BYTES, tooLarge });
    return {
      shown,
      text: plainText(new TextDecoder().decode(bytes)),
      rawSha256: sha256(bytes),
      byteCount: bytes.length,
      identity,
    };
  } finally {
    file.close();
  }
}

async function lstatOrNull(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const MAX_FILE_BYTES = 4 * 1_048_576;

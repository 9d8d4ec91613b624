import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { systemCode, usageError } from '../cli-error.ts';

/** A file that a person named, or that stands in its usual place. */
export interface InputFile {
  /** Its path, absolute. */
  readonly path: string;
  /** What it is, for the error: `harness`, `task file`. */
  readonly what: string;
  /** Most bytes that are wanted. */
  readonly maxBytes: number;
}

/**
 * Reads a file, at most `maxBytes` and one more: what reads it then says that it is too large, in its
 * own words. A byte order mark, which some editors write, is left out.
 *
 * @throws `cli/usage` naming the path and the reason.
 */
export async function readInputFile(file: InputFile): Promise<Buffer> {
  const content = await readOptionalFile(file);
  if (content === null) throw usageError(`There is no ${file.what} at ${file.path}.`);
  return content;
}

/**
 * Reads a file likewise, or gives null where there is none.
 *
 * @throws `cli/usage` naming the path and the reason.
 */
export async function readOptionalFile(file: InputFile): Promise<Buffer | null> {
  const { path, what } = file;
  try {
    return await readBounded(file);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code === 'cli/usage') throw cause;
    throw usageError(
      `The ${what} ${path} cannot be read (${code ?? 'unknown reason'}); check its permissions.`,
      cause,
    );
  }
}

async function readBounded({ path, what, maxBytes }: InputFile): Promise<Buffer> {
  // Without blocking, a pipe that nobody writes to is opened at once, and then refused.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw usageError(`The ${what} ${path} is not a file.`);
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(buffer.indexOf(BYTE_ORDER_MARK) === 0 ? 3 : 0, length);
  } finally {
    await file.close();
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

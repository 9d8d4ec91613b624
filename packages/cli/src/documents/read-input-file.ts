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
  if (content === null) throw missing(file);
  return content;
}

/**
 * Reads a file likewise, or gives null where there is none.
 *
 * @throws `cli/usage` naming the path and the reason.
 */
export async function readOptionalFile(file: InputFile): Promise<Buffer | null> {
  try {
    return await readBounded(file);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code === 'cli/usage') throw cause;
    throw unreadable(file, cause);
  }
}

/** The one sentence about a file that the system does not give. */
export function unreadable(file: Omit<InputFile, 'maxBytes'>, cause: unknown): Error {
  const code = systemCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(file);
  if (code === 'EISDIR') return noFile(file);
  return usageError(
    `The ${file.what} ${file.path} cannot be read (${code ?? 'unknown reason'}); check its permissions.`,
    cause,
  );
}

function missing({ path, what }: Omit<InputFile, 'maxBytes'>): Error {
  return usageError(`There is no ${what} at ${path}.`);
}

function noFile({ path, what }: Omit<InputFile, 'maxBytes'>): Error {
  return usageError(`The ${what} ${path} is not a file.`);
}

async function readBounded(input: InputFile): Promise<Buffer> {
  const { path, maxBytes } = input;
  // Without blocking, a pipe that nobody writes to is opened at once, and then refused.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw noFile(input);
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

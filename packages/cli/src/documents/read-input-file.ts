import { open } from 'node:fs/promises';
import { usageError } from '../arguments/usage-error.ts';

/**
 * Reads a file that a person named, at most `maxBytes` and one more: what reads it then says that it
 * is too large, in its own words.
 *
 * @throws `cli/usage` naming the path and the reason.
 */
export async function readInputFile(path: string, what: string, maxBytes: number): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      if (!(await file.stat()).isFile()) {
        throw usageError(`The ${what} ${path} is not a file.`);
      }
      const buffer = Buffer.alloc(maxBytes + 1);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code === 'cli/usage') throw cause;
    throw usageError(
      code === 'ENOENT'
        ? `There is no ${what} at ${path}.`
        : `The ${what} ${path} cannot be read (${code}).`,
      cause,
    );
  }
}

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readSync,
  statSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { toolFault } from './tool-fault.ts';

/** A file that is open for reading, as it is and not as it was under its name. */
export interface PlainFile {
  readonly descriptor: number;
  readonly stats: BigIntStats;
  close(): void;
}

/**
 * Opens a file whose content ends, or a folder; nothing here waits for someone else to write.
 *
 * Looking at a name takes microseconds, a round through the thread pool twenty times as long, so names
 * are looked at and files are opened at once; only what is long is read asynchronously.
 *
 * @throws `tool/io_error` for pipes, sockets and devices.
 */
export function openPlainFile(
  path: string,
  known: { readonly isFile: boolean } = { isFile: false },
): PlainFile {
  // Some devices act when they are opened, so what nobody has looked at is looked at first.
  if (!known.isFile) refuseSpecial(statSync(path, { bigint: true }), path);
  // A pipe that takes the name between the look and the opening would hold everything until it is written to.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    refuseSpecial(stats, path);
    return { descriptor, stats, close: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads a piece of an open file: at once when it is short. Resolves to how much was read. */
export async function readPiece(
  { descriptor }: PlainFile,
  into: Buffer,
  position: number,
): Promise<number> {
  if (into.length <= AT_ONCE_BYTES) return readSync(descriptor, into, 0, into.length, position);
  const { bytesRead } = await readAsynchronously(descriptor, into, 0, into.length, position);
  return bytesRead;
}

/** Reads an open file to its end, also one that grows or has no size; `tooLarge` makes what is thrown. */
export async function readWhole(
  file: PlainFile,
  limit: { readonly maxBytes: number; readonly tooLarge: () => Error },
): Promise<Buffer> {
  // With one byte more than the size, the end is seen without another buffer.
  let bytes = Buffer.allocUnsafe(Number(file.stats.size) + 1);
  for (let size = 0; ; ) {
    const count = await readPiece(file, bytes.subarray(size), size);
    if (count === 0) return bytes.subarray(0, size);
    size += count;
    if (size > limit.maxBytes) throw limit.tooLarge();
    if (size === bytes.length) bytes = Buffer.concat([bytes], Math.max(size * 2, 65_536));
  }
}

function refuseSpecial(stats: BigIntStats, path: string): void {
  if (stats.isFile() || stats.isDirectory()) return;
  throw toolFault('io_error', `Not a regular file: ${path}`);
}

const readAsynchronously = promisify(read);

/** What is read or written at once; it takes a tenth of a millisecond. */
export const AT_ONCE_BYTES = 256 * 1024;

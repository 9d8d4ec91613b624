import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { PublishFiles } from './publish-files.ts';

/**
 * Reads a regular file whole; null when it is larger than the limit.
 *
 * Follows no symbolic link in the last place, and does not wait for a pipe to be written to.
 *
 * @throws the error of the system, or one with the code `EINVAL` for anything but a regular file.
 */
export async function readBounded(
  path: string,
  maxBytes: number,
  files: Pick<PublishFiles, 'open'>,
): Promise<Uint8Array | null> {
  const handle = await files.open(path, OPEN_UNFOLLOWED);
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EINVAL' });
    return await readUpTo(handle, maxBytes);
  } finally {
    await handle.close();
  }
}

/** Reads an open file from its start; null when it has more bytes than the limit. */
export async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    // One byte past the limit tells a full file from one that is still longer, or that grew meanwhile.
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, maxBytes + 1 - length));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, length);
    if (bytesRead === 0) return joined(chunks, length);
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) return null;
  }
}

/** Reads only, follows no link in the last place, and does not wait for the other end of a pipe. */
export const OPEN_UNFOLLOWED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

const CHUNK_BYTES = 65_536;

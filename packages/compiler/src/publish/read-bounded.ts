import { constants } from 'node:fs';
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
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await files.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EINVAL' });
    // One byte past the limit tells a full file from one that is still longer, or that grew meanwhile.
    const buffer = new Uint8Array(Math.min(status.size, maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return buffer.slice(0, length);
      length += bytesRead;
    }
    return null;
  } finally {
    await handle.close();
  }
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { digest } from '@millforge/contracts';

/** Digest of what a server is made of: that of its file, or of the digests of its files in their order. */
export async function digestFiles(paths: readonly string[]): Promise<string> {
  const digests: string[] = [];
  for (const path of paths) digests.push(await digestFile(path));
  const [only] = digests;
  return digests.length === 1 && only !== undefined ? only : digest(digests);
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

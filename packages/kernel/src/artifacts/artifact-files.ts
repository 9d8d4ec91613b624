import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ArtifactRef, type Ids, isSha256, MillforgeError, sha256 } from '@millforge/contracts';
import type { Failpoint } from '../failpoints.ts';
import { systemFault } from '../system-fault.ts';

/** Content-addressed files of all tenants, under one directory. */
export interface ArtifactFiles {
  /** Stores bytes durably; more than `maxBytes` are refused, and nothing is kept then. */
  put(
    tenant: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options: {
      readonly mediaType: string;
      readonly maxBytes: number;
      /** Called with the digest before the bytes get their name, so that a collection leaves them alone. */
      readonly pin?: (digest: string) => Promise<void>;
    },
  ): Promise<ArtifactRef>;
  /** Reads bytes whose digest was compared first. */
  open(tenant: string, digest: string): AsyncIterable<Uint8Array>;
  /** Where the bytes of a digest lie. */
  readonly pathOf: (tenant: string, digest: string) => string;
  /** The directory of all tenants. */
  readonly directory: string;
}

/** Keeps artifacts under `directory`; each tenant has a directory of its own, named by a digest. */
export function createArtifactFiles(options: {
  readonly directory: string;
  readonly ids: Ids;
  readonly reach: (name: Failpoint) => void;
}): ArtifactFiles {
  const { directory, ids, reach } = options;
  const home = (tenant: string): string => join(directory, tenantFolder(tenant));
  const pathOf = (tenant: string, digest: string): string =>
    join(home(tenant), digest.slice(0, 2), digest.slice(2));

  return {
    pathOf,
    directory,
    async put(tenant, bytes, { mediaType, maxBytes, pin }) {
      checkTerms(mediaType, maxBytes);
      const incoming = join(home(tenant), 'incoming');
      const temporary = join(incoming, ids.newId('artifact'));
      try {
        await mkdir(incoming, { recursive: true, mode: 0o700 });
        reach('before:write-artifact');
        const written = await writeFile(temporary, bytes, maxBytes);
        reach('after:write-artifact');
        await pin?.(written.digest);
        const path = pathOf(tenant, written.digest);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        reach('before:link-artifact');
        await linkInto(temporary, path, written.digest);
        reach('after:link-artifact');
        return { sha256: written.digest, bytes: written.size, media_type: mediaType };
      } catch (error) {
        throw systemFault(error, directory);
      } finally {
        await rm(temporary, { force: true });
      }
    },
    async *open(tenant, digest) {
      if (typeof digest !== 'string' || !isSha256(digest))
        throw notFound(typeof digest === 'string' ? digest : '');
      const path = pathOf(tenant, digest);
      await verify(path, digest);
      // A second reading may meet another file than the one that was verified, so it is counted along.
      const hash = createHash('sha256');
      for await (const chunk of chunksOf(path)) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest('hex') !== digest) throw corrupt(digest);
    },
  };
}

/** Name of a tenant's own directory; the tenant itself may hold anything. */
export function tenantFolder(tenant: string): string {
  return sha256(tenant).slice(0, 32);
}

/** A limit that is no number limits nothing, so it is refused. */
function checkTerms(mediaType: string, maxBytes: number): void {
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType)) {
    throw invalid('its media type is no text of 1 to 255 visible ASCII characters');
  }
  if (typeof maxBytes !== 'number' || !(maxBytes >= 0)) {
    throw invalid('maxBytes is no number of bytes');
  }
}

function invalid(why: string): MillforgeError {
  return new MillforgeError(
    'artifact/invalid',
    `The artifact cannot be saved: ${why}; nothing was kept.`,
  );
}

const MEDIA_TYPE = /^[\x20-\x7e]{1,255}$/;

async function writeFile(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly digest: string; readonly size: number }> {
  const file = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
      // A text has no bytes before somebody says how they are written.
      if (!(chunk instanceof Uint8Array)) throw invalid('its content is no bytes');
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    await file.sync();
    return { digest: hash.digest('hex'), size };
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.byteLength; ) {
    const { bytesWritten } = await file.write(chunk, written);
    written += bytesWritten;
  }
}

/**
 * Gives a written file its name, and makes the name durable.
 *
 * What has the name already is replaced: it need not have the content that its name says any more, and is as young as
 * what was just saved for whoever collects old ones.
 */
async function linkInto(temporary: string, path: string, digest: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    await replace(temporary, path, digest);
  }
  for (const directory of [dirname(path), dirname(dirname(path))]) {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function replace(temporary: string, path: string, digest: string): Promise<void> {
  try {
    await rename(temporary, path);
  } catch (error) {
    if (hasCode(error, 'EISDIR') || hasCode(error, 'ENOTEMPTY')) throw corrupt(digest);
    throw error;
  }
}

async function verify(path: string, digest: string): Promise<void> {
  const known = await stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) throw notFound(digest);
    throw error;
  });
  if (!known.isFile()) throw corrupt(digest);
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(path)) hash.update(chunk);
  if (hash.digest('hex') !== digest) throw corrupt(digest);
}

async function* chunksOf(path: string): AsyncIterable<Uint8Array> {
  for await (const chunk of createReadStream(path)) {
    if (chunk instanceof Uint8Array) yield chunk;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function tooLarge(maxBytes: number): MillforgeError {
  return new MillforgeError(
    'artifact/too-large',
    `The artifact is larger than ${maxBytes} bytes, which is all that is allowed here; nothing was kept.`,
  );
}

function notFound(digest: string): MillforgeError {
  return new MillforgeError(
    'artifact/not-found',
    `There is no artifact ${digest.slice(0, 64)} here; list the artifacts of the run.`,
  );
}

function corrupt(digest: string): MillforgeError {
  return new MillforgeError(
    'artifact/corrupt',
    `The artifact ${digest} does not have the bytes that its name says; restore it from a backup.`,
  );
}

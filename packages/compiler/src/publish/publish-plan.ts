import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { MAX_PLAN_BYTES, readPlan } from '@millforge/contracts';
import { planFileName } from '../emit/plan-file-name.ts';
import { errorCode } from './error-code.ts';
import { type OpenDirectory, openDirectory } from './open-directory.ts';
import { type PublishFiles, systemFiles } from './publish-files.ts';
import { readBounded } from './read-bounded.ts';

/** One plan, and where its file belongs. */
export interface PublishInput {
  /** Existing directory; the last place of the path is not a symbolic link. */
  readonly directory: string;
  /** The bytes that `compileHarness` gave. */
  readonly bytes: Uint8Array;
}

/** What is known about the file of a plan after publishing. */
export type PublishOutcome =
  | {
      /** The file stands, complete and durable. */
      readonly kind: 'published';
      /** Name of the file in the directory. */
      readonly fileName: string;
      /** Digest of the plan. */
      readonly sha256: string;
      /** Whether an equal file stood there before. */
      readonly reused: boolean;
      /** Name of a temporary file that could not be removed, or null. */
      readonly leftover: string | null;
    }
  | {
      /** Something else stands under the name of this plan; it was left alone. */
      readonly kind: 'conflict';
      /** The name in question. */
      readonly fileName: string;
      /** Digest of the plan. */
      readonly sha256: string;
      /** Name of a temporary file that could not be removed, or null. */
      readonly leftover: string | null;
    }
  | {
      /** The bytes are no plan; nothing was touched. */
      readonly kind: 'rejected';
      /** One sentence each. */
      readonly problems: readonly string[];
    }
  | {
      /** No file of this plan was made. */
      readonly kind: 'not_written';
      /** One sentence. */
      readonly reason: string;
      /** Code of the system error, such as `ENOSPC`. */
      readonly errorCode: string;
      /** Name of a temporary file that could not be removed, or null. */
      readonly leftover: string | null;
    }
  | {
      /** The file was made, but whether it survives a power cut is not certain. */
      readonly kind: 'publish_unsure';
      /** Name of the file in the directory. */
      readonly fileName: string;
      /** Digest of the plan. */
      readonly sha256: string;
      /** Code of the system error. */
      readonly errorCode: string;
      /** Name of a temporary file that could not be removed, or null. */
      readonly leftover: string | null;
    };

/**
 * Writes a plan into a directory under the name of its contents: whole or not at all, mode 0600.
 *
 * Never replaces a file. The same plan published twice, also at the same moment, is one file. Hard
 * links are needed; the directory is never created. Never throws.
 */
export async function publishPlan(
  input: PublishInput,
  files: PublishFiles = systemFiles,
): Promise<PublishOutcome> {
  // A copy: the caller's buffer may change while this waits for the disk.
  const bytes = input.bytes.slice();
  const read = readPlan(bytes);
  if (!read.ok) return { kind: 'rejected', problems: read.problems };
  const file = { fileName: planFileName(read.plan), sha256: read.sha256 };
  let directory: OpenDirectory;
  try {
    directory = await openDirectory(input.directory, files);
  } catch (error) {
    return notWritten('The directory could not be opened; it must exist and not be a link.', error);
  }
  try {
    return await publishInto(directory, { ...file, bytes, files });
  } finally {
    await directory.handle.close().catch(ignore);
  }
}

interface Publication {
  readonly fileName: string;
  readonly sha256: string;
  readonly bytes: Uint8Array;
  readonly files: PublishFiles;
}

async function publishInto(directory: OpenDirectory, work: Publication): Promise<PublishOutcome> {
  const { files, fileName, sha256 } = work;
  let linked: LinkResult;
  try {
    if (!(await directory.isSame())) throw Object.assign(new Error('moved'), { code: 'ESTALE' });
    const temporary = await createTemporary(directory, work);
    linked = await writeAndLink(temporary, directory, work);
  } catch (error) {
    return notWritten('The plan could not be written; nothing of it was left behind.', error);
  }
  const { leftover } = linked;
  if (linked.kind === 'failed') {
    return { ...notWritten('The plan could not be written.', linked.error), leftover };
  }
  try {
    const standing = await readBounded(directory.pathOf(fileName), MAX_PLAN_BYTES, files);
    if (standing === null || !isEqual(standing, work.bytes)) {
      return linked.kind === 'taken'
        ? { kind: 'conflict', fileName, sha256, leftover }
        : { kind: 'publish_unsure', fileName, sha256, errorCode: 'EIO', leftover };
    }
    await directory.handle.sync();
    return { kind: 'published', fileName, sha256, reused: linked.kind === 'taken', leftover };
  } catch (error) {
    // What stands under the name cannot be read as a file: it is not ours, so it is a conflict.
    if (linked.kind === 'taken' && FOREIGN.has(errorCode(error))) {
      return { kind: 'conflict', fileName, sha256, leftover };
    }
    return { kind: 'publish_unsure', fileName, sha256, errorCode: errorCode(error), leftover };
  }
}

type LinkResult = { readonly leftover: string | null } & (
  | { readonly kind: 'linked' | 'taken' }
  | { readonly kind: 'failed'; readonly error: unknown }
);

interface Temporary {
  readonly name: string;
  readonly handle: FileHandle;
}

/**
 * Makes a new file under the first free name of a row that belongs to this plan.
 *
 * A name that is taken is another writer's, or was left by one that died: it is never touched.
 */
async function createTemporary(
  directory: OpenDirectory,
  { files, sha256 }: Publication,
): Promise<Temporary> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  for (let attempt = 0; ; attempt++) {
    const name = `.millforge-${sha256.slice(0, 16)}-${attempt}.tmp`;
    try {
      return { name, handle: await files.open(directory.pathOf(name), flags, 0o600) };
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || attempt === MAX_TEMPORARIES) throw error;
    }
  }
}

/** Fills a temporary file, gives it the final name if that is free, and takes the temporary one away. */
async function writeAndLink(
  { name, handle }: Temporary,
  directory: OpenDirectory,
  { files, fileName, bytes }: Publication,
): Promise<LinkResult> {
  const temporary = directory.pathOf(name);
  let result: { kind: 'linked' | 'taken' } | { kind: 'failed'; error: unknown };
  try {
    await fill(handle, bytes);
    result = { kind: await linkUnlessTaken(temporary, directory.pathOf(fileName), files) };
  } catch (error) {
    result = { kind: 'failed', error };
  }
  try {
    await files.unlink(temporary);
    return { ...result, leftover: null };
  } catch (error) {
    return { ...result, leftover: errorCode(error) === 'ENOENT' ? null : name };
  }
}

async function fill(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function linkUnlessTaken(
  from: string,
  to: string,
  files: PublishFiles,
): Promise<'linked' | 'taken'> {
  try {
    await files.link(from, to);
    return 'linked';
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return 'taken';
    throw error;
  }
}

function notWritten(reason: string, error: unknown) {
  return { kind: 'not_written', reason, errorCode: errorCode(error), leftover: null } as const;
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function ignore(): void {
  // A directory that was only read has nothing to lose when closing it fails.
}

/** More writers of one plan at one moment than a machine has. */
const MAX_TEMPORARIES = 1000;

const FOREIGN: ReadonlySet<string> = new Set(['ELOOP', 'EINVAL', 'EISDIR', 'EACCES', 'ENXIO']);

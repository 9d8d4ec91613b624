import { MAX_PLAN_BYTES, readPlan } from '@millforge/contracts';
import { planFileName } from '../emit/plan-file-name.ts';
import { errorCode } from './error-code.ts';
import { type OpenDirectory, openDirectory, staleDirectory } from './open-directory.ts';
import { type PublishFiles, systemFiles } from './publish-files.ts';
import { readBounded } from './read-bounded.ts';
import { type Leftover, type NewFile, removeTemporary, writeTemporary } from './temporary-file.ts';

/** One plan, and where its file belongs. */
export interface PublishInput {
  /** Existing directory; the last place of the path is not a symbolic link. */
  readonly directory: string;
  /** The bytes that `compileHarness` gave. */
  readonly bytes: Uint8Array;
}

/** What is known about the file of a plan after publishing. */
export type PublishOutcome =
  | PlanPublication
  | {
      /** The bytes are no plan; nothing was touched. */
      readonly kind: 'rejected';
      /** One sentence each. */
      readonly problems: readonly string[];
    };

/** What is known about the file of a plan once it was to be written. */
export type PlanPublication =
  | {
      /** The file stands, complete and durable, and no temporary one beside it. */
      readonly kind: 'published';
      /** Name of the file in the directory. */
      readonly fileName: string;
      /** Digest of the plan. */
      readonly sha256: string;
      /** Whether an equal file stood there before. */
      readonly reused: boolean;
    }
  | {
      /** Something else stands under the name of this plan; it was left alone. */
      readonly kind: 'conflict';
      /** The name in question. */
      readonly fileName: string;
      /** Digest of the plan. */
      readonly sha256: string;
      /** A temporary file that could not be removed, or null. */
      readonly leftover: Leftover | null;
    }
  | {
      /** No file of this plan was made. */
      readonly kind: 'not_written';
      /** One sentence. */
      readonly reason: string;
      /** Code of the system error, such as `ENOSPC`. */
      readonly errorCode: string;
      /** A temporary file that could not be removed, or null. */
      readonly leftover: Leftover | null;
    }
  | {
      /** The file was made, but it was not confirmed, or a temporary one is left beside it. */
      readonly kind: 'publish_unsure';
      /** Name of the file in the directory. */
      readonly fileName: string;
      /** Digest of the plan. */
      readonly sha256: string;
      /** Code of the system error that kept it from being confirmed; null where it was confirmed. */
      readonly errorCode: string | null;
      /** A temporary file that could not be removed, or null. */
      readonly leftover: Leftover | null;
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
  const plan = { fileName: planFileName(read.plan), sha256: read.sha256, bytes };
  let directory: OpenDirectory;
  try {
    directory = await openDirectory(input.directory, files);
  } catch (error) {
    return notWritten('The directory could not be opened; it must exist and not be a link.', error);
  }
  try {
    if (!(await directory.isSame())) throw staleDirectory();
    return await publishInto(directory, plan, files);
  } catch (error) {
    return notWritten('The plan could not be written; nothing of it was left behind.', error);
  } finally {
    await directory.handle.close().catch(ignore);
  }
}

/** A plan that was verified, and the name of its file. */
export interface VerifiedPlan extends NewFile {
  /** Digest of the plan. */
  readonly sha256: string;
}

/** Writes a verified plan into an open directory. Never throws. */
export async function publishInto(
  directory: OpenDirectory,
  plan: VerifiedPlan,
  files: PublishFiles,
): Promise<PlanPublication> {
  const written = await writeTemporary(directory, plan, files);
  if (!written.ok) {
    return { ...notWritten(NOT_WRITTEN, written.error), leftover: written.leftover };
  }
  const temporary = directory.pathOf(written.name);
  const link = await linkUnlessTaken(directory, { temporary, fileName: plan.fileName }, files);
  const leftover = await removeTemporary(directory, written.name, files);
  if (link.kind === 'failed') return { ...notWritten(NOT_WRITTEN, link.error), leftover };
  const { fileName, sha256 } = plan;
  const standing = await lookAt(directory, plan, files);
  const isTaken = link.kind === 'taken';
  if (isTaken && standing.kind === 'foreign')
    return { kind: 'conflict', fileName, sha256, leftover };
  if (standing.kind === 'equal' && leftover === null) {
    return { kind: 'published', fileName, sha256, reused: isTaken };
  }
  const code = standing.kind === 'equal' ? null : standing.errorCode;
  return { kind: 'publish_unsure', fileName, sha256, errorCode: code, leftover };
}

type LinkResult =
  | { readonly kind: 'linked' | 'taken' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Gives a temporary file its final name, if that is free. */
async function linkUnlessTaken(
  directory: OpenDirectory,
  { temporary, fileName }: { readonly temporary: string; readonly fileName: string },
  files: PublishFiles,
): Promise<LinkResult> {
  const path = directory.pathOf(fileName);
  try {
    await directory.within(() => files.link(temporary, path));
    return { kind: 'linked' };
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return { kind: 'taken' };
    // A file system behind a network can do what it reports as failed, so only an absent name is a no:
    // what stands there is looked at.
    const isAbsent = await files.lstat(path, { bigint: true }).then(
      () => false,
      (missing: unknown) => errorCode(missing) === 'ENOENT',
    );
    return isAbsent ? { kind: 'failed', error } : { kind: 'taken' };
  }
}

type Standing =
  | { readonly kind: 'equal' }
  | { readonly kind: 'foreign' | 'unknown'; readonly errorCode: string };

/** What stands under the name of a plan, and whether it survives a power cut. */
async function lookAt(
  directory: OpenDirectory,
  { fileName, bytes }: NewFile,
  files: PublishFiles,
): Promise<Standing> {
  try {
    const path = directory.pathOf(fileName);
    const found = await directory.within(() => readBounded(path, MAX_PLAN_BYTES, files));
    if (found === null || !isEqual(found, bytes)) return { kind: 'foreign', errorCode: 'EIO' };
    await directory.handle.sync();
    return { kind: 'equal' };
  } catch (error) {
    const code = errorCode(error);
    // What cannot be read as a file of ours is not ours.
    return { kind: FOREIGN.has(code) ? 'foreign' : 'unknown', errorCode: code };
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

const NOT_WRITTEN = 'The plan could not be written.';
const FOREIGN: ReadonlySet<string> = new Set(['ELOOP', 'EINVAL', 'EISDIR', 'ENXIO']);

import type { FileHandle } from 'node:fs/promises';
import { type PublishFiles, systemFiles } from '@millforge/compiler/publish';

/** One thing that was asked of the file system. */
export interface DiskOperation {
  /** What: `open`, `link`, `handle.sync`, … */
  readonly name: string;
  /** On what; a member of the output directory by its name alone. */
  readonly path: string;
}

/** What to do at one operation. */
export interface DiskFault {
  /** Number of the operation, from 0. */
  readonly at: number;
  /** Fail with this code, before or after the operation has its effect; or die before or after it. */
  readonly how: DiskFailure | 'die-before' | 'die-after';
}

/** An operation that fails, or that something else comes before. */
export type DiskFailure =
  | { readonly error: string; readonly isDone?: boolean }
  | { readonly before: () => Promise<unknown> };

/** A file system that keeps a list of what was asked of it, and fails or dies where it is told to. */
export function faultyDisk(fault: DiskFault | null = null, base: PublishFiles = systemFiles) {
  const operations: DiskOperation[] = [];
  let isDead = false;

  async function step<T>(operation: DiskOperation, act: () => Promise<T>): Promise<T> {
    const isHere = operations.length === fault?.at;
    operations.push(operation);
    if (isDead || (isHere && fault.how === 'die-before')) {
      isDead = true;
      throw new Error('dead');
    }
    if (!isHere) return act();
    const { how } = fault;
    if (typeof how === 'object' && 'before' in how) {
      await how.before();
      return act();
    }
    if (typeof how === 'object' && how.isDone !== true) throw failure(how.error);
    const result = await act();
    if (typeof how === 'object') throw failure(how.error);
    isDead = true;
    return result;
  }

  const files: PublishFiles = {
    ...base,
    async open(path, flags, mode) {
      let handle: FileHandle | null = null;
      try {
        return await step({ name: 'open', path: nameOf(path) }, async () => {
          handle = await base.open(path, flags, mode);
          return watched(handle, nameOf(path));
        });
      } catch (error) {
        await release(handle);
        throw error;
      }
    },
    link: (from, to) => step({ name: 'link', path: nameOf(to) }, () => base.link(from, to)),
    rename: (from, to) => step({ name: 'rename', path: nameOf(to) }, () => base.rename(from, to)),
    unlink: (path) => step({ name: 'unlink', path: nameOf(path) }, () => base.unlink(path)),
    lstat: (path, options) =>
      step({ name: 'lstat', path: nameOf(path) }, () => base.lstat(path, options)),
    realpath: (path) => step({ name: 'realpath', path: nameOf(path) }, () => base.realpath(path)),
    readdir: (path) => step({ name: 'readdir', path: nameOf(path) }, () => base.readdir(path)),
  };

  function watched(handle: FileHandle, path: string): FileHandle {
    for (const name of ['writeFile', 'sync', 'stat', 'read'] as const) {
      const act: unknown = handle[name].bind(handle);
      if (typeof act !== 'function') continue;
      Object.assign(handle, {
        [name]: (...given: unknown[]) =>
          step({ name: `handle.${name}`, path }, async () => act(...given)),
      });
    }
    const close = handle.close.bind(handle);
    handle.close = async () => {
      // Closing that fails, or is left to the end of a process, still closes.
      await close();
      await step({ name: 'handle.close', path }, async () => {});
    };
    return handle;
  }

  return { files, operations };
}

async function release(handle: FileHandle | null): Promise<void> {
  await handle?.close().catch(() => {});
}

function failure(code: string): Error {
  return Object.assign(new Error('/secret/path'), { code });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

import { type FileHandle, open, statfs } from 'node:fs/promises';
import type { Clock } from '@millforge/contracts';
import type { SandboxLimit } from '../sandbox-limits.ts';

/** Looks from outside at the private folder of a run. */
export interface DiskWatch {
  /** Takes what bubblewrap says of the run. */
  readonly onStatus: (text: string) => void;
  /** After the end: whether the folder was full. */
  readonly limitsMet: () => Promise<readonly SandboxLimit[]>;
}

/**
 * Holds the private folder of a run open, so that it can be looked at after the end. A run that ends before
 * the folder was found cannot have filled it.
 */
export function watchDisk(diskBytes: number, clock: Clock): DiskWatch {
  const over = new AbortController();
  let finding: Promise<FileHandle | null> | null = null;
  return {
    onStatus(text) {
      const pid = /"child-pid": (?<pid>\d+)/u.exec(text)?.groups?.['pid'];
      if (pid === undefined) return;
      finding ??= findFolder(`/proc/${pid}/root/tmp`, { diskBytes, clock, over: over.signal });
    },
    async limitsMet() {
      over.abort();
      const folder = await finding;
      if (folder === null) return [];
      try {
        const { bfree, blocks } = await statfs(`/proc/self/fd/${folder.fd}`);
        return bfree * NEARLY_FULL < blocks ? ['disk'] : [];
      } catch {
        // Without a look at it nothing can be said.
        return [];
      } finally {
        await folder.close();
      }
    },
  };
}

/** The number of the process is told before its mounts are made: until then the path is one of the host. */
async function findFolder(
  path: string,
  run: { readonly diskBytes: number; readonly clock: Clock; readonly over: AbortSignal },
): Promise<FileHandle | null> {
  for (let pause = 1; !run.over.aborted && pause < LONGEST_PAUSE_MS; pause *= 2) {
    const folder = await open(path).catch(() => null);
    if (folder !== null && (await isPrivate(folder, run.diskBytes))) return folder;
    await folder?.close();
    await run.clock.delay(pause, run.over).catch(() => undefined);
  }
  return null;
}

async function isPrivate(folder: FileHandle, diskBytes: number): Promise<boolean> {
  const { type, blocks, bsize } = await statfs(`/proc/self/fd/${folder.fd}`);
  return type === TMPFS && blocks === Math.ceil(diskBytes / bsize);
}

const TMPFS = 0x0102_1994;
const LONGEST_PAUSE_MS = 1000;
const NEARLY_FULL = 100;

import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '@millforge/contracts';

/** Looks from outside at the memory of a run that no control group bounds. */
export interface MemoryWatch {
  /** Takes what bubblewrap says of the run, and what is to be called when it holds too much. */
  readonly onStatus: (text: string, onFull: () => void) => void;
  /** Ends the watch. */
  readonly end: () => Promise<void>;
}

/**
 * Adds up, every 100 ms, what the processes of a run hold, shared memory by its share, and tells
 * when it is more than the limit. In between more may be taken, at most as fast as memory can be written.
 */
export function watchMemory(memoryBytes: number, clock: Clock): MemoryWatch {
  const over = new AbortController();
  let watching: Promise<void> | null = null;
  const watch = async (pid: number, onFull: () => void): Promise<void> => {
    while (!over.signal.aborted) {
      if ((await heldBy(pid)) > memoryBytes) return onFull();
      await clock.delay(PAUSE_MS, over.signal).catch(() => undefined);
    }
  };
  return {
    onStatus(text, onFull) {
      const pid = /"child-pid": (?<pid>\d+)/u.exec(text)?.groups?.['pid'];
      if (pid !== undefined) watching ??= watch(Number(pid), onFull);
    },
    async end() {
      over.abort();
      await watching;
    },
  };
}

/** Bytes that a process and all below it hold. */
async function heldBy(root: number): Promise<number> {
  let held = 0;
  const pending = [root];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    // A child belongs to the thread that started it.
    for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      const children = await read(`/proc/${pid}/task/${thread}/children`);
      pending.push(...children.split(' ').filter(Boolean).map(Number));
    }
    held += await heldByOne(pid);
  }
  return held;
}

async function heldByOne(pid: number): Promise<number> {
  const rollup = await read(`/proc/${pid}/smaps_rollup`);
  const share = /^Pss:\s+(?<kib>\d+) kB$/mu.exec(rollup)?.groups?.['kib'];
  if (share !== undefined) return Number(share) * 1024;
  // A process may keep that to itself, but not how many pages it has; then shared ones count in full.
  const [, pages = '0'] = (await read(`/proc/${pid}/statm`)).split(' ');
  return Number(pages) * PAGE_BYTES;
}

async function read(path: string): Promise<string> {
  // A process may end while it is looked at.
  return readFile(path, 'utf8').catch(() => '');
}

const PAUSE_MS = 100;
const PAGE_BYTES = 4096;

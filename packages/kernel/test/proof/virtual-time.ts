import type { Clock } from '@millforge/contracts';

/** A source of numbers from a seed. */
export type Random = () => number;

/** Numbers from 0 to below 1, the same for the same seed. */
export function randomOf(seed: number): Random {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Time that moves only when it is told to, and wakes what waits in a drawn order. */
export interface VirtualTime {
  now(): number;
  /** A clock of one process; its wall time can be set wrong, and while it is stopped nothing of it wakes. */
  clock(process: VirtualProcess): Clock;
  /** Waits as part of a process. */
  wait(process: VirtualProcess, ms: number): Promise<void>;
  /** Wakes one of those that are due next; false when nothing waits. */
  step(): boolean;
}

/** A process as time sees it. */
export interface VirtualProcess {
  isStopped: boolean;
  isDead: boolean;
  wallOffsetMs: number;
}

/** Begins at a fixed moment. */
export function virtualTime(random: Random): VirtualTime {
  let elapsed = 0;
  let sleepers: Sleeper[] = [];

  const sleep = (process: VirtualProcess, ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const abort = (): void => {
        sleepers = sleepers.filter((one) => one !== sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const sleeper: Sleeper = { process, end: elapsed + Math.max(0, ms), wake };
      signal?.addEventListener('abort', abort, { once: true });
      sleepers.push(sleeper);
    });

  return {
    now: () => elapsed,
    clock: (process) => ({
      now: () => START + elapsed + process.wallOffsetMs,
      monotonicMs: () => elapsed,
      delay: (ms, signal) => sleep(process, ms, signal),
    }),
    wait: (process, ms) => sleep(process, ms),
    step() {
      sleepers = sleepers.filter(({ process }) => !process.isDead);
      const awake = sleepers.filter(({ process }) => !process.isStopped);
      if (awake.length === 0) return false;
      const first = Math.min(...awake.map(({ end }) => end));
      // What ends at about the same time may come in any order.
      const due = awake.filter(({ end }) => end <= first + BLUR_MS);
      const chosen = due[Math.floor(random() * due.length)];
      if (chosen === undefined) return false;
      sleepers = sleepers.filter((one) => one !== chosen);
      elapsed = Math.max(elapsed, chosen.end);
      chosen.wake();
      return true;
    },
  };
}

interface Sleeper {
  readonly process: VirtualProcess;
  readonly end: number;
  readonly wake: () => void;
}

const START = Date.UTC(2026, 0, 1);
const BLUR_MS = 3;

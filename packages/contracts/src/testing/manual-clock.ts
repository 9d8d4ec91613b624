import { type Clock, MillforgeError } from '@millforge/contracts';

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time on; the delays that end on the way resolve in the order of their ends. */
  advance(ms: number): void;
  /** Number of delays that have not ended. */
  readonly pendingDelays: number;
}

/** Makes a clock that begins at `startMs` since the epoch, by default 2026-01-01T00:00:00Z. */
export function manualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let sleepers: Sleeper[] = [];
  return {
    now: () => startMs + elapsed,
    monotonicMs: () => elapsed,
    get pendingDelays() {
      return sleepers.length;
    },
    advance(ms) {
      if (!(ms >= 0)) throw new MillforgeError('testing/clock', 'Time moves forward only.');
      elapsed += ms;
      const due = sleepers.filter(({ end }) => end <= elapsed);
      sleepers = sleepers.filter(({ end }) => end > elapsed);
      for (const { wake } of due.toSorted((a, b) => a.end - b.end)) wake();
    },
    delay(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        if (ms <= 0) {
          resolve();
          return;
        }
        const abort = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          end: elapsed + ms,
          wake: () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        sleepers.push(sleeper);
      });
    },
  };
}

interface Sleeper {
  readonly end: number;
  readonly wake: () => void;
}

import { kernelError } from '../kernel-error.ts';

/** A number of places that attempts take while they run. */
export interface Slots {
  /** Takes a place if one is free, and gives the function that frees it; null when all are taken. */
  take(): (() => void) | null;
  /** Resolves when a place may have become free. */
  freed(): Promise<void>;
}

/** Makes so many places; at least one, for whoever waits for a place among none waits for good. */
export function createSlots(count: number): Slots {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw kernelError(
      'kernel/argument-invalid',
      `The concurrency ${String(count)} is no number of attempts; give a whole number from 1.`,
    );
  }
  let free = count;
  let waiting: (() => void)[] = [];
  return {
    take() {
      if (free === 0) return null;
      free -= 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        free += 1;
        const woken = waiting;
        waiting = [];
        for (const wake of woken) wake();
      };
    },
    freed() {
      if (free > 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

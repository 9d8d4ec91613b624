import type { Clock } from '@millforge/contracts';

/** What ended an exchange from outside. */
type Stop = 'cancelled' | 'timeout';

/** The time that one exchange has, ended early by the caller's signal. */
export interface TimeLimit {
  /** Aborts when the time is over or the caller gives up. */
  readonly signal: AbortSignal;
  /** What ended it, or null while it runs; a caller who gave up counts before the clock. */
  stopped(): Stop | null;
  /** Milliseconds left. */
  remainingMs(): number;
  /** Settles with the work, or rejects at once when the limit ends; the work itself is not awaited. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Frees timer and listener; owed by whoever started it. */
  release(): void;
}

/** Starts the time of one exchange. */
export function startTimeLimit(start: {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}): TimeLimit {
  const { clock, timeoutMs } = start;
  const began = clock.monotonicMs();
  const over = new AbortController();
  const released = new AbortController();
  let expired = false;
  const cancel = () => over.abort();
  start.signal.addEventListener('abort', cancel, { once: true });
  if (start.signal.aborted) cancel();
  clock.delay(timeoutMs, released.signal).then(
    () => {
      expired = true;
      over.abort();
    },
    // Released before the time was over.
    () => undefined,
  );
  return {
    signal: over.signal,
    stopped() {
      if (start.signal.aborted) return 'cancelled';
      return expired ? 'timeout' : null;
    },
    remainingMs: () => timeoutMs - (clock.monotonicMs() - began),
    race: (work) => raceAbort(work, over.signal),
    release() {
      start.signal.removeEventListener('abort', cancel);
      released.abort();
    },
  };
}

/**
 * Settles with the work, or rejects when the signal aborts; the work itself is not awaited.
 *
 * `AbortSignal.any` and `Promise.race` would keep every loser alive as long as the signal lives.
 */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const lose = () => reject(new DOMException('The exchange was stopped.', 'AbortError'));
    if (signal.aborted) lose();
    signal.addEventListener('abort', lose, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', lose));
  });
}

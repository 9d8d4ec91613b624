import type { Clock } from '@millforge/contracts';

/** Notices when nothing was heard for a while. */
export interface IdleWatch {
  /** Aborts when the silence was too long. */
  readonly signal: AbortSignal;
  /** Something was heard. */
  touch(): void;
  /** Frees the timer; owed by whoever started it. */
  release(): void;
}

/**
 * Starts to listen for silence.
 *
 * One wait at a time, begun again with what is left of it, so that a touch costs no timer.
 */
export function startIdleWatch(clock: Clock, idleMs: number): IdleWatch {
  const silent = new AbortController();
  const released = new AbortController();
  let heardAt = clock.monotonicMs();
  const wait = (ms: number): void => {
    clock.delay(ms, released.signal).then(
      () => {
        const left = idleMs - (clock.monotonicMs() - heardAt);
        if (left > 0) wait(left);
        else silent.abort();
      },
      // Released: nobody listens any more.
      () => undefined,
    );
  };
  wait(idleMs);
  return {
    signal: silent.signal,
    touch() {
      heardAt = clock.monotonicMs();
    },
    release() {
      released.abort();
    },
  };
}

import type { Clock } from '@millforge/contracts';

/** The signal of one act: aborts when the run stops, and at the deadline. */
export interface ActSignal {
  /** What the act is given. */
  readonly signal: AbortSignal;
  /** Ends the wait for the deadline; the signal is left as it is. */
  readonly release: () => void;
}

/** Makes the signal of an act; a run without a deadline shares the one it has. */
export function actSignal(
  stop: AbortSignal,
  deadline: { readonly clock: Clock; readonly remainingMs: number },
): ActSignal {
  if (deadline.remainingMs === Number.POSITIVE_INFINITY)
    return { signal: stop, release: doNothing };
  const act = new AbortController();
  const waiting = new AbortController();
  const onStop = (): void => act.abort(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  deadline.clock.delay(deadline.remainingMs, waiting.signal).then(
    () => act.abort(new DOMException('The deadline of the run has passed.', 'TimeoutError')),
    // The wait was ended because the act has settled.
    () => {},
  );
  return {
    signal: act.signal,
    release: () => {
      stop.removeEventListener('abort', onStop);
      // A reason of its own spares making an exception with a stack for every act.
      waiting.abort(SETTLED);
    },
  };
}

function doNothing(): void {}

const SETTLED = 'settled';

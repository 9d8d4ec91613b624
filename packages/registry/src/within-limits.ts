import type { Clock } from '@millforge/contracts';

/** What stopped a piece of work before it ended by itself. */
export type Stop = 'timeout' | 'cancelled';

/** How a piece of work under limits ended. */
export type Settled<T> =
  | { readonly kind: 'returned'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown; readonly stop: Stop | null }
  /** It was told to stop and did not settle within the grace; it may still be running. */
  | { readonly kind: 'abandoned'; readonly stop: Stop };

/** The limits of one piece of work. */
export interface Limits {
  readonly clock: Clock;
  /** Stops the work from outside. */
  readonly signal: AbortSignal;
  /** Time until the work is told to stop. */
  readonly timeoutMs: number;
  /** Time that it may take to settle after that. */
  readonly graceMs: number;
}

/** Where work finds the signal that stops it; a signal is made when it is first asked for. */
export type Halt = Pick<AbortController, 'signal'>;

/**
 * Runs work until it settles, or for the grace period after it was told to stop.
 *
 * Always resolves. What an abandoned piece of work gives in the end goes to `onLate`.
 */
export function withinLimits<T>(
  limits: Limits,
  work: (halt: Halt) => Promise<T>,
  onLate: (value: T) => void = ignore,
): Promise<Settled<T>> {
  const { clock, signal, timeoutMs, graceMs } = limits;
  return new Promise((resolve) => {
    const inner = new AbortController();
    const timers = new AbortController();
    let [stop, isTimed, isSettled]: [Stop | null, boolean, boolean] = [null, false, false];
    const after = (ms: number, then: () => void): void => {
      isTimed = true;
      clock.delay(ms, timers.signal).then(then, ignore);
    };
    const settle = (result: Settled<T>): void => {
      isSettled = true;
      if (isTimed) timers.abort(SETTLED);
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const halt = (why: Stop, reason: unknown): void => {
      if (stop !== null || isSettled) return;
      stop = why;
      inner.abort(reason);
      after(graceMs, () => {
        if (!isSettled) settle({ kind: 'abandoned', stop: why });
      });
    };
    const onAbort = (): void => halt(stopOf(signal), signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    begin(() => work(inner)).then(
      (value) => (isSettled ? onLate(value) : settle({ kind: 'returned', value })),
      (error: unknown) => {
        if (!isSettled) settle({ kind: 'threw', error, stop });
      },
    );
    void onceItWaits(
      () => isSettled,
      () =>
        after(timeoutMs, () =>
          halt('timeout', new DOMException('The time limit of the tool is over.', 'TimeoutError')),
        ),
    );
  });
}

/** Turns a synchronous throw into a rejection. */
function begin<T>(work: () => Promise<T>): Promise<T> {
  try {
    // Code without types may give anything back.
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * Calls back when work waits for the outside.
 *
 * Work that does not settles within a few microtasks, between which no time passes; setting and clearing
 * a timer for it would take longer than the work.
 */
async function onceItWaits(isSettled: () => boolean, then: () => void): Promise<void> {
  for (let turn = 0; turn < MICROTASKS; turn++) {
    await Promise.resolve();
    if (isSettled()) return;
  }
  then();
}

/** Why a signal was aborted, by the name that `AbortSignal.timeout` gives its reason. */
export function stopOf(signal: AbortSignal): Stop {
  const reason: unknown = signal.reason;
  return typeof reason === 'object' &&
    reason !== null &&
    'name' in reason &&
    reason.name === 'TimeoutError'
    ? 'timeout'
    : 'cancelled';
}

function ignore(): void {}

// One reason for all: without one, each call would pay for a DOMException that nobody sees.
const SETTLED = Object.freeze(new Error('The work has settled.'));

const MICROTASKS = 10;

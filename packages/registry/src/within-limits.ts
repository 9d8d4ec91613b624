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
 * Never throws and never rejects; work that answers at once has its end at once. What an abandoned piece of
 * work gives in the end goes to `onLate`.
 */
export function withinLimits<T>(
  limits: Limits,
  work: (halt: Halt) => Promise<T> | T,
  onLate: (value: T) => void = ignore,
): Settled<T> | Promise<Settled<T>> {
  const { signal } = limits;
  const inner = new AbortController();
  if (signal.aborted) inner.abort(signal.reason);
  let answer: Promise<T> | T;
  try {
    answer = work(inner);
    if (isPlain(answer)) return { kind: 'returned', value: answer };
  } catch (error) {
    return { kind: 'threw', error, stop: signal.aborted ? stopOf(signal) : null };
  }
  // Code without types may give anything back.
  return settleWithin({ inner, limits, onLate }, Promise.resolve(answer));
}

/** An object that is no promise for certain, told without asking it for a `then` that may act. */
function isPlain<T>(answer: Promise<T> | T): answer is Exclude<T, Promise<T>> {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    Object.getPrototypeOf(answer) === Object.prototype &&
    !Object.hasOwn(answer, 'then')
  );
}

async function settleWithin<T>(
  {
    inner,
    limits,
    onLate,
  }: {
    readonly inner: AbortController;
    readonly limits: Limits;
    readonly onLate: (value: T) => void;
  },
  answer: Promise<T>,
): Promise<Settled<T>> {
  const { signal } = limits;
  const watch: Watch<T> = { inner, stop: null, settled: null, wake: null };
  answer.then(
    (value) => {
      if (watch.settled !== null) onLate(value);
      else settle(watch, { kind: 'returned', value });
    },
    (error: unknown) => {
      const stop = watch.stop ?? (signal.aborted ? stopOf(signal) : null);
      settle(watch, { kind: 'threw', error, stop });
    },
  );
  // Work that does not wait for the outside settles within a few microtasks, between which no time passes;
  // listening to the signal and setting a timer for it would take longer than the work.
  for (let turn = 0; turn < MICROTASKS; turn++) {
    await RESOLVED;
    if (watch.settled !== null) return watch.settled;
  }
  return waitFor(watch, limits);
}

/** One piece of work, as far as it has come. */
interface Watch<T> {
  readonly inner: AbortController;
  /** Why it was told to stop, once it was. */
  stop: Stop | null;
  settled: Settled<T> | null;
  /** Called when it settles. */
  wake: ((settled: Settled<T>) => void) | null;
}

function settle<T>(watch: Watch<T>, settled: Settled<T>): void {
  if (watch.settled !== null) return;
  watch.settled = settled;
  watch.wake?.(settled);
}

/** Waits for work that waits for the outside, and tells it to stop when it has to. */
function waitFor<T>(watch: Watch<T>, limits: Limits): Promise<Settled<T>> {
  const { clock, signal, timeoutMs, graceMs } = limits;
  const timers = new AbortController();
  const after = (ms: number, then: () => void): void => {
    clock.delay(ms, timers.signal).then(then, ignore);
  };
  const halt = (why: Stop, reason: unknown): void => {
    if (watch.stop !== null || watch.settled !== null) return;
    watch.stop = why;
    watch.inner.abort(reason);
    after(graceMs, () => settle(watch, { kind: 'abandoned', stop: why }));
  };
  const onAbort = (): void => halt(stopOf(signal), signal.reason);
  return new Promise((resolve) => {
    watch.wake = (settled) => {
      timers.abort(SETTLED);
      signal.removeEventListener('abort', onAbort);
      resolve(settled);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    after(timeoutMs, () =>
      halt('timeout', new DOMException('The time limit of the tool is over.', 'TimeoutError')),
    );
  });
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

const RESOLVED = Promise.resolve();
const MICROTASKS = 10;

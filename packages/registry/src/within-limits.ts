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

/**
 * Runs work until it settles, or for the grace period after it was told to stop.
 *
 * Always resolves. What an abandoned piece of work gives in the end goes to `onLate`.
 */
export async function withinLimits<T>(
  limits: Limits,
  work: (signal: AbortSignal) => Promise<T>,
  onLate: (value: T) => void = ignore,
): Promise<Settled<T>> {
  const { clock, signal, timeoutMs, graceMs } = limits;
  const inner = new AbortController();
  const timers = new AbortController();
  let stop: Stop | null = null;
  const halt = (why: Stop, reason: unknown): void => {
    stop ??= why;
    inner.abort(reason);
  };
  const onAbort = (): void => halt(stopOf(signal), signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  let first: 'work' | 'grace' | null = null;
  // The inner function turns a synchronous throw into a rejection.
  const settled = (async () => work(inner.signal))().then(
    (value): Settled<T> => {
      first ??= 'work';
      if (first === 'grace') onLate(value);
      return { kind: 'returned', value };
    },
    (error: unknown): Settled<T> => {
      first ??= 'work';
      return { kind: 'threw', error, stop };
    },
  );
  clock
    .delay(timeoutMs, timers.signal)
    .then(() =>
      halt('timeout', new DOMException('The time limit of the tool is over.', 'TimeoutError')),
    )
    .catch(ignore);
  const abandoned = aborted(inner.signal)
    .then(() => clock.delay(graceMs, timers.signal))
    .catch(ignore)
    .then((): Settled<T> => {
      first ??= 'grace';
      return { kind: 'abandoned', stop: stop ?? 'cancelled' };
    });

  const result = await Promise.race([settled, abandoned]);
  timers.abort(SETTLED);
  signal.removeEventListener('abort', onAbort);
  return result;
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function ignore(): void {}

// One reason for all: without one, each call would pay for a DOMException that nobody sees.
const SETTLED = Object.freeze(new Error('The work has settled.'));

import type { Clock } from '@millforge/contracts';

/**
 * Waits for work that was asked to stop by its signal, but then for a grace period of five seconds only: code that
 * does not listen may go on, and nobody waits for it.
 *
 * @throws What the work throws; the reason of the signal where it was given up.
 */
export async function untilGivenUp<T>(
  work: Promise<T>,
  stop: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<T> {
  const end: { settled: Settled<T> | null } = { settled: null };
  work.then(
    (value) => {
      end.settled = { ok: true, value };
    },
    (error: unknown) => {
      end.settled = { ok: false, error };
    },
  );
  // Listening takes longer than work that waits for nothing outside.
  for (let turn = 0; turn < MICROTASKS; turn++) {
    await RESOLVED;
    const { settled } = end;
    if (settled === null) continue;
    if (settled.ok) return settled.value;
    throw settled.error;
  }
  return await listening(work, stop);
}

type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

function listening<T>(
  work: Promise<T>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<T> {
  const waiting = new AbortController();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clock.delay(GRACE_MS, waiting.signal).then(
        () => reject(signal.reason),
        // The work has settled meanwhile.
        () => {},
      );
    };
    const end = (): void => {
      signal.removeEventListener('abort', onAbort);
      waiting.abort(SETTLED);
    };
    work.then(resolve, reject).finally(end);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

const GRACE_MS = 5000;
const MICROTASKS = 10;
const RESOLVED = Promise.resolve();
const SETTLED = 'settled';

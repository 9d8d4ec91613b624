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
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  work.then(settle, settle);
  // Listening takes longer than work that waits for nothing outside.
  for (let turn = 0; turn < MICROTASKS; turn++) {
    await RESOLVED;
    // The compiler does not see that the callback above changes it.
    if (isSettled as boolean) return await work;
  }
  return await listening(work, stop);
}

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

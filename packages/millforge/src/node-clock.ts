import type { Clock } from '@millforge/contracts';

/** The clock of this machine. */
export function nodeClock(): Clock {
  return { now: () => Date.now(), monotonicMs: () => performance.now(), delay };
}

// By hand instead of node:timers/promises, which makes an error with a stack for every delay that is
// no longer wanted; each tool call has two of those.
function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

import { randomUUID } from 'node:crypto';
import type { Clock, Ids } from '@millforge/contracts';

/** The real clock: what is bounded here is real time. */
export const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    }),
};

export const ids: Ids = { newId: (prefix) => `${prefix}_${randomUUID().replaceAll('-', '')}` };

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@millforge/contracts';

/** The clock of this machine. */
export function nodeClock(): Clock {
  return {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    delay: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  };
}

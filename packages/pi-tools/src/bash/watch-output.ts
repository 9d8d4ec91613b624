import type { Clock } from '@millforge/contracts';
import type { OutputLog } from './output-log.ts';

/** Somebody who watches a command while it runs. */
export interface OutputWatch {
  /** Makes the text so far. */
  readonly show: () => string;
  readonly onUpdate: (text: string) => void;
  readonly clock: Clock;
}

/**
 * Tells whoever watches what a log has taken, at most every 100 ms: once at the start with nothing, and the
 * last of it when `end` is called. A log that nobody watches is given back as it is.
 */
export function watchOutput(
  log: OutputLog,
  watch: OutputWatch | null,
): { readonly log: OutputLog; readonly end: () => void } {
  if (watch === null) return { log, end: () => undefined };
  const { show, onUpdate, clock } = watch;
  const timer = new AbortController();
  let told = '';
  let toldMs = clock.monotonicMs();
  let isWaiting = false;
  const tell = () => {
    isWaiting = false;
    toldMs = clock.monotonicMs();
    const text = show();
    if (text !== told) onUpdate(text);
    told = text;
  };
  onUpdate('');
  return {
    log: {
      ...log,
      async add(chunk) {
        await log.add(chunk);
        if (isWaiting) return;
        const waitMs = toldMs + PERIOD_MS - clock.monotonicMs();
        if (waitMs <= 0) return tell();
        isWaiting = true;
        void clock.delay(waitMs, timer.signal).then(tell, () => undefined);
      },
    },
    end() {
      timer.abort();
      tell();
    },
  };
}

const PERIOD_MS = 100;

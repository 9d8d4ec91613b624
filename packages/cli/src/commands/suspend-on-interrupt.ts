import type { CliHost } from '../output/terminal.ts';

/** What Ctrl-C suspends. */
export interface Suspendable {
  /** Whether only a model is waited for, whose request can be made again. */
  readonly isAsking: () => boolean;
  /** Says something to the person. */
  readonly note: (line: string) => void;
  /** Suspends it; does nothing as long as it has not begun. */
  readonly stop: (options: { readonly now: boolean }) => void;
}

/** Ctrl-C as it was pressed so far. */
export interface Interrupts {
  /** Suspends what began after Ctrl-C was pressed. */
  readonly repeat: () => void;
  /** Listens no longer. */
  readonly close: () => void;
}

/**
 * Suspends on Ctrl-C: after the current operation, at once when it is pressed again. A request to a model has no
 * effect and may take long or never end, so where only that is waited for, the first one suspends at once.
 */
export function suspendOnInterrupt(host: CliHost, work: Suspendable): Interrupts {
  let presses = 0;
  let isNow = false;
  const close = host.onInterrupt(() => {
    presses += 1;
    isNow = presses > 1 || work.isAsking();
    if (presses === 1) work.note(isNow ? AT_ONCE : AFTER);
    work.stop({ now: isNow });
  });
  return {
    repeat() {
      if (presses > 0) work.stop({ now: isNow || work.isAsking() });
    },
    close,
  };
}

const AFTER = 'Suspending after the current operation; Ctrl-C again suspends now.';
const AT_ONCE = 'Suspending; the model is asked again when it goes on.';

import { canonicalJson, type JsonValue, type RunResult } from '@millforge/contracts';
import type { RunEvent } from '@millforge/runtime';
import type { RunHandle } from '../millforge-port.ts';
import { exitStatusOf } from '../output/exit-status.ts';
import { printResult } from '../output/render-result.ts';
import { createRunProgress } from '../output/run-progress.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';

/** How a run is started or gone on with, once somebody listens. */
export type StartRun = (listeners: {
  readonly onEvent: (event: RunEvent) => void;
  readonly onWaiting: (owner: string) => void;
}) => Promise<RunHandle>;

/**
 * Starts a run, shows it, and prints its result. Ctrl-C suspends it after the current operation, a
 * second one at once.
 */
export async function watchRun(
  host: CliHost,
  options: { readonly isJson: boolean },
  start: StartRun,
): Promise<number> {
  const progress = createRunProgress(host);
  let interrupts = 0;
  let handle: RunHandle | null = null;
  const stop = () => {
    handle?.stop({ now: interrupts > 1 });
  };
  const stopListening = host.onInterrupt(() => {
    interrupts += 1;
    if (interrupts === 1) {
      progress.note('Suspending after the current operation; Ctrl-C again suspends now.');
    }
    stop();
  });
  try {
    handle = await start({
      onEvent(event) {
        progress.onEvent(event);
        if (options.isJson) writeLine(host.stdout, canonicalJson(toJson(event), NO_NEWLINE));
      },
      onWaiting(owner) {
        progress.note(`The run is held by ${owner}; waiting until it has been silent long enough.`);
      },
    });
    if (interrupts > 0) stop();
    const result = await handle.result;
    progress.close();
    printRunResult(host, options, result);
    return exitStatusOf(result.status);
  } finally {
    progress.close();
    stopListening();
  }
}

/** Prints a result as the last line of JSON Lines, or for a person. */
export function printRunResult(
  host: CliHost,
  options: { readonly isJson: boolean },
  result: RunResult,
): void {
  if (options.isJson) writeLine(host.stdout, canonicalJson(toJson(result), NO_NEWLINE));
  else printResult(host.stdout, result);
}

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

const NO_NEWLINE = { newline: false };

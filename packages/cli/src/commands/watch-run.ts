import type { RunResult } from '@millforge/contracts';
import type { RunEvent } from '@millforge/runtime';
import type { RunHandle } from '../millforge-port.ts';
import { eventDocument } from '../output/event-document.ts';
import { exitStatusOf } from '../output/exit-status.ts';
import { printResult } from '../output/render-result.ts';
import { createRunProgress } from '../output/run-progress.ts';
import { type CliHost, writeJsonLine } from '../output/terminal.ts';

/** How a run is started or gone on with, once somebody listens. */
export type StartRun = (listeners: {
  /** Takes the events of the run. */
  readonly onEvent: (event: RunEvent) => void;
  /** Takes the name of the process that is waited for. */
  readonly onWaiting: (owner: string) => void;
}) => Promise<RunHandle>;

/** How results are shown. */
export interface ResultView {
  /** As JSON Lines instead of text. */
  readonly isJson: boolean;
  /** What goes behind the commands that are advised: ` --data DIR`, or nothing. */
  readonly dataFlag: string;
}

/**
 * Starts a run, shows it, and prints its result. Ctrl-C suspends it after the current operation, a
 * second one at once.
 */
export async function watchRun(
  host: CliHost,
  view: ResultView & {
    /** Type of the first line of JSON Lines. */
    readonly beginning: 'run-started' | 'run-resumed';
  },
  start: StartRun,
): Promise<number> {
  const progress = createRunProgress(host);
  const emit = (event: RunEvent) => {
    progress.onEvent(event);
    if (view.isJson) writeJsonLine(host.stdout, eventDocument(event));
  };
  const early: RunEvent[] = [];
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
        if (handle === null) early.push(event);
        else emit(event);
      },
      onWaiting(owner) {
        progress.note(`The run is held by ${owner}; waiting until it has been silent long enough.`);
      },
    });
    // The name of the run comes first: whoever kills this process needs it to go on.
    progress.note(`run ${handle.runId}`);
    if (view.isJson) writeJsonLine(host.stdout, { type: view.beginning, run_id: handle.runId });
    for (const event of early) emit(event);
    if (interrupts > 0) stop();
    const result = await handle.result;
    progress.close();
    showResult(host, view, result);
    return exitStatusOf(result.status);
  } finally {
    progress.close();
    stopListening();
  }
}

/** Prints a result as the last line of JSON Lines, or for a person. */
export function showResult(host: CliHost, view: ResultView, result: RunResult): void {
  if (view.isJson) writeJsonLine(host.stdout, result);
  else printResult(host.stdout, result, view.dataFlag);
}

import type { RunResult } from '@millforge/contracts';
import type { RunEvent } from '@millforge/runtime';
import { eventDocument } from '../output/event-document.ts';
import { exitStatusOf } from '../output/exit-status.ts';
import { ownName } from '../output/own-name.ts';
import { printResult } from '../output/render-result.ts';
import { createRunProgress } from '../output/run-progress.ts';
import { type CliHost, writeJsonLine } from '../output/terminal.ts';
import type { GoalKind } from '../port/goal-kind.ts';
import type { RunHandle } from '../port/run-port.ts';
import { suspendOnInterrupt } from './suspend-on-interrupt.ts';

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
  /** What the result is of; default a run. */
  readonly kind?: GoalKind;
}

/**
 * Starts a run, shows it, and prints its result. Ctrl-C suspends it after the current operation, a
 * second one at once; so does the first while the model is waited for.
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
  let handle: RunHandle | null = null;
  const interrupts = suspendOnInterrupt(host, {
    isAsking: () => progress.isAsking(),
    note: (line) => progress.note(line),
    stop: (options) => handle?.stop(options),
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
    interrupts.repeat();
    const result = await handle.result;
    progress.close();
    showResult(host, view, result);
    return exitStatusOf(result.status);
  } finally {
    progress.close();
    interrupts.close();
  }
}

/** Prints a result as the last line of JSON Lines, or for a person. */
export function showResult(host: CliHost, view: ResultView, result: RunResult): void {
  if (view.isJson) writeJsonLine(host.stdout, result);
  else
    printResult(host.stdout, result, {
      kind: view.kind ?? 'run',
      dataFlag: view.dataFlag,
      program: ownName(host.env),
    });
}

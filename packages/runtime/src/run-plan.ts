import type { RunOutcome } from '@millforge/contracts';
import type { PlanReference, RunOptions } from './run-options.ts';

/**
 * Runs one plan to one outcome: model turns, admitted tool calls, corrections, a terminal.
 *
 * Between its operations the run is a function of plan, task and recorded outcomes, so a log that
 * holds records replays it without touching model or tools. Failures of plan, model and tools are
 * outcomes.
 *
 * @throws `operation/suspended` when the log says that the run must stop here; it can be resumed.
 * @throws `operation/diverged` when the log holds other operations than this run asks for.
 */
export function runPlan(plan: PlanReference, options: RunOptions): Promise<RunOutcome> {
  return Promise.reject(new Error(String([plan, options])));
}

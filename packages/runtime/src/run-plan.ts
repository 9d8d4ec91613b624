import type { PartialWork, RunOutcome } from '@millforge/contracts';
import { exhaustedIterations } from '@millforge/guard/limits';
import { admitPlan } from './admit-plan.ts';
import { createObserver } from './observer.ts';
import { endExhausted, type RunEnding } from './run-ending.ts';
import type { PlanReference, RunOptions } from './run-options.ts';
import { runOutcome } from './run-outcome.ts';
import { type Run, startRun } from './run-state.ts';
import { runTurn } from './turn/run-turn.ts';

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
export async function runPlan(plan: PlanReference, options: RunOptions): Promise<RunOutcome> {
  const admitted = admitPlan(plan, options);
  if (!admitted.ok) return refusePlan(plan, options, admitted.message);
  const run = startRun(admitted, options);
  const ending = await runTurns(run);
  const outcome = runOutcome(ending, {
    planSha256: plan.sha256,
    turns: run.turns,
    work: partialWork(run),
    usage: {
      ...(run.inputTokens === null ? {} : { input_tokens: run.inputTokens }),
      ...(run.outputTokens === null ? {} : { output_tokens: run.outputTokens }),
      ...(run.costMicros === null ? {} : { cost_micros: run.costMicros }),
      tool_calls: run.toolCalls,
    },
  });
  run.observer.emit({
    kind: 'run-ended',
    replayed: run.observer.onlyReplayed,
    outcome,
    exhausted: exhaustedOf(ending),
  });
  run.observer.rethrow();
  return outcome;
}

async function runTurns(run: Run): Promise<RunEnding> {
  const limit = run.plan.budgets.max_iterations;
  for (let turn = 1; turn <= limit; turn++) {
    const ending = await runTurn(run, turn);
    run.observer.rethrow();
    if (ending !== null) return noteExhausted(run, ending);
  }
  return noteExhausted(run, endExhausted(exhaustedIterations(run.guard, limit)));
}

function noteExhausted(run: Run, ending: RunEnding): RunEnding {
  if (ending.kind === 'failure' && ending.exhausted !== undefined) {
    run.options.trail.append({
      key: 'budget',
      step: run.turns,
      type: 'budget-exhausted',
      data: { budget: ending.exhausted, message: ending.message },
    });
  }
  return ending;
}

function partialWork(run: Run): PartialWork {
  return {
    succeeded_node_ids: [...run.steps.succeeded],
    artifact_ids: [...run.artifacts].toSorted(),
    last_text: run.lastText === null ? null : run.redact(run.lastText),
  };
}

function refusePlan(plan: PlanReference, options: RunOptions, message: string): RunOutcome {
  const observer = createObserver(options.onEvent);
  const outcome = runOutcome(
    { kind: 'failure', status: 'failed', failureClass: 'plan_invalid', message },
    {
      planSha256: plan.sha256,
      turns: 0,
      usage: {},
      work: { succeeded_node_ids: [], artifact_ids: [], last_text: null },
    },
  );
  observer.emit({ kind: 'run-ended', replayed: false, outcome, exhausted: null });
  observer.rethrow();
  return outcome;
}

function exhaustedOf(ending: RunEnding) {
  return ending.kind === 'failure' ? (ending.exhausted ?? null) : null;
}

import type { Exhaustion } from '@millforge/guard';
import { findOverrun } from '@millforge/guard/limits';
import type { Run } from '../run-state.ts';

/** The observed limit of the plan that leaves no room for another exchange, or null. */
export function observedOverrun(run: Run, next: 'model-turn' | 'tool-call'): Exhaustion | null {
  const limits = run.plan.budgets.observed_limits;
  if (limits === undefined) return null;
  return findOverrun(
    {
      input_tokens: run.inputTokens ?? 0,
      output_tokens: run.outputTokens ?? 0,
      cost_micros: run.costMicros ?? 0,
      tool_calls: run.toolCalls,
      wall_ms: run.wallMs,
    },
    limits,
    next,
  );
}

import type { CompiledHarnessPlan } from '@millforge/contracts';
import { planGates } from '../explain/plan-gates.ts';
import { addedTo, removedFrom } from './compare-lists.ts';
import type { PlanChange } from './plan-diff.ts';

/** Finds what used to be certain before an end and no longer is, or the other way round. */
export function changesOfGates(
  before: CompiledHarnessPlan,
  after: CompiledHarnessPlan,
): readonly PlanChange[] {
  const gates = { before: planGates(before), after: planGates(after) };
  const results = new Set(resultsOf(after));
  // Several nodes may end with the same result.
  const kept = [...new Set(resultsOf(before))].filter((result) => results.has(result));
  return kept.toSorted().flatMap((result) => {
    const [was, is] = [gates.before.beforeResult(result), gates.after.beforeResult(result)];
    const path = `/terminal_result_map/${result}`;
    return [
      ...removedFrom(was, is).map((id) => ({
        change: 'gate-weaker',
        risk: 'high' as const,
        path,
        message: `A run can end with ${result} although ${id} has not succeeded.`,
        before: id,
        after: null,
      })),
      ...addedTo(was, is).map((id) => ({
        change: 'gate-stronger',
        risk: 'none' as const,
        path,
        message: `A run can end with ${result} only after ${id} has succeeded.`,
        before: null,
        after: id,
      })),
    ];
  });
}

function resultsOf({ nodes }: CompiledHarnessPlan): readonly string[] {
  return nodes.flatMap(({ terminal_result: result }) => (result === null ? [] : [result]));
}

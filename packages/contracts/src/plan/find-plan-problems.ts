import type { CompiledHarnessPlan } from './compiled-harness-plan.ts';
import { findPlanConflicts } from './find-plan-conflicts.ts';
import { toExact } from './plan-bytes.ts';
import { readPlanFields } from './read-plan-fields.ts';

/**
 * What a reader would find wrong with the fields of a plan that was just made, one sentence each.
 *
 * The same rules as {@link readPlan} has, held against the value instead of its text. An empty list says
 * that the plan's bytes can be read, as long as its texts are well-formed Unicode.
 */
export function findPlanProblems(plan: CompiledHarnessPlan): readonly string[] {
  const read = readPlanFields(toExact(plan));
  return read.ok ? findPlanConflicts(read.plan) : read.problems;
}

import type { CompiledHarnessPlan } from '@millforge/contracts';
import { addedTo, removedFrom } from './compare-lists.ts';
import type { PlanChange } from './plan-diff.ts';

/** Finds artifacts that are new or gone, and ends that demand others. */
export function changesOfArtifacts(
  { artifact_policy: before }: CompiledHarnessPlan,
  { artifact_policy: after }: CompiledHarnessPlan,
): readonly PlanChange[] {
  const path = '/artifact_policy/declared_artifact_ids';
  const results = [...before.required_by_terminal, ...after.required_by_terminal];
  const demandsOf = (policy: typeof before, result: string) =>
    policy.required_by_terminal.find((item) => item.terminal_result === result)?.artifact_ids ?? [];
  return [
    ...addedTo(before.declared_artifact_ids, after.declared_artifact_ids).map((id) => ({
      change: 'artifact-added',
      risk: 'low' as const,
      path,
      message: `It may make the artifact ${id}.`,
      before: null,
      after: id,
    })),
    ...removedFrom(before.declared_artifact_ids, after.declared_artifact_ids).map((id) => ({
      change: 'artifact-removed',
      risk: 'none' as const,
      path,
      message: `It no longer makes the artifact ${id}.`,
      before: id,
      after: null,
    })),
    ...[...new Set(results.map((item) => item.terminal_result))].flatMap((result) => {
      const [was, is] = [demandsOf(before, result), demandsOf(after, result)];
      const place = `/artifact_policy/required_by_terminal/${result}`;
      return [
        ...removedFrom(was, is).map((id) => ({
          change: 'artifact-demand-removed',
          risk: 'high' as const,
          path: place,
          message: `A run can end with ${result} without the artifact ${id}.`,
          before: id,
          after: null,
        })),
        ...addedTo(was, is).map((id) => ({
          change: 'artifact-demand-added',
          risk: 'none' as const,
          path: place,
          message: `A run can end with ${result} only with the artifact ${id}.`,
          before: null,
          after: id,
        })),
      ];
    }),
  ];
}

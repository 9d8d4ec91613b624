import type { PlanNode } from '@millforge/contracts';
import { stepNudgeText } from '@millforge/guard/steps';
import type { Run } from '../run-state.ts';

/**
 * What a terminal says when artifacts that it demands do not exist; null when it may be accepted.
 *
 * Before the call the artifacts that it may still bring itself are left out (`coming`).
 */
export function lackingArtifacts(
  run: Run,
  node: PlanNode,
  coming: readonly string[],
): string | null {
  if (node.terminal_result === null) return null;
  const { required_by_terminal } = run.plan.artifact_policy;
  const demanded = required_by_terminal.find(
    (policy) => policy.terminal_result === node.terminal_result,
  );
  const artifacts = (demanded?.artifact_ids ?? []).filter(
    (id) => !run.artifacts.has(id) && !coming.includes(id),
  );
  if (artifacts.length === 0) return null;
  const producers = run.plan.nodes
    .filter((other) => other.produced_artifact_ids.some((id) => artifacts.includes(id)))
    .map((other) => other.model_tool_name);
  return stepNudgeText({
    kind: 'missing-artifacts',
    terminal: node.model_tool_name,
    artifacts,
    producers,
  });
}

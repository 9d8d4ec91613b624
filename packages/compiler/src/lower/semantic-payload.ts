import { type ExactJson, JsonFloat, type ToolBinding } from '@millforge/contracts';
import type { HarnessPrerequisite } from '../harness-source.ts';
import type { CheckedHarness, CheckedNode } from './checked-harness.ts';

/**
 * The meaning of a harness as one JSON value; its digest is the plan's `source_sha256`.
 *
 * Holds nothing of notation, order of writing, paths, requests or snapshots.
 */
export function toSemanticPayload(harness: CheckedHarness): ExactJson {
  const { source } = harness;
  const payload = {
    schema_version: source.schema_version,
    kind: source.kind,
    harness_id: source.harness_id,
    harness_version: source.harness_version,
    stage_kind_ids: source.stage_scope.stage_kind_ids.toSorted(),
    model_profile: harness.profile,
    prompt: source.prompt,
    budgets: source.budgets,
    context: {
      ...source.context,
      phase_thresholds: source.context.phase_thresholds.map((value) => new JsonFloat(value)),
    },
    nodes: harness.nodes.map(toNodePayload),
    required_node_ids: harness.nodes.filter(isRequired).map((node) => node.nodeId),
    required_capability_ids: harness.requiredCapabilities,
    terminal_result_map: toTerminalMap(harness),
    artifacts: {
      ...toArtifactPolicy(harness),
      producer_evidence: harness.producerEvidence,
    },
  };
  // Plain data by construction; interfaces among its parts have no index signature.
  return payload as object as ExactJson;
}

/** The exact tool of a node. */
export function toBinding({ tool }: CheckedNode): ToolBinding {
  return {
    tool_id: tool.tool_id,
    tool_version: tool.tool_version,
    descriptor_sha256: tool.descriptor_sha256,
    implementation_id: tool.implementation_id,
  };
}

/** Prerequisites sorted by node, their matches by both arguments. */
export function toSortedPrerequisites({ source }: CheckedNode): readonly HarnessPrerequisite[] {
  return source.prerequisites
    .map(({ node_id, argument_matches }) => ({
      node_id,
      argument_matches: argument_matches.toSorted(
        (left, right) =>
          compare(left.prior_argument, right.prior_argument) ||
          compare(left.current_argument, right.current_argument),
      ),
    }))
    .toSorted((left, right) => compare(left.node_id, right.node_id));
}

/** Results by terminal node. */
export function toTerminalMap(harness: CheckedHarness): Readonly<Record<string, string>> {
  return Object.fromEntries(
    harness.nodes.flatMap(({ nodeId, source }) =>
      source.terminal_result === null ? [] : [[nodeId, source.terminal_result]],
    ),
  );
}

/** Artifacts, everything sorted. */
export function toArtifactPolicy({ source }: CheckedHarness) {
  return {
    declared_artifact_ids: source.artifacts.declared_artifact_ids.toSorted(),
    required_by_terminal: source.artifacts.required_by_terminal
      .map(({ terminal_result, artifact_ids }) => ({
        terminal_result,
        artifact_ids: artifact_ids.toSorted(),
      }))
      .toSorted((left, right) => compare(left.terminal_result, right.terminal_result)),
  };
}

function toNodePayload(node: CheckedNode) {
  const { source, tool } = node;
  return {
    node_id: node.nodeId,
    required: source.required,
    terminal_result: source.terminal_result,
    prerequisites: toSortedPrerequisites(node),
    produces: source.produces.toSorted(),
    binding: toBinding(node),
    descriptor: {
      model_tool_name: tool.model_tool_name,
      description: tool.description,
      input_schema: tool.input_schema,
      side_effect_class: tool.side_effect_class,
      idempotency: tool.idempotency,
      required_capabilities: tool.required_capabilities.toSorted(),
      produced_artifact_ids: tool.produced_artifact_ids.toSorted(),
    },
  };
}

function isRequired(node: CheckedNode): boolean {
  return node.source.required;
}

/** Ids are ASCII, so the order of code units is the order of code points. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

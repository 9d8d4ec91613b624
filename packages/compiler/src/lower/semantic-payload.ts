import {
  type Disposition,
  type ExactJson,
  inferDisposition,
  JsonFloat,
  type PlanBudgets,
  type PlanCallBounds,
  type PlanCapabilityConstraint,
} from '@millforge/contracts';
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
    budgets: toBudgets(harness),
    context: {
      ...source.context,
      phase_thresholds: source.context.phase_thresholds.map((value) => new JsonFloat(value)),
    },
    nodes: harness.nodes.map((node) => ({
      ...toNodePayload(node),
      ...(source.schema_version === '1.0' ? {} : toAddedFacts(node)),
    })),
    required_node_ids: harness.nodes.filter(isRequired).map((node) => node.nodeId),
    required_capability_ids: harness.requiredCapabilities,
    ...toCapabilityConstraints(harness),
    terminal_result_map: toTerminalMap(harness),
    artifacts: {
      ...toArtifactPolicy(harness),
      producer_evidence: harness.producerEvidence,
    },
  };
  // Plain data by construction; interfaces among its parts have no index signature.
  return payload as object as ExactJson;
}

/** Limits; from version 1.1 with those on what is observed, also when there are none. */
export function toBudgets({ source }: CheckedHarness): PlanBudgets {
  const { budgets, schema_version } = source;
  return schema_version === '1.0' ? budgets : { observed_limits: {}, ...budgets };
}

/** How far capabilities go, everything sorted; nothing at all in version 1.0. */
export function toCapabilityConstraints({ source }: CheckedHarness): {
  readonly capability_constraints?: readonly PlanCapabilityConstraint[];
} {
  if (source.schema_version === '1.0') return {};
  const constraints = (source.capability_constraints ?? []).map((item) => {
    const { paths, hosts, commands } = item.constraints;
    return {
      capability_id: item.capability_id,
      constraints: {
        ...item.constraints,
        ...(paths === undefined ? {} : { paths: paths.toSorted() }),
        ...(hosts === undefined ? {} : { hosts: hosts.toSorted() }),
        ...(commands === undefined ? {} : { commands: commands.toSorted() }),
      },
    };
  });
  return {
    capability_constraints: constraints.toSorted((left, right) =>
      compare(left.capability_id, right.capability_id),
    ),
  };
}

/** What a node says besides in version 1.1, every default filled in. */
export function toAddedFacts({ source, tool }: CheckedNode): {
  readonly model_tool_name: string;
  readonly required_for: readonly string[];
  readonly calls: PlanCallBounds;
  readonly disposition: Disposition | null;
} {
  const { calls, disposition, required_for = [], terminal_result } = source;
  return {
    model_tool_name: source.model_tool_name ?? tool.model_tool_name,
    required_for: required_for.toSorted(),
    calls: { min: calls?.min ?? 1, max: calls?.max ?? null },
    disposition:
      terminal_result === null
        ? null
        : (disposition ?? inferDisposition(tool.tool_id, terminal_result)),
  };
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
    prerequisites: node.prerequisites,
    produces: source.produces.toSorted(),
    binding: node.binding,
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

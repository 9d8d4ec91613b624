import {
  type CompiledHarnessPlan,
  createRedactor,
  deepFreeze,
  formatToolReference,
  type JsonObject,
  type ObservedLimits,
  type PlanBudgets,
  type PlanNode,
  type SideEffectClass,
  sha256,
} from '@millforge/contracts';
import { dispositionOf } from './disposition-of.ts';
import type {
  ExplainedArtifact,
  ExplainedBudget,
  ExplainedCapability,
  ExplainedEnd,
  ExplainedStep,
  PlanExplanation,
} from './plan-explanation.ts';
import { isRequiredFor, type PlanGates, planGates, waysInto } from './plan-gates.ts';
import { sideEffectRank } from './side-effect-rank.ts';

/**
 * Works out what a plan means: its gates, ends, artifacts, limits and capabilities. Pure; the result is frozen.
 *
 * No text of prompts and schemas is in it, and what looks like a secret is replaced.
 */
export function explainPlan(plan: CompiledHarnessPlan): PlanExplanation {
  const gates = planGates(plan);
  const { policy_id, system_instructions, include_request_context } = plan.prompt_policy;
  const instructions = new TextEncoder().encode(system_instructions);
  const explanation: PlanExplanation = {
    kind: 'plan_explanation',
    schema_version: '1.0',
    harness_id: plan.harness_id,
    harness_version: plan.harness_version,
    plan_schema_version: plan.schema_version,
    compiled_sha256: plan.compiled_sha256,
    model_profile_id: plan.model_profile.profile_id,
    stage_kind_ids: [...plan.stage_kind_ids],
    strongest_side_effect: strongest(plan.nodes),
    prompt: {
      policy_id,
      system_instructions_sha256: sha256(instructions),
      system_instructions_bytes: instructions.length,
      include_request_context,
    },
    steps: plan.nodes.map((node) => explainStep(node, plan, gates)),
    ends: explainEnds(plan, gates),
    artifacts: explainArtifacts(plan),
    budgets: [
      ...BUDGETS.map((row) => ({ ...row, limit: plan.budgets[row.budget] })),
      ...explainLimits(plan.budgets.observed_limits ?? {}),
    ],
    capabilities: explainCapabilities(plan),
  };
  // An explanation is JSON by its type, but an interface has no index signature; only texts may change.
  const json = explanation as object as JsonObject;
  return deepFreeze(redactor.value(json) as object as PlanExplanation);
}

const redactor = createRedactor();

function strongest(nodes: readonly PlanNode[]): SideEffectClass {
  return nodes
    .map((node) => node.side_effect_class)
    .reduce((a, b) => (sideEffectRank(b) > sideEffectRank(a) ? b : a), 'read_only');
}

function explainStep(node: PlanNode, plan: CompiledHarnessPlan, gates: PlanGates): ExplainedStep {
  const { tool_id: toolId, tool_version: toolVersion } = node.binding;
  return {
    node_id: node.node_id,
    tool: formatToolReference({ toolId, toolVersion }),
    model_tool_name: node.model_tool_name,
    side_effect_class: node.side_effect_class,
    idempotency: node.idempotency,
    required_capabilities: [...node.required_capabilities],
    produced_artifact_ids: [...node.produced_artifact_ids],
    terminal_result: node.terminal_result,
    waits_for: waysInto(node).map((way) => ({
      any_of: way.map(({ node_id, argument_matches }) => ({
        node_id,
        equal_arguments: argument_matches.map(
          (match) => `${match.prerequisite_argument} = ${match.current_argument}`,
        ),
      })),
    })),
    comes_after: gates.before(node.node_id),
    gates: resultsOf(plan).filter((result) => gates.beforeResult(result).includes(node.node_id)),
    calls: node.calls ?? { min: 1, max: null },
  };
}

function resultsOf({ nodes }: CompiledHarnessPlan): readonly string[] {
  const results = nodes.flatMap(({ terminal_result: result }) => (result === null ? [] : [result]));
  return [...new Set(results)].toSorted();
}

function explainEnds(plan: CompiledHarnessPlan, gates: PlanGates): readonly ExplainedEnd[] {
  const demands = new Map(
    plan.artifact_policy.required_by_terminal.map((policy) => [
      policy.terminal_result,
      policy.artifact_ids,
    ]),
  );
  const ends = plan.nodes.flatMap((node) => {
    const { terminal_result: result } = node;
    const disposition = dispositionOf(node);
    if (result === null || disposition === null) return [];
    const comesAfter = gates.beforeEnd(node);
    return [
      {
        terminal_result: result,
        node_id: node.node_id,
        disposition,
        is_disposition_stated: node.disposition !== undefined,
        required_node_ids: plan.nodes
          .filter((other) => isRequiredFor(other, result))
          .map(({ node_id }) => node_id),
        comes_after: comesAfter,
        demands: (demands.get(result) ?? []).map((artifact_id) => ({
          artifact_id,
          gated_by: producersOf(plan, artifact_id).filter((id) => comesAfter.includes(id)),
        })),
      },
    ];
  });
  return ends.toSorted((a, b) => (a.terminal_result < b.terminal_result ? -1 : 1));
}

function producersOf({ nodes }: CompiledHarnessPlan, artifactId: string): readonly string[] {
  return nodes
    .filter((node) => node.produced_artifact_ids.includes(artifactId))
    .map(({ node_id }) => node_id);
}

function explainArtifacts(plan: CompiledHarnessPlan): readonly ExplainedArtifact[] {
  const { declared_artifact_ids, required_by_terminal } = plan.artifact_policy;
  return declared_artifact_ids.map((artifact_id) => ({
    artifact_id,
    producer_node_ids: producersOf(plan, artifact_id),
    demanded_by: required_by_terminal
      .filter((policy) => policy.artifact_ids.includes(artifact_id))
      .map((policy) => policy.terminal_result),
  }));
}

function explainCapabilities(plan: CompiledHarnessPlan): readonly ExplainedCapability[] {
  const constraints = new Map(
    (plan.capability_constraints ?? []).map((item) => [item.capability_id, item.constraints]),
  );
  return plan.required_capabilities.map((capability_id) => ({
    capability_id,
    needed_by: plan.nodes
      .filter((node) => node.required_capabilities.includes(capability_id))
      .map(({ node_id }) => node_id),
    constraints: constraints.get(capability_id) ?? null,
  }));
}

function explainLimits(limits: ObservedLimits): readonly ExplainedBudget[] {
  return LIMITS.flatMap((row) => {
    const limit = limits[row.budget];
    return limit === undefined ? [] : [{ ...row, limit }];
  });
}

type StatedBudget = Omit<ExplainedBudget, 'limit' | 'budget'>;

const BUDGETS: readonly (StatedBudget & {
  readonly budget: Exclude<keyof PlanBudgets, 'observed_limits'>;
})[] = [
  {
    budget: 'max_iterations',
    counts: 'model turns, corrections included',
    ends_with: 'iterations_exhausted',
  },
  {
    budget: 'max_validation_retries',
    counts: 'replies in a row without a usable call',
    ends_with: 'validation_retries_exhausted',
  },
  {
    budget: 'max_tool_errors',
    counts: 'batches in a row with a failing call',
    ends_with: 'tool_errors_exhausted',
  },
  {
    budget: 'max_prerequisite_violations',
    counts: 'batches in a row with an unmet prerequisite',
    ends_with: 'prerequisite_violations_exhausted',
  },
  {
    budget: 'max_premature_terminal_attempts',
    counts: 'batches in a row that end before the required steps',
    ends_with: 'premature_terminals_exhausted',
  },
];

const LIMITS: readonly (StatedBudget & { readonly budget: keyof ObservedLimits })[] = [
  { budget: 'input_tokens', counts: 'tokens read', ends_with: 'input_tokens_exhausted' },
  { budget: 'output_tokens', counts: 'tokens written', ends_with: 'output_tokens_exhausted' },
  {
    budget: 'cost_micros',
    counts: 'cost in millionths of the currency unit',
    ends_with: 'cost_micros_exhausted',
  },
  { budget: 'tool_calls', counts: 'tool calls performed', ends_with: 'tool_calls_exhausted' },
  {
    budget: 'wall_ms',
    counts: 'milliseconds in model turns and tool calls',
    ends_with: 'wall_ms_exhausted',
  },
];

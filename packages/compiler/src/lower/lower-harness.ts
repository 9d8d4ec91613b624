import {
  type CompiledHarnessPlan,
  type CompilerIdentity,
  type Diagnostic,
  digest,
  type PlanNode,
  type PlanPrerequisite,
  signPlan,
} from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { errorType } from '../error-type.ts';
import type { HarnessPrerequisite } from '../harness-source.ts';
import type { CheckedHarness, CheckedNode } from './checked-harness.ts';
import {
  toAddedFacts,
  toArtifactPolicy,
  toBudgets,
  toCapabilityConstraints,
  toSemanticPayload,
  toTerminalMap,
} from './semantic-payload.ts';

/** The plan of a harness, or null and which step of making it failed. */
export interface LowerResult {
  /** The plan, both digests included. */
  readonly plan: CompiledHarnessPlan | null;
  /** Digest of the semantic payload, where it came so far. */
  readonly sourceSha256: string | null;
  /** Empty exactly when there is a plan. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Turns a harness without faults into its plan. */
export function lowerHarness(harness: CheckedHarness, identity: CompilerIdentity): LowerResult {
  let sourceSha256: string | null = null;
  try {
    sourceSha256 = digest(toSemanticPayload(harness));
    const plan = signPlan(toPlan(harness, sourceSha256, identity));
    return { plan, sourceSha256, diagnostics: [] };
  } catch (error) {
    const failed = sourceSha256 === null ? report.sourceDigestFailed : report.loweringFailed;
    const fields = { error_type: errorType(error) };
    return { plan: null, sourceSha256, diagnostics: [failed({ path: '/', fields })] };
  }
}

function toPlan(
  harness: CheckedHarness,
  sourceSha256: string,
  identity: CompilerIdentity,
): CompiledHarnessPlan {
  const { source } = harness;
  return {
    schema_version: source.schema_version,
    kind: 'compiled_millforge_harness',
    harness_id: source.harness_id,
    harness_version: source.harness_version,
    source_sha256: sourceSha256,
    compiled_sha256: '',
    stage_kind_ids: source.stage_scope.stage_kind_ids.toSorted(),
    model_profile: harness.profile,
    prompt_policy: source.prompt,
    budgets: toBudgets(harness),
    context_policy: source.context,
    nodes: harness.nodes.map(source.schema_version === '1.0' ? toPlanNode : toPlanNodeOfV11),
    required_capabilities: harness.requiredCapabilities,
    ...toCapabilityConstraints(harness),
    terminal_result_map: toTerminalMap(harness),
    artifact_policy: toArtifactPolicy(harness),
    compiler_identity: { ...identity },
  };
}

function toPlanNode(node: CheckedNode): PlanNode {
  const { source, tool } = node;
  return {
    node_id: node.nodeId,
    model_tool_name: tool.model_tool_name,
    description: tool.description,
    input_schema: tool.input_schema,
    binding: node.binding,
    prerequisites: node.prerequisites.map((item) =>
      'any_of' in item ? { any_of: item.any_of.map(toPlanPrerequisite) } : toPlanPrerequisite(item),
    ),
    required: source.required,
    terminal_result: source.terminal_result,
    required_capabilities: tool.required_capabilities.toSorted(),
    produced_artifact_ids: tool.produced_artifact_ids.toSorted(),
    side_effect_class: tool.side_effect_class,
    idempotency: tool.idempotency,
  };
}

/** A node says which of its tool's artifacts it is there for, and may have a name of its own. */
function toPlanNodeOfV11(node: CheckedNode): PlanNode {
  return {
    ...toPlanNode(node),
    ...toAddedFacts(node),
    produced_artifact_ids: node.source.produces.toSorted(),
  };
}

function toPlanPrerequisite({ node_id, argument_matches }: HarnessPrerequisite): PlanPrerequisite {
  return {
    node_id,
    argument_matches: argument_matches.map((match) => ({
      prerequisite_argument: match.prior_argument,
      current_argument: match.current_argument,
    })),
  };
}

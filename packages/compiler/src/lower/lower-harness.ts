import {
  type CompiledHarnessPlan,
  type CompilerIdentity,
  type Diagnostic,
  digest,
  signPlan,
} from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { errorType } from '../error-type.ts';
import type { CheckedHarness, CheckedNode } from './checked-harness.ts';
import {
  toArtifactPolicy,
  toBinding,
  toSemanticPayload,
  toSortedPrerequisites,
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
    schema_version: '1.0',
    kind: 'compiled_millforge_harness',
    harness_id: source.harness_id,
    harness_version: source.harness_version,
    source_sha256: sourceSha256,
    compiled_sha256: '',
    stage_kind_ids: source.stage_scope.stage_kind_ids.toSorted(),
    model_profile: harness.profile,
    prompt_policy: source.prompt,
    budgets: source.budgets,
    context_policy: source.context,
    nodes: harness.nodes.map(toPlanNode),
    required_capabilities: harness.requiredCapabilities,
    terminal_result_map: toTerminalMap(harness),
    artifact_policy: toArtifactPolicy(harness),
    compiler_identity: { ...identity },
  };
}

function toPlanNode(node: CheckedNode): CompiledHarnessPlan['nodes'][number] {
  const { source, tool } = node;
  return {
    node_id: node.nodeId,
    model_tool_name: tool.model_tool_name,
    description: tool.description,
    input_schema: tool.input_schema,
    binding: toBinding(node),
    prerequisites: toSortedPrerequisites(node).map(({ node_id, argument_matches }) => ({
      node_id,
      argument_matches: argument_matches.map((match) => ({
        prerequisite_argument: match.prior_argument,
        current_argument: match.current_argument,
      })),
    })),
    required: source.required,
    terminal_result: source.terminal_result,
    required_capabilities: tool.required_capabilities.toSorted(),
    produced_artifact_ids: tool.produced_artifact_ids.toSorted(),
    side_effect_class: tool.side_effect_class,
    idempotency: tool.idempotency,
  };
}

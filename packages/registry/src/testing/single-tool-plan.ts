import type { CompiledHarnessPlan, PlanNode, ToolDescriptor } from '@millforge/contracts';

/** A plan with one node, as a compiler would make it for that tool; signed by nobody. */
export function singleToolPlan(
  descriptor: ToolDescriptor,
  descriptorSha256: string,
): CompiledHarnessPlan {
  const isTerminal = descriptor.side_effect_class === 'terminal';
  const node: PlanNode = {
    node_id: 'tool',
    model_tool_name: descriptor.model_tool_name,
    description: descriptor.description,
    input_schema: descriptor.input_schema,
    binding: {
      tool_id: descriptor.tool_id,
      tool_version: descriptor.tool_version,
      descriptor_sha256: descriptorSha256,
      implementation_id: descriptor.implementation_id,
    },
    prerequisites: [],
    required: false,
    terminal_result: isTerminal ? 'COMPLETE' : null,
    required_capabilities: descriptor.required_capabilities,
    produced_artifact_ids: descriptor.produced_artifact_ids,
    side_effect_class: descriptor.side_effect_class,
    idempotency: descriptor.idempotency,
  };
  return {
    schema_version: '1.0',
    kind: 'compiled_millforge_harness',
    harness_id: 'millforge.tool-tester',
    harness_version: 1,
    source_sha256: NO_DIGEST,
    compiled_sha256: NO_DIGEST,
    stage_kind_ids: ['test'],
    model_profile: { profile_id: 'millforge.tool-tester' },
    prompt_policy: {
      policy_id: 'millforge.tool-tester',
      system_instructions: 'Call the tool.',
      include_request_context: false,
    },
    budgets: {
      max_iterations: 1,
      max_validation_retries: 1,
      max_tool_errors: 1,
      max_prerequisite_violations: 1,
      max_premature_terminal_attempts: 1,
    },
    context_policy: {
      strategy_id: 'forge.tiered.v1',
      budget_tokens: 1000,
      keep_recent_iterations: 1,
      phase_thresholds: [0.6, 0.8, 1],
    },
    nodes: [node],
    required_capabilities: descriptor.required_capabilities,
    terminal_result_map: isTerminal ? { tool: 'COMPLETE' } : {},
    artifact_policy: {
      declared_artifact_ids: descriptor.produced_artifact_ids,
      required_by_terminal: [],
    },
    compiler_identity: { name: 'millforge.tool-tester', version: '1', build_id: 'none' },
  };
}

const NO_DIGEST = '0'.repeat(64);

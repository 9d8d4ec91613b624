import { type CompiledHarnessPlan, canonicalJson, type ModelMessage } from '@millforge/contracts';
import { type AdmittedOutputs, describeOutputs } from './output/admit-outputs.ts';

/** The two messages that every run begins with; made of facts that a resumed run has unchanged. */
export function firstMessages(
  plan: CompiledHarnessPlan,
  run: {
    readonly task: string;
    readonly runId: string;
    readonly outputs: AdmittedOutputs;
  },
): readonly ModelMessage[] {
  const { system_instructions, include_request_context } = plan.prompt_policy;
  const context = {
    harness_id: plan.harness_id,
    harness_version: plan.harness_version,
    run_id: run.runId,
    ...(run.outputs.size === 0
      ? {}
      : { selected_output_requirements: describeOutputs(run.outputs) }),
    stage_kind_ids: plan.stage_kind_ids,
  };
  return [
    { role: 'system', content: system_instructions },
    {
      role: 'user',
      content: include_request_context
        ? `${run.task}\n\n${SEPARATOR}\n${canonicalJson(context, { newline: false })}`
        : run.task,
    },
  ];
}

const SEPARATOR = '--- millforge request context ---';

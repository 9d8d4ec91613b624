import { type CompiledHarnessPlan, readPlan } from '@millforge/contracts';
import type { ToolExecutor } from '@millforge/registry';
import { type AdmittedOutputs, admitOutputs } from './output/admit-outputs.ts';
import type { PlanReference, RunOptions } from './run-options.ts';

/** A plan that may run, with its executor; or one sentence about why it may not. */
export type AdmittedPlan =
  | {
      readonly ok: true;
      readonly plan: CompiledHarnessPlan;
      readonly executor: ToolExecutor;
      readonly outputs: AdmittedOutputs;
    }
  | { readonly ok: false; readonly message: string };

/** Verifies a plan, what it needs and what it binds, before any model or tool is spoken to. */
export function admitPlan(
  reference: PlanReference,
  options: Pick<RunOptions, 'grants' | 'executor' | 'outputs'>,
): AdmittedPlan {
  const read = readPlan(reference.bytes, { sha256: reference.sha256 });
  if (!read.ok) return refused(read.problems.join(' '));
  const { plan } = read;
  const granted = new Set(
    options.grants.map((grant) => (typeof grant === 'string' ? grant : grant.capabilityId)),
  );
  const missing = plan.required_capabilities.filter((id) => !granted.has(id));
  if (missing.length > 0) {
    return refused(`The plan needs capabilities that were not granted: ${missing.join(', ')}.`);
  }
  const executor = options.executor(plan);
  const drifted = plan.nodes.filter((node) => !executor.supportsTool(node.model_tool_name));
  if (drifted.length > 0) {
    const tools = drifted.map(
      ({ model_tool_name, binding }) =>
        `${model_tool_name} (${binding.tool_id}@${binding.tool_version})`,
    );
    return refused(
      `The plan binds tools that are not here as it knows them: ${tools.join(', ')}. Compile it again against the tools that exist.`,
    );
  }
  return { ok: true, plan, executor, outputs: admitOutputs(plan, options.outputs ?? []) };
}

function refused(message: string): AdmittedPlan {
  return { ok: false, message };
}

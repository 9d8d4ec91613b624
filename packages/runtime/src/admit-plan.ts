import { type CompiledHarnessPlan, type ReadPlanResult, readPlan } from '@millforge/contracts';
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
  const read = readKnown(reference);
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

/**
 * Reads and verifies a plan. One that is run again from the same array has not to be read again, as long as
 * the array holds the same bytes; and what is derived from a plan is kept with the plan.
 */
function readKnown({ bytes, sha256 }: PlanReference): ReadPlanResult {
  if (typeof bytes === 'string') return readPlan(bytes, { sha256 });
  const known = KNOWN.get(bytes);
  if (known?.read.sha256 === sha256 && Buffer.compare(bytes, known.bytes) === 0) return known.read;
  const read = readPlan(bytes, { sha256 });
  if (read.ok) KNOWN.set(bytes, { bytes: bytes.slice(), read });
  return read;
}

const KNOWN = new WeakMap<
  Uint8Array,
  { readonly bytes: Uint8Array; readonly read: VerifiedPlan }
>();

type VerifiedPlan = Extract<ReadPlanResult, { readonly ok: true }>;

function refused(message: string): AdmittedPlan {
  return { ok: false, message };
}

import type { ModelSetting } from '@millforge/cli';
import {
  type CapabilityGrant,
  type CompiledHarnessPlan,
  canonicalJson,
  grantDocument,
  type JsonObject,
  type JsonValue,
  readCapabilityGrant,
} from '@millforge/contracts';
import type { AdapterBinding, GoalContract } from '@millforge/kernel';
import {
  type ApprovalPolicy,
  type RegistrySnapshot,
  readApprovalPolicy,
} from '@millforge/registry';
import type { SelectedOutputRequirement } from '@millforge/runtime';
import { millforgeError } from './millforge-error.ts';
import { modelDigest, readModelSetting } from './model-setting.ts';
import type { RunRequest } from './run-request.ts';

/** Milliseconds that a run may work when nobody says how long. */
export const DEFAULT_TIMEOUT_MS = 30 * 60_000;

/** What a durable run keeps of its request: enough to go on without source or configuration. */
export interface RunInputs {
  /** What the model is asked to do. */
  readonly task: string;
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** Capabilities granted. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to; null when nothing was said. */
  readonly approvals: ApprovalPolicy | null;
  /** Structured results to ask for; null when there are none. */
  readonly outputs: readonly SelectedOutputRequirement[] | null;
  /** The model, without secrets. */
  readonly model: ModelSetting;
  /** The plan's own digest. */
  readonly planSha256: string;
  /** Digest of the plan's bytes in the artifact store. */
  readonly planArtifact: string;
}

/**
 * The contract of a run: one model task, bound to plan, model and tools.
 *
 * @throws `millforge/document` when task and model together are larger than a contract may be.
 */
export function runContract(
  runId: string,
  request: RunRequest,
  parts: {
    readonly plan: CompiledHarnessPlan;
    readonly planArtifact: string;
    readonly snapshot: RegistrySnapshot;
  },
): GoalContract {
  const { plan, planArtifact, snapshot } = parts;
  const units = plan.budgets.max_iterations;
  const inputs = {
    task: request.task,
    workspace: request.workspace,
    grants: request.grants.map(grantDocument),
    ...(request.approvals === undefined ? {} : { approvals: asJson(request.approvals) }),
    ...(request.outputs === undefined ? {} : { outputs: asJson(request.outputs) }),
    model: asJson(request.model),
    plan_sha256: request.plan.sha256,
    plan_artifact: planArtifact,
    tools: toolRecords(plan, snapshot),
  };
  if (canonicalJson(inputs).length > MAX_INPUT_BYTES) {
    throw millforgeError(
      'millforge/document',
      `Task and model script are together larger than ${MAX_INPUT_BYTES} bytes of ASCII JSON; shorten them.`,
    );
  }
  return {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: runId,
    objective: firstLine(request.task),
    inputs,
    tasks: [
      {
        task_id: TASK_ID,
        adapter: runBinding(plan, request.model, snapshot),
        doubt: 'operation',
        effect: 'external',
        units,
        lease_ms: LEASE_MS,
        timeout_ms: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      },
    ],
    on_ambiguous: request.onAmbiguous ?? 'hold',
    required_checks: ['terminal-outcome'],
    legal_terminal_results: Object.values(plan.terminal_result_map).toSorted(),
    limits: { units },
  };
}

/** What a run is bound to; a different one at a resume holds the run instead of guessing. */
export function runBinding(
  plan: CompiledHarnessPlan,
  model: ModelSetting,
  snapshot: RegistrySnapshot,
): AdapterBinding {
  return {
    kind: 'model',
    name: 'millforge.run',
    version: '1',
    parameters: {
      plan_sha256: plan.compiled_sha256,
      model_sha256: modelDigest(model),
      tools: toolRecords(plan, snapshot),
    },
  };
}

/** Reads back what {@link runContract} stored. */
export function readRunInputs(inputs: JsonObject): RunInputs {
  const { task, workspace, model, plan_sha256: planSha256, plan_artifact } = inputs;
  const grants = readGrants(inputs['grants']);
  const approvals = inputs['approvals'] === undefined ? null : readApprovals(inputs['approvals']);
  const outputs = inputs['outputs'] === undefined ? null : readOutputs(inputs['outputs']);
  if (
    typeof task !== 'string' ||
    typeof workspace !== 'string' ||
    typeof planSha256 !== 'string' ||
    typeof plan_artifact !== 'string' ||
    grants === null
  ) {
    throw millforgeError('millforge/usage', 'This goal is not a run of a harness.');
  }
  const setting = readModelSetting(model);
  if (!setting.ok) {
    throw millforgeError(
      'millforge/document',
      `The model stored with this run cannot be read by this version of Millforge: ${setting.problem}`,
    );
  }
  return {
    task,
    workspace,
    grants,
    approvals,
    outputs,
    model: setting.setting,
    planSha256,
    planArtifact: plan_artifact,
  };
}

/** Reads back what was asked for; its schemas are admitted again when the run begins. */
function readOutputs(value: JsonValue): readonly SelectedOutputRequirement[] {
  if (!Array.isArray(value)) return [];
  const items: readonly JsonValue[] = value;
  return items.flatMap((item) => {
    if (typeof item !== 'object' || item === null || !('terminalResult' in item)) return [];
    const { terminalResult, required, schema } = item;
    return typeof terminalResult === 'string' && typeof required === 'boolean'
      ? [{ terminalResult, required, schema }]
      : [];
  });
}

function toolRecords(plan: CompiledHarnessPlan, snapshot: RegistrySnapshot): JsonValue {
  return plan.nodes.map((node) => {
    const { tool_id: id, tool_version: version } = node.binding;
    const tool = snapshot.findTool(id, version);
    return {
      tool_id: id,
      tool_version: version,
      descriptor_sha256: tool?.descriptorSha256 ?? null,
      // What a tool asks for is part of what the run is bound to: it may not become less.
      ...(tool === null || tool.approval === 'none' ? {} : { approval: tool.approval }),
    };
  });
}

function readGrants(value: JsonValue | undefined): RunInputs['grants'] | null {
  if (!Array.isArray(value)) return null;
  const grants: (string | CapabilityGrant)[] = [];
  for (const item of value) {
    const read = readCapabilityGrant(item);
    if (!read.ok) return null;
    grants.push(read.grant);
  }
  return grants;
}

/** A policy that cannot be read any more approves nothing, which must not go unsaid. */
function readApprovals(value: JsonValue): ApprovalPolicy {
  const read = readApprovalPolicy(value);
  if (read.ok) return read.policy;
  throw millforgeError(
    'millforge/document',
    `The approval policy stored with this run cannot be read by this version of Millforge: it is wrong at ${read.path || '/'}.`,
  );
}

function firstLine(task: string): string {
  const line = task.trim().split('\n', 1)[0] ?? '';
  return Array.from(line).slice(0, 200).join('');
}

// A round trip, because interfaces without an index signature are not JSON to the type checker.
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

const TASK_ID = 'run';
const LEASE_MS = 30_000;
const MAX_INPUT_BYTES = 1_048_576;

import type { ModelSetting } from '@millforge/cli';
import {
  type CapabilityGrant,
  type CompiledHarnessPlan,
  capabilityOf,
  grantDocument,
  type JsonValue,
  type MillforgeError,
  readCapabilityGrant,
  readPlan,
} from '@millforge/contracts';
import {
  type ApprovalPolicy,
  type RegistrySnapshot,
  readApprovalPolicy,
} from '@millforge/registry';
import { askOutput, normalOutputs } from './ask-output.ts';
import { millforgeError } from './millforge-error.ts';
import { assertReachable, readModelSetting } from './model-setting.ts';
import type { RunRequest } from './run-request.ts';
import { assertWorkspace } from './workspace.ts';

/** A run that can be carried out as it is asked for. */
export interface AdmittedRun {
  /** The plan, read and verified. */
  readonly plan: CompiledHarnessPlan;
  /** The request with its model in normal form. */
  readonly request: RunRequest;
}

/**
 * Refuses a run that cannot be carried out as it is asked for, before anything of it is written.
 *
 * @throws `millforge/usage`, `millforge/document`, `millforge/grants-missing`, `millforge/tools-missing`
 * or `millforge/key-missing`.
 */
export async function admitRun(
  request: RunRequest,
  parts: {
    /** The tools. */
    readonly snapshot: RegistrySnapshot;
    /** Environment in which keys are looked up. */
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Promise<AdmittedRun> {
  assertTask(request.task);
  assertTimeout(request.timeoutMs);
  assertRunId(request.runId);
  const plan = readRequestedPlan(request.plan);
  assertGrants(plan, request.grants);
  assertApprovals(request.approvals);
  assertTools(plan, parts.snapshot);
  await assertWorkspace(request.workspace);
  const model = admitModel(request.model);
  assertReachable(model, parts.env);
  const { output, outputs = [], ...rest } = request;
  const asked = output === undefined ? outputs : [...outputs, ...askOutput(plan, output)];
  return {
    plan,
    request: {
      ...rest,
      ...(asked.length === 0 ? {} : { outputs: normalOutputs(plan, asked) }),
      model,
    },
  };
}

/** Reads a plan and refuses one that is not what its digest says. */
export function readRequestedPlan(plan: RunRequest['plan']): CompiledHarnessPlan {
  const read = readPlan(plan.bytes, { sha256: plan.sha256 });
  if (read.ok) return read.plan;
  throw millforgeError(
    'millforge/document',
    `The plan cannot be run: ${read.problems[0] ?? 'it is not valid.'}`,
    { details: { problems: [...read.problems] } },
  );
}

/** The error for capabilities that a plan needs and the caller does not grant. */
export function missingGrants(missing: readonly string[]): MillforgeError {
  return millforgeError(
    'millforge/grants-missing',
    `The run needs ${missing.length === 1 ? 'a capability' : 'capabilities'} that it was not granted: ${missing.join(', ')}.`,
    { details: { missing } },
  );
}

function assertTask(task: string): void {
  if (typeof task === 'string' && task.trim() !== '') return;
  throw millforgeError('millforge/usage', 'The task is empty; say what is to be done.');
}

function assertTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined) return;
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1000 && timeoutMs <= DAY_MS) return;
  throw millforgeError(
    'millforge/usage',
    `The timeout must be a whole number of milliseconds from 1,000 to 86,400,000; it was ${timeoutMs}.`,
  );
}

// The name is also that of a folder.
function assertRunId(runId: string | undefined): void {
  if (runId === undefined || /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(runId)) return;
  throw millforgeError(
    'millforge/usage',
    'A run id must be 1 to 128 of A-Z a-z 0-9 _ - and begin with a letter or digit.',
  );
}

function assertGrants(
  plan: CompiledHarnessPlan,
  grants: readonly (string | CapabilityGrant)[],
): void {
  for (const [index, grant] of grants.entries()) {
    const read = readCapabilityGrant(asJson(grantDocument(grant)));
    if (read.ok) continue;
    throw millforgeError(
      'millforge/document',
      `The grant ${index + 1} is wrong at ${read.path || '/'}: expected ${read.expected}.`,
    );
  }
  const ids = new Set(grants.map(capabilityOf));
  const missing = plan.required_capabilities.filter((id) => !ids.has(id));
  if (missing.length > 0) throw missingGrants(missing);
}

function assertApprovals(policy: ApprovalPolicy | undefined): void {
  if (policy === undefined) return;
  const read = readApprovalPolicy(asJson(policy));
  if (read.ok) return;
  throw millforgeError(
    'millforge/document',
    `The approval policy is wrong at ${read.path || '/'}: expected ${read.expected}.`,
  );
}

// A round trip, because interfaces without an index signature are not JSON to the type checker.
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

function assertTools(plan: CompiledHarnessPlan, snapshot: RegistrySnapshot): void {
  const missing = plan.nodes
    .map(({ binding }) => binding)
    .filter(
      ({ tool_id: id, tool_version: version, descriptor_sha256: sha256 }) =>
        snapshot.findTool(id, version)?.descriptorSha256 !== sha256,
    )
    .map(({ tool_id: id, tool_version: version }) => `${id}@${version}`);
  if (missing.length === 0) return;
  const names = [...new Set(missing)];
  throw millforgeError(
    'millforge/tools-missing',
    `The plan was made for ${names.length === 1 ? 'a tool that is' : 'tools that are'} not here, or not in that form: ${names.join(', ')}; give the same tools, or compile again.`,
    { details: { missing: names } },
  );
}

function admitModel(model: ModelSetting): ModelSetting {
  const read = readModelSetting(model);
  if (read.ok) return read.setting;
  throw millforgeError('millforge/document', `The model cannot be used: ${read.problem}`);
}

const DAY_MS = 86_400_000;

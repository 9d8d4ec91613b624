import {
  type ArtifactStore,
  type CapabilityGrant,
  type Clock,
  type CompiledHarnessPlan,
  createRedactor,
  type JsonValue,
  type ModelClient,
  type OperationLog,
  type Redactor,
  type RunArtifacts,
  type RunOutcome,
  type TrailSink,
} from '@millforge/contracts';
import type { Adapter, AdapterBinding } from '@millforge/kernel';
import {
  type ApprovalPolicy,
  createToolExecutor,
  type HostFolders,
  type RegistrySnapshot,
} from '@millforge/registry';
import {
  type ApprovalProvider,
  type RunEvent,
  runPlan,
  type SelectedOutputRequirement,
  type SteeringQueue,
} from '@millforge/runtime';
import { saveRunArtifacts } from './save-run-artifacts.ts';

/** What one execution of a plan is made of. */
export interface RunParts {
  /** Identifies the run. */
  readonly runId: string;
  /** The plan. */
  readonly plan: { readonly bytes: string; readonly sha256: string };
  /** What the model is asked to do. */
  readonly task: string;
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** Capabilities granted. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to. */
  readonly approvals?: ApprovalPolicy;
  /** Asks whether a call may be performed. */
  readonly approvalProvider?: ApprovalProvider;
  /** Makes the run known to its tools, and gives what ends that. */
  readonly enter: () => Promise<() => void>;
  /** Folders of this host by what is shown in their place. */
  readonly hostFolders: HostFolders;
  /** The model. */
  readonly model: ModelClient;
  /** The tools. */
  readonly snapshot: RegistrySnapshot;
  /** Time. */
  readonly clock: Clock;
  /** Replaces secrets. */
  readonly redactor: Redactor;
  /** Structured results to ask for. */
  readonly outputs?: readonly SelectedOutputRequirement[];
  /** What people say to the run. */
  readonly steering: SteeringQueue;
  /** Told what happens. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Whether it hears of replies while they are written. */
  readonly deltas?: boolean;
}

/** Where a run is recorded. */
export interface RunLog {
  /** What was done. */
  readonly operations: OperationLog;
  /** What was decided. */
  readonly trail: TrailSink;
  /** What is too large for either. */
  readonly artifacts?: ArtifactStore;
}

/** Runs a plan on an operation log, durable or not. */
export async function runOnLog(parts: RunParts, log: RunLog): Promise<RunOutcome> {
  const leave = await parts.enter();
  try {
    return await runOn(parts, log);
  } finally {
    leave();
  }
}

function runOn(parts: RunParts, log: RunLog): Promise<RunOutcome> {
  return runPlan(parts.plan, {
    task: parts.task,
    runId: parts.runId,
    workspace: parts.workspace,
    grants: parts.grants,
    executor: (plan: CompiledHarnessPlan) =>
      createToolExecutor({
        plan,
        snapshot: parts.snapshot,
        implementations: parts.snapshot.implementations,
        clock: parts.clock,
        redactor: parts.redactor,
        hostFolders: parts.hostFolders,
        ...(parts.approvals === undefined ? {} : { approvals: parts.approvals }),
      }),
    model: parts.model,
    operations: log.operations,
    trail: log.trail,
    ...(log.artifacts === undefined ? {} : { artifacts: log.artifacts }),
    clock: parts.clock,
    redactor: parts.redactor,
    ...(parts.approvalProvider === undefined ? {} : { approvals: parts.approvalProvider }),
    steering: parts.steering,
    ...(parts.outputs === undefined ? {} : { outputs: parts.outputs }),
    ...(parts.onEvent === undefined ? {} : { onEvent: parts.onEvent }),
    ...(parts.deltas === undefined ? {} : { deltas: parts.deltas }),
  });
}

/** Where the bytes of a durable run are. */
export interface RunBytes {
  /** Opens what goals saved. */
  readonly open: ArtifactStore['open'];
  /** What the tools of the run wrote. */
  readonly folder: RunArtifacts;
}

/** The kernel's adapter for a run: the same loop, on durable operations. */
export function runAdapter(
  binding: AdapterBinding,
  parts: RunParts,
  { open, folder }: RunBytes,
): Adapter {
  return {
    kind: 'model',
    name: binding.name,
    version: binding.version,
    parameters: binding.parameters,
    async run(context) {
      const outcome = await runOnLog(parts, {
        operations: context,
        trail: { append: (entry) => context.log(entry) },
        artifacts: { put: (bytes, options) => context.saveArtifact(bytes, options), open },
      });
      await saveRunArtifacts(folder, (bytes, options) => context.saveArtifact(bytes, options));
      return toJson(outcome);
    },
  };
}

/** A redactor that knows the key of the model, so that it is found wherever it turns up. */
export function runRedactor(key: string | undefined): Redactor {
  return createRedactor(key === undefined || key === '' ? {} : { secrets: [key] });
}

// A round trip, because interfaces without an index signature are not JSON to the type checker.
function toJson(outcome: RunOutcome): JsonValue {
  return JSON.parse(JSON.stringify(outcome));
}

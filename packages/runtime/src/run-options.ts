import type {
  ArtifactStore,
  CapabilityGrant,
  Clock,
  CompiledHarnessPlan,
  ModelClient,
  OperationLog,
  Redactor,
  TrailSink,
} from '@millforge/contracts';
import type { ToolExecutor } from '@millforge/registry';
import type { ApprovalProvider } from './approval-provider.ts';
import type { SelectedOutputRequirement } from './output/selected-output-requirement.ts';
import type { RunEvent } from './run-event.ts';
import type { Steering } from './steering/steering.ts';

/** The bytes of a compiled plan, and the digest by which it was approved. */
export interface PlanReference {
  /** The file as it was published. */
  readonly bytes: Uint8Array | string;
  /** The plan's own digest (`compiled_sha256`). */
  readonly sha256: string;
}

/** What a run is given besides its plan. */
export interface RunOptions {
  /** The instruction, verbatim. */
  readonly task: string;
  /** Identifies the run; the same when it is resumed. */
  readonly runId: string;
  /** Absolute path of the workspace, or null for a run without one. */
  readonly workspace: string | null;
  /** Capabilities granted, by id or with constraints; they must cover the plan's. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** Makes the executor for the plan that was verified, usually with `createToolExecutor`. */
  readonly executor: (plan: CompiledHarnessPlan) => ToolExecutor;
  /** The model. */
  readonly model: ModelClient;
  /** Records every model turn and tool call; its recorded outcomes are replayed. */
  readonly operations: OperationLog;
  /** Takes the decisions that are no operation. */
  readonly trail: TrailSink;
  /** Measures elapsed times: for events, and for a plan that limits them. */
  readonly clock: Clock;
  /** Asks whether a call may be performed; without it the answer is no. */
  readonly approvals?: ApprovalProvider;
  /** Replaces secrets in what the trail and the outcome quote; tool results come redacted already. */
  readonly redactor?: Redactor;
  /** Brings what people say to the run while it goes on; asked before every turn. */
  readonly steering?: Steering;
  /** Keeps the images of tool results; without it their bytes are recorded with the calls. */
  readonly artifacts?: ArtifactStore;
  /** Structured results to ask for with terminals; at most one for each result. */
  readonly outputs?: readonly SelectedOutputRequirement[];
  /** Hears of progress. What it throws ends the run with that error. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Whether it hears of replies while they are written, from a model that streams. Default false. */
  readonly deltas?: boolean;
}

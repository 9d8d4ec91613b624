import type { ModelSetting } from '@millforge/cli';
import type { CapabilityGrant } from '@millforge/contracts';
import type { ApprovalPolicy } from '@millforge/registry';
import type { RunEvent, SelectedOutputRequirement } from '@millforge/runtime';

/** What a run is started with. */
export interface RunRequest {
  /** The plan: the exact text of its file, and its own digest. */
  readonly plan: { readonly bytes: string; readonly sha256: string };
  /** What the model is asked to do. */
  readonly task: string;
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** The model. */
  readonly model: ModelSetting;
  /** Capabilities granted, by id or with constraints; they must cover the plan's. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to; default, what the tools ask for is declined. */
  readonly approvals?: ApprovalPolicy;
  /** Schema of a structured result, which every terminal that is a success then has to bring. */
  readonly output?: unknown;
  /** Structured results to ask for with single terminals; at most one for each result. */
  readonly outputs?: readonly SelectedOutputRequirement[];
  /** Milliseconds that the run may work, waiting not counted; default 30 minutes. */
  readonly timeoutMs?: number;
  /** What to do with an interrupted call of unknown outcome; default `hold`. */
  readonly onAmbiguous?: 'hold' | 'retry';
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Whether `onEvent` hears of replies while they are written, from a model that streams. Default false. */
  readonly deltas?: boolean;
  /** Names the run: `[A-Za-z0-9][A-Za-z0-9_-]*`, at most 128; default a fresh name. */
  readonly runId?: string;
}

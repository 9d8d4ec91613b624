import type { CapabilityGrant, JsonValue, RunResult } from '@millforge/contracts';
import type { ApprovalPolicy } from '@millforge/registry';
import type { RunEvent } from '@millforge/runtime';
import type { ModelSetting } from './model-setting.ts';

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
  /** Capabilities granted, by id or with constraints. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to. */
  readonly approvals?: ApprovalPolicy;
  /** JSON Schema of a structured result, which every terminal that is a success then has to bring. */
  readonly output?: JsonValue;
  /** Milliseconds that the run may work, waiting not counted. */
  readonly timeoutMs?: number;
  /** What to do with an interrupted call of unknown outcome. */
  readonly onAmbiguous?: 'hold' | 'retry';
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** A run that goes on. */
export interface RunHandle {
  /** The run. */
  readonly runId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<RunResult>;
  /** Suspends it: after the current operation, or now. */
  stop(options?: { readonly now?: boolean }): void;
}

/** How a suspended run is gone on with. */
export interface ResumeOptions {
  /** Told what happens, replayed steps included. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Whether `onEvent` hears of replies while they are written, from a model that streams. Default false. */
  readonly deltas?: boolean;
  /** Told once when another living process holds the run and its silence is being timed. */
  readonly onWaiting?: (owner: string) => void;
  /** Told once, before anything is asked, of the model that was kept; not of what has ended. */
  readonly onModel?: (model: ModelSetting) => void;
}

/** One run in a list. */
export interface RunSummary {
  /** The run. */
  readonly runId: string;
  /** How it stands: `running`, `interrupted`, `held`, `completed`, `failed` or `cancelled`. */
  readonly status: string;
  /** The task, cut to a line. */
  readonly task: string;
  /** When it was admitted, UTC. */
  readonly createdAt: string;
}

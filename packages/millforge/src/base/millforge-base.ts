import type { RunResult } from '@millforge/contracts';
import type { ApprovalPolicy } from '@millforge/registry';
import type { RunEvent } from '@millforge/runtime';
import type { RunHandle } from '../run-handle.ts';
import type { BaseEvidence } from './base-evidence.ts';

/**
 * What millforge-base is asked to do.
 *
 * Everything but the task may be left out. What is stated about harness, plan, stage, profile and grants is
 * held against what this base was composed of, before anything is done.
 */
export interface BaseRequest {
  /** What the model is asked to do. */
  readonly task: string;
  /** The caller's own name of the request, repeated in the evidence; default `request.millforge-base`. */
  readonly requestId?: string;
  /** Names the run; default a fresh name. */
  readonly runId?: string;
  /** Milliseconds that the run may work, waiting not counted; default 30 minutes. */
  readonly timeoutMs?: number;
  /** What to do with an interrupted call of unknown outcome; default `hold`. */
  readonly onAmbiguous?: 'hold' | 'retry';
  /** What becomes of calls that somebody may have to agree to; default, nobody has to. */
  readonly approvals?: ApprovalPolicy;
  /** Schema of a structured result, which every terminal that is a success then has to bring. */
  readonly output?: unknown;
  /** Whether events tell of replies while they are written, from a model that streams. Default false. */
  readonly deltas?: boolean;
  /** The harness that is meant. */
  readonly harness?: { readonly id: string; readonly version: number };
  /** Digest of the plan that is meant. */
  readonly planSha256?: string;
  /** The stage that is meant: plane `execution`, node `millforge-base`, kind `millforge_base`. */
  readonly stage?: {
    readonly plane: string;
    readonly nodeId: string;
    readonly stageKindId: string;
  };
  /** Id of the model profile that is meant. */
  readonly profileId?: string;
  /** The capabilities that are meant to be granted: exactly the four. */
  readonly grants?: readonly string[];
}

/** millforge-base, composed for one folder and one model. */
export interface MillforgeBase extends AsyncDisposable {
  /** The plan of every run: the exact text of its file, and its own digest. */
  readonly plan: { readonly bytes: string; readonly sha256: string };
  /** Capabilities that every run is granted, sorted. */
  readonly grants: readonly string[];
  /** Files of the project and of the user that the model is told, as they were at composition. */
  readonly contextFiles: readonly {
    /** Path relative to the working directory, or below `~`. */
    readonly path: string;
    /** Bytes of it that the model is told. */
    readonly bytes: number;
    /** Whether it goes on. */
    readonly truncated: boolean;
  }[];
  /** Files that were not taken and why, one sentence each. */
  readonly diagnostics: readonly string[];
  /** Whether it was closed, or is being closed. */
  readonly isClosed: boolean;
  /**
   * Starts a run.
   *
   * @throws `millforge/closed`; `millforge/base-binding`; what `Millforge.run` throws; `millforge/export-failed`
   * when the evidence cannot be kept, and then nothing goes on.
   */
  start(
    request: BaseRequest & {
      /** Told what happens, as it happens. */
      readonly onEvent?: (event: RunEvent) => void;
    },
  ): Promise<RunHandle>;
  /**
   * Runs a request to its end. An abort suspends the run after the operation that goes on, such as a call of
   * `bash`, or cancels it at once for the reason `{ cancel: true }`. Failures of model and tools are results.
   *
   * @throws `millforge/aborted` for a signal that was aborted beforehand; what `start` throws.
   */
  execute(
    request: BaseRequest,
    options?: {
      /** Suspends the run, or ends it. */
      readonly signal?: AbortSignal;
      /** Told what happens, as it happens. */
      readonly onEvent?: (event: RunEvent) => void;
    },
  ): Promise<RunResult>;
  /**
   * Says what a request would run, without telling any of it; the same is written as `evidence.json` beside
   * the result. Without a `runId` it names no run.
   *
   * @throws `millforge/closed`; `millforge/base-binding`; `millforge/document` for a structured result that
   * cannot be asked for.
   */
  evidenceFor(request: BaseRequest): BaseEvidence;
  /**
   * Suspends what still runs and frees what is its own, once. What it was given stays open: transport, clock,
   * secrets, artifact store.
   */
  close(): Promise<void>;
}

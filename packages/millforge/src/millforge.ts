import type { CompileInput, CompileResult, HarnessInput } from '@millforge/compiler';
import type { JsonValue, RunResult, ToolCatalog, TrailRecord } from '@millforge/contracts';
import type { TrailVerdict } from '@millforge/kernel';
import type { RegistrySnapshot } from '@millforge/registry';
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
  /** Capabilities granted; they must cover the plan's. */
  readonly grants: readonly string[];
  /** Milliseconds that the run may work, waiting not counted; default 30 minutes. */
  readonly timeoutMs?: number;
  /** What to do with an interrupted call of unknown outcome; default `hold`. */
  readonly onAmbiguous?: 'hold' | 'retry';
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** A run that goes on in this process. */
export interface RunHandle {
  /** The run; the same as its goal in the trail. */
  readonly runId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<RunResult>;
  /** Suspends it, after the current operation or now; it can be resumed. */
  stop(options?: { readonly now?: boolean }): void;
  /** Ends it for good; `kernel/goal-ended` when it has ended. */
  cancel(reason: string): Promise<void>;
}

/** How a suspended run is gone on with. */
export interface ResumeOptions {
  /** Told what happens, replayed steps included. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Told once when another living process holds the run and its silence is being timed. */
  readonly onWaiting?: (owner: string) => void;
}

/** How a person answers a hold. */
export interface DecisionRequest {
  /** The hold; may be null when exactly one is open. */
  readonly holdId: string | null;
  /** Version of the hold that was looked at; another by now is refused. Default: as it stands. */
  readonly version?: number;
  /** Repeat it once, attest that it happened, or end the run. */
  readonly decision: 'retry' | 'accept' | 'cancel';
  /** Why. */
  readonly reason: string;
  /** For `accept`: the recorded outcome; default an attestation without output. */
  readonly outcome?: JsonValue;
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

/** One thing that works on this machine, or does not. */
export interface DoctorFinding {
  /** What was looked at. */
  readonly subject: string;
  /** Whether it is as it must be. */
  readonly isRight: boolean;
  /** One sentence: what was found, and what to do when it is wrong. */
  readonly message: string;
}

/**
 * Everything wired: compile, run, resume, decide, read.
 *
 * Nothing is opened before it is needed. Methods that need the trail throw `kernel/…` errors, among
 * them `kernel/driver-missing` where the SQLite driver was not built.
 */
export interface Millforge extends AsyncDisposable {
  /** The tools that a harness may name. */
  readonly catalog: ToolCatalog;
  /** The tools, with their code. */
  readonly snapshot: RegistrySnapshot;
  /** Path of the trail; null when nothing is kept. */
  readonly trailPath: string | null;
  /** Compiles a harness against the tools of this Millforge. */
  compile(source: HarnessInput, input: Omit<CompileInput, 'catalog'>): CompileResult;
  /**
   * Admits and starts a run; a run that is refused leaves nothing behind.
   *
   * @throws `millforge/usage` for a wrong task, time or workspace; `millforge/document` for a wrong plan
   * or model; `millforge/grants-missing`, `millforge/tools-missing`, `millforge/key-missing`,
   * `millforge/unsupported-platform`.
   */
  run(request: RunRequest): Promise<RunHandle>;
  /**
   * Goes on with a suspended or crashed run; needs neither source nor configuration. A run that has
   * ended gives its result again.
   */
  resume(runId: string, options?: ResumeOptions): Promise<RunHandle>;
  /** Answers a hold; the run goes on when it is resumed. */
  decide(runId: string, decision: DecisionRequest): Promise<RunResult>;
  /** The latest hundred runs, newest first. */
  listRuns(): Promise<readonly RunSummary[]>;
  /** How one run stands. */
  readRun(runId: string): Promise<RunResult>;
  /** The trail of one run, from its first record. */
  readTrail(runId: string): AsyncIterable<TrailRecord>;
  /** Recomputes the trail of one run, or of all. */
  verifyTrail(runId?: string): Promise<TrailVerdict>;
  /** What works on this machine and why not. */
  doctor(): Promise<readonly DoctorFinding[]>;
}

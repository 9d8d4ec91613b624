import type { RunResult, Tool, ToolCatalog, TrailRecord } from '@millforge/contracts';
import type { TrailVerdict } from '@millforge/kernel';
import type { RegistrySnapshot } from '@millforge/registry';
import type { ToolTrial } from '@millforge/registry/testing';
import type { ApprovalProvider } from '@millforge/runtime';
import type { BasePort } from './base-port.ts';
import type { DecisionRequest } from './decision-request.ts';
import type { DevelopHandle, DevelopRequest } from './develop-port.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import type { GoalKind } from './goal-kind.ts';
import type { ModelSetting } from './model-setting.ts';
import type { OperatorSettings } from './operator-settings.ts';
import type { ResumeReviewOptions, ReviewHandle, ReviewRequest } from './review-port.ts';
import type { ResumeOptions, RunHandle, RunRequest, RunSummary } from './run-port.ts';
import type { RunPublications } from './run-publications.ts';

/** Makes what the commands work with. Nothing is opened before a command needs it. */
export type MillforgeFactory = (options: {
  /** Data directory, absolute. */
  readonly dataDir: string;
  /** Environment in which keys are looked up by name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Who acts, for the trail; default the user of the process. */
  readonly actor?: string;
  /** Tools beside those that ship. */
  readonly tools?: readonly Tool[];
  /** Asks whether a call may be performed; without it, whatever would be asked is declined. */
  readonly approvalProvider?: ApprovalProvider;
  /** What the operator sets up for the built-in tools. */
  readonly builtinTools?: OperatorSettings;
}) => MillforgePort;

/** What the commands need of the product. */
export interface MillforgePort extends AsyncDisposable {
  /** The tools that a harness may name. */
  readonly catalog: ToolCatalog;
  /** The same tools, with all that is known of them. */
  readonly snapshot: RegistrySnapshot;
  /** Takes one call of one tool through the executor; null for a call that was only checked and passed. */
  tryTool(request: {
    /** Dotted id. */
    readonly toolId: string;
    /** Exact version. */
    readonly toolVersion: number;
    /** Arguments. */
    readonly input: unknown;
    /** Folder that the tool works in, absolute. */
    readonly workspace?: string;
    /** How far the call goes. */
    readonly upTo?: 'check' | 'run';
    /** Stops the call. */
    readonly signal?: AbortSignal;
  }): Promise<ToolTrial | null>;
  /** Admits and starts a run. */
  run(request: RunRequest): Promise<RunHandle>;
  /** Composes the harness that ships, for a folder and a model. */
  openBase(options: { readonly cwd: string; readonly model: ModelSetting }): Promise<BasePort>;
  /** Goes on with a suspended or crashed run; one that has ended gives its result again. */
  resume(runId: string, options?: ResumeOptions): Promise<RunHandle>;
  /** Answers a hold. */
  decide(runId: string, decision: DecisionRequest): Promise<RunResult>;
  /** Starts a bounded development, or goes on with the one that was admitted under this contract. */
  develop(request: DevelopRequest): Promise<DevelopHandle>;
  /** Begins a review of a commit. */
  review(request: ReviewRequest): Promise<ReviewHandle>;
  /** Goes on with a suspended or crashed review; one that has ended gives its report again. */
  resumeReview(reviewId: string, options?: ResumeReviewOptions): Promise<ReviewHandle>;
  /** Opens what is published of the runs. */
  publications(): Promise<RunPublications>;
  /** The latest runs, newest first. */
  listRuns(): Promise<readonly RunSummary[]>;
  /** Whether a goal is a run, a review or a development. */
  goalKind(goalId: string): Promise<GoalKind>;
  /** How one run stands. */
  readRun(runId: string): Promise<RunResult>;
  /** The trail of one run, from its first record; with `follow` it goes on until the run ends. */
  readTrail(
    runId: string,
    options?: { readonly follow?: boolean; readonly signal?: AbortSignal },
  ): AsyncIterable<TrailRecord>;
  /** Writes the trail of one run as JSON Lines with all that is needed to verify it elsewhere. */
  exportTrail(runId: string): AsyncIterable<string>;
  /** Verifies an export and keeps it, to be read and never run; gives the name of its run. */
  importTrail(lines: AsyncIterable<string>): Promise<string>;
  /** Recomputes the trail of one run, or of all. */
  verifyTrail(runId?: string): Promise<TrailVerdict>;
  /** What works on this machine and why not. */
  doctor(): Promise<readonly DoctorFinding[]>;
}

import type {
  DecisionRequest,
  DevelopHandle,
  DevelopRequest,
  DoctorFinding,
  GoalKind,
  ResumeOptions,
  ResumeReviewOptions,
  ReviewHandle,
  ReviewRequest,
  RunPublications,
  RunSummary,
} from '@millforge/cli';
import type { CompileInput, CompileResult, HarnessInput } from '@millforge/compiler';
import type { RunResult, ToolCatalog, TrailRecord } from '@millforge/contracts';
import type { TrailVerdict } from '@millforge/kernel';
import type { RegistrySnapshot } from '@millforge/registry';
import type { ToolTrial } from '@millforge/registry/testing';
import type { OpenBaseOptions } from './base/base-options.ts';
import type { MillforgeBase } from './base/millforge-base.ts';
import type { RunHandle } from './run-handle.ts';
import type { RunRequest } from './run-request.ts';
import type { TryToolRequest } from './try-tool.ts';

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
   * Takes one call of one tool through the executor of a run, without harness and model; null for a call that
   * was only to be checked and passed. Nothing is recorded.
   *
   * @throws `millforge/usage` for a tool that is not here.
   */
  tryTool(request: TryToolRequest): Promise<ToolTrial | null>;
  /**
   * Admits and starts a run; a run that is refused leaves nothing behind.
   *
   * @throws `millforge/usage` for a wrong task, time or workspace; `millforge/document` for a wrong plan
   * or model; `millforge/grants-missing`, `millforge/tools-missing`, `millforge/key-missing`,
   * `millforge/unsupported-platform`.
   */
  run(request: RunRequest): Promise<RunHandle>;
  /**
   * Starts a bounded development of a tree, or goes on with the one that was admitted under this contract: phases
   * in a work copy, each looked at before and after, criteria on copies, and a patch for a person at the end. The tree
   * itself is only read.
   *
   * @throws `millforge/usage` for directories and trees that cannot be used; `millforge/document` for a wrong
   * contract or model, with diagnostics as details; `millforge/key-missing`; `millforge/no-trail`;
   * `millforge/unsupported-platform`; `kernel/goal-conflict` where another goal has the name.
   */
  develop(request: DevelopRequest): Promise<DevelopHandle>;
  /**
   * Composes millforge-base for a folder and a model, without network and without a key. It is
   * unrestricted: its tools do what the user of the process may do.
   *
   * @throws `millforge/unsupported-platform` before anything else; `millforge/usage` for a wrong folder;
   * `millforge/grants-missing`; `millforge/document` for a wrong model or terminals that have no tool here.
   */
  openBase(options: OpenBaseOptions): Promise<MillforgeBase>;
  /**
   * Goes on with a suspended or crashed run; needs neither source nor configuration. A run that has
   * ended gives its result again.
   */
  resume(runId: string, options?: ResumeOptions): Promise<RunHandle>;
  /** Answers a hold; the run goes on when it is resumed. */
  decide(runId: string, decision: DecisionRequest): Promise<RunResult>;
  /**
   * Reviews a commit: roles propose findings, and each quote is proved against the captured bytes. Nothing of the
   * commit is executed, nothing but the model is reached.
   *
   * @throws `review/…` for a commit, roles or paths that cannot be reviewed; `millforge/usage`,
   * `millforge/key-missing`, `millforge/no-trail`, `millforge/unsupported-platform`.
   */
  review(request: ReviewRequest): Promise<ReviewHandle>;
  /**
   * Goes on with a suspended or crashed review; what was answered is not asked again. One that has ended gives its
   * report again.
   */
  resumeReview(reviewId: string, options?: ResumeReviewOptions): Promise<ReviewHandle>;
  /**
   * Opens what is published of completed runs: an output, approved by digest, sent at most once.
   *
   * @throws `millforge/no-trail`; `millforge/usage` where there is no trail yet.
   */
  publications(): Promise<RunPublications>;
  /** The latest hundred runs, newest first. */
  listRuns(): Promise<readonly RunSummary[]>;
  /** Whether a goal of this data directory is a run, a review or a development. */
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

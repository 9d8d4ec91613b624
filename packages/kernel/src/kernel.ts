import type { ArtifactStore, Clock, Ids, TrailRecord } from '@millforge/contracts';
import type { Adapter } from './adapter.ts';
import type { Retrieval, RetrievalQuery } from './artifacts/captured-revision.ts';
import type { CollectionFacts } from './artifacts/collect-artifacts.ts';
import type { GoalContract } from './contract/goal-contract.ts';
import type { Decision } from './decision.ts';
import type { Failpoint } from './failpoints.ts';
import type { GoalSummary, GoalView, OperationView, OwnerView } from './goal-view.ts';
import type { KernelObserver } from './observer.ts';
import type { RunWorkerOptions, Worker } from './run/run-worker.ts';
import type { Scope } from './scope.ts';
import type { BackupFacts } from './sqlite/back-up.ts';
import type { TrailVerdict } from './trail/trail-verdict.ts';

/** What {@link openKernel} needs. */
export interface OpenKernelOptions {
  /** The trail's file, in a directory of its own on a local disk; both are made when missing. */
  readonly path: string;
  /** Wall and monotonic time. */
  readonly clock: Clock;
  /** Source of fresh names. */
  readonly ids: Ids;
  /** Called before and after every durable write and every act; tests kill the process there. */
  readonly failpoint?: (name: Failpoint) => void;
  /** Reads the whole file for damage first. Default false. */
  readonly check?: boolean;
  /**
   * Opens a backup as a trail of its own: every open goal that can have effects is held first. Default false.
   */
  readonly adopt?: boolean;
  /**
   * Opens a trail that is there to be looked at, a backup too, also on a read-only medium. Default false.
   *
   * The trail is not changed, this process is known to nobody, and every call that would write rejects with
   * `kernel/read-only`. `check` and `adopt` say nothing then.
   */
  readonly readOnly?: boolean;
  /** How long a write waits for another process before `kernel/busy`; default 5 s. */
  readonly lockTimeoutMs?: number;
  /** Told what runs in this process, without content; `@millforge/kernel/telemetry` makes one. Default nobody. */
  readonly observer?: KernelObserver;
  /** How long aborted work is waited for; default 5 s. */
  readonly graceMs?: number;
}

/**
 * The durable memory of goals: admits them, runs them, holds what is uncertain, keeps the trail.
 *
 * Everything it returns is a frozen document, never a live row. Every method throws
 * `kernel/closed` after disposal, and a `kernel/…` error that says what to do when the file, the disk
 * or the lock fails. Disposal rejects with a fault that nobody was told before, and ends quietly after one that was.
 */
export interface Kernel extends AsyncDisposable {
  /** Name under which this process holds leases. */
  readonly ownerId: string;
  /**
   * Stores a contract, or returns the goal that has exactly this one.
   *
   * @throws `kernel/contract-invalid` with the diagnostics as details; `kernel/goal-conflict`.
   */
  admitGoal(scope: Scope, contract: GoalContract): Promise<GoalView>;
  /** Reads one goal; `kernel/not-found` otherwise. */
  readGoal(scope: Scope, goalId: string): Promise<GoalView>;
  /** Lists goals, newest first; `before` is the last `goal_id` of the page before. */
  listGoals(
    scope: Scope,
    options?: { readonly limit?: number; readonly before?: string },
  ): Promise<readonly GoalSummary[]>;
  /** Runs a goal until it ends, is held or is stopped; replays what is recorded. */
  runGoal(scope: Scope, goalId: string, options: RunGoalOptions): GoalRun;
  /** Takes up whatever goals wait, of all tenants, oldest first, until its signal aborts. */
  runWorker(options: RunWorkerOptions): Worker;
  /** Decides an open hold; the goal does not run before it is run again. */
  decide(scope: Scope, goalId: string, decision: Decision): Promise<GoalView>;
  /** Cancels a goal for good; refused with `kernel/stale-version` when it changed since. */
  cancelGoal(
    scope: Scope,
    goalId: string,
    options: { readonly version: number; readonly reason: string },
  ): Promise<GoalView>;
  /** Reads the trail in order; with `follow` it goes on until the goal ends or the signal aborts. */
  readTrail(
    scope: Scope,
    goalId: string,
    options?: {
      /** First number wanted; default 1. */
      readonly from?: number;
      /** Whether to wait for more. Default false. */
      readonly follow?: boolean;
      /** Ends the reading. */
      readonly signal?: AbortSignal;
    },
  ): AsyncIterable<TrailRecord>;
  /** Recomputes chain, digests, rows and payloads of one goal, or of all of the tenant. */
  verifyTrail(scope: Scope, goalId?: string): Promise<TrailVerdict>;
  /** Reads one operation with its payloads; `kernel/not-found` otherwise. */
  readOperation(
    scope: Scope,
    goalId: string,
    options: { readonly taskId?: string; readonly key: string },
  ): Promise<OperationView>;
  /** The artifacts of the scope's tenant. */
  artifacts(scope: Scope): ArtifactStore;
  /** Writes a goal as JSON Lines with all that is needed to verify it elsewhere; not the bytes of artifacts. */
  exportTrail(scope: Scope, goalId: string): AsyncIterable<string>;
  /**
   * Verifies an export, then keeps it as a goal that is read and never run.
   *
   * @throws `kernel/export-invalid` with the line; `kernel/goal-conflict` when the goal is here already.
   */
  importTrail(scope: Scope, lines: Iterable<string> | AsyncIterable<string>): Promise<GoalView>;
  /** Finds exact pieces of the text files of one captured revision. */
  retrieve(scope: Scope, query: RetrievalQuery): Promise<Retrieval>;
  /** Removes artifacts that nothing refers to, once they are older than `graceMs`; default a day. */
  collectArtifacts(options?: { readonly graceMs?: number }): Promise<CollectionFacts>;
  /**
   * Copies the trail and the artifacts that it names into a directory that does not exist yet.
   *
   * What a killed process left of a copy to the same place is taken away first.
   */
  backup(directory: string): Promise<BackupFacts>;
  /** Reads the whole file for damage, verifies every trail and tells sizes, for whoever asks what is wrong. */
  examine(): Promise<StoreFacts>;
}

/** What a run needs. */
export interface RunGoalOptions {
  /** The adapters that the contract may name. */
  readonly adapters: readonly Adapter[];
  /** Attempts of independent tasks that run at the same time; default 16. */
  readonly concurrency?: number;
  /** Told once when another living process holds the goal and its silence is being timed. */
  readonly onWaiting?: (owner: OwnerView) => void;
}

/** One execution of a goal in this process. */
export interface GoalRun {
  /**
   * Resolves when the goal ended, is held or is suspended.
   *
   * Rejects with `kernel/run-active` while another process runs it, `kernel/lease-lost` when one took
   * it over, `kernel/adapter-missing`, `kernel/not-found`, or a fault of the store.
   */
  readonly done: Promise<GoalView>;
  /**
   * Suspends after the operations in flight, or at once with `now`; the goal stays resumable.
   *
   * A model's answer is not waited for: such a call without effect is told to end, and made again on resume.
   */
  stop(options?: { readonly now?: boolean }): void;
  /** Cancels the goal for good. */
  cancel(reason: string): Promise<GoalView>;
}

/** Facts about the file. */
export interface StoreFacts {
  /** Whether SQLite finds no damage. */
  readonly intact: boolean;
  /** What SQLite says is damaged, at most 20 lines. */
  readonly problems: readonly string[];
  /** Version of the schema. */
  readonly schema_version: number;
  /** Whether every trail holds; null when the file is damaged, so that nothing can be said. */
  readonly trails: TrailVerdict | null;
  /** Bytes of the file. */
  readonly file_bytes: number;
  /** Bytes of the write-ahead log. */
  readonly wal_bytes: number;
  /** Goals of all tenants. */
  readonly goals: number;
  /** Trail records of all tenants. */
  readonly records: number;
  /** Publications of all tenants that were sent and have no known end. */
  readonly publications_unknown: number;
  /** Version of SQLite. */
  readonly sqlite_version: string;
}

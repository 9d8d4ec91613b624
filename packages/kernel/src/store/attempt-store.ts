import type { ArtifactRef, JsonObject, Reconciliation } from '@millforge/contracts';
import type { CompleteContract, CompleteTask } from '../contract/read-goal-contract.ts';
import type { HoldView } from '../goal-view.ts';
import type { Note } from './append-notes.ts';
import type { Claim } from './claim.ts';
import type { AttemptFailure, Suspension } from './end-attempt.ts';
import type { GoalRow } from './goal-row.ts';
import type { OperationRow } from './operation-row.ts';
import type { Payload } from './payloads.ts';
import type { Output } from './record-output.ts';
import type { Standing } from './standing.ts';

/**
 * Attempts: admitted, claimed, ended, left behind.
 *
 * What takes a standing compares it with what it finds, and does nothing when the task changed since. What takes a claim
 * rejects with `operation/suspended` (`lease-lost`, `cancelled`) when a higher fence superseded it or its goal was
 * cancelled; it changes nothing then.
 */
export interface AttemptStore {
  /** Reserves the units of a new attempt and admits it; null when the task changed. */
  admit(standing: Standing, by: Claimer): Promise<ClaimedTask | null>;
  /** Claims the latest attempt again, under the next fence; null when the task changed or its owner has beaten. */
  claim(standing: Standing, by: Claimer & Watched): Promise<ClaimedTask | null>;
  /** Marks an attempt that a process left in the middle as one that nobody knows the end of. */
  doubtLeft(standing: Standing, by: { readonly actor: string } & Watched): Promise<void>;
  /** Lets go what a dead process left of a goal that waits or has failed; what may have happened stays a question. */
  release(standing: Standing, by: { readonly actor: string }): Promise<void>;
  /** Asks a person about a task that must not be run as it is. */
  hold(
    standing: Standing,
    question: {
      readonly reason: HoldView['reason'];
      readonly message: string;
      readonly actor: string;
    },
  ): Promise<void>;
  /** Settles an attempt in doubt by what looking said: recorded, failed, or a question to a person. */
  resolve(standing: Standing, found: Found): Promise<void>;
  /** Reads what the tasks gave that a task depends on. */
  outputs(goal: Pick<GoalRow, 'goal' | 'tenant'>, task: CompleteTask): Promise<JsonObject>;
  /** Reads all that a program is replayed from. */
  load(claim: Claim, of: Work): Promise<LoadedAttempt>;
  /** Marks an attempt as begun, before a callback that is in doubt as a whole. */
  begin(claim: Claim): Promise<void>;
  /** Resolves while a claim holds. */
  confirm(claim: Claim): Promise<void>;
  /** Lets an attempt go; it can be claimed again, with the same number and units. */
  suspend(
    claim: Claim,
    how: {
      readonly suspension: Suspension;
      readonly contract: CompleteContract;
      readonly elapsedMs: number;
    },
  ): Promise<void>;
  /** Ends an attempt that failed; another may follow, the task fails, or a person is asked what it did. */
  fail(
    claim: Claim,
    how: Work & {
      readonly failure: AttemptFailure & { readonly isSettled: boolean };
      readonly elapsedMs: number;
    },
  ): Promise<void>;
  /** Records the output of an attempt with its receipt. */
  record(
    claim: Claim,
    how: Work & {
      readonly output: Output;
      readonly admittedAt: string;
      readonly elapsedMs: number;
      readonly notes: readonly Note[];
    },
  ): Promise<void>;
  /** Keeps what came too late as evidence; no state changes, and no fence is asked for. */
  keepLate(claim: Claim, late: LateResult): Promise<void>;
  /** Names bytes that an attempt is about to refer to, so that no collection removes them. */
  pinArtifact(claim: Claim, digest: string): Promise<void>;
  /** Records that a goal has bytes, once a content; more than `limit` bytes in all are refused. */
  saveArtifact(
    claim: Claim,
    saved: { readonly ref: ArtifactRef; readonly limit: number | null },
  ): Promise<void>;
}

/** Who takes an attempt. */
export interface Claimer {
  /** Name of the process. */
  readonly ownerId: string;
  /** Who runs the goal, as it stands in the trail. */
  readonly actor: string;
}

/** At which heartbeat the former owner was last seen. */
export interface Watched {
  /** Null when its process is known to be dead. */
  readonly beat: number | null;
}

/** What an attempt works at. */
export interface Work {
  /** The contract of the goal. */
  readonly contract: CompleteContract;
  /** The task in it. */
  readonly task: CompleteTask;
}

/** What a claim gives to an attempt. */
export interface ClaimedTask {
  /** The attempt in the hands of this process. */
  readonly claim: Claim;
  /** Milliseconds under a lease so far. */
  readonly elapsedMs: number;
  /** Time under a lease of all other attempts of the goal. */
  readonly othersElapsedMs: number;
  /** When the attempt was admitted. */
  readonly admittedAt: string;
}

/** All that a program is replayed from. */
export interface LoadedAttempt {
  /** Operations of the task, in the order of their first record. */
  readonly rows: readonly OperationRow[];
  /** Digests of the decisions that were appended, by key. */
  readonly notes: ReadonlyMap<string, string>;
  /** Outputs of the tasks that this one depends on. */
  readonly outputs: JsonObject;
  /** Digest of what the task is given. */
  readonly inputSha256: string;
  /** Digest of the contract. */
  readonly contractSha256: string;
}

/** What looking at an attempt in doubt said. */
export interface Found {
  /** What looking said. */
  readonly answer: Reconciliation;
  /** How it is told; null when there was no way to look. */
  readonly facts: JsonObject | null;
  /** Whether the process that began it may still act. */
  readonly mayStillAct: boolean;
  /** Name of a receipt, should it complete the task. */
  readonly receiptId: string;
  /** Who looked, as it stands in the trail. */
  readonly actor: string;
}

/** A result that came after the end. */
export interface LateResult {
  /** Key of the operation; null for the output of the attempt. */
  readonly key: string | null;
  /** How it ended. */
  readonly outcome: string;
  /** What it gave. */
  readonly payload: Payload;
}

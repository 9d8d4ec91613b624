import { operationSuspended } from '@millforge/contracts';
import { notFound } from '../kernel-error.ts';
import type { AttemptState } from '../states/transitions.ts';
import { added, appendRecord, changed, type RowChange } from './append-record.ts';
import { type AttemptRow, dropLease } from './attempt-row.ts';
import { type GoalHead, type GoalRow, readGoalAgain, timeAfter } from './goal-row.ts';
import { GOAL_STATES, oneOf } from './read-column.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** An attempt in the hands of this process. */
export interface Claim {
  /** Number under which the store keeps the goal. */
  readonly goal: number;
  /** Whose goal it is. */
  readonly tenant: string;
  /** Name that no other goal of any store has. */
  readonly goalUid: string;
  /** The task. */
  readonly taskId: string;
  /** Which attempt of it. */
  readonly number: number;
  /** Number of this claim; a higher one supersedes it. */
  readonly fence: number;
  /** Who holds it. */
  readonly ownerId: string;
  /** Who runs the goal, as it stands in the trail. */
  readonly actor: string;
  /** Units that the attempt reserved. */
  readonly units: number;
  /** Part of the idempotency key of the whole attempt. */
  readonly generation: number;
  /** Whether the callback of this attempt was entered before, and may have had its effect then. */
  readonly isRepeat: boolean;
}

/** What a claim is made of, but for what the goal itself gives. */
type NewClaim = Omit<Claim, 'fence' | 'goal' | 'tenant' | 'goalUid' | 'isRepeat'>;

/** Reserves the units of a new attempt and admits it; durable before anything else happens. */
export function admitAttempt(tx: StoreTransaction, goal: GoalRow, attempt: NewClaim): Claim {
  const claim = claimOf(goal, { ...attempt, isRepeat: false });
  takeLease(tx, claim, 0);
  appendRecord(tx, goal, {
    type: 'attempt-admitted',
    actor: attempt.actor,
    changes: [
      changed('goals', {
        ...(goal.state === 'ready' ? { state: 'running' } : {}),
        fence: claim.fence,
        units_reserved: goal.units_reserved + attempt.units,
      }),
      changed('tasks', { task_id: claim.taskId, state: 'running', attempts: claim.number }),
      added('attempts', {
        task_id: claim.taskId,
        number: claim.number,
        state: 'admitted',
        fence: claim.fence,
        units: attempt.units,
        admitted_at: goal.at,
        generation: attempt.generation,
        owner_id: attempt.ownerId,
      }),
    ],
    facts: { owner_id: attempt.ownerId },
  });
  return claim;
}

/** Claims an attempt again that was suspended, or that a process left behind. */
export function claimAttempt(
  tx: StoreTransaction,
  goal: GoalRow,
  again: {
    readonly attempt: AttemptRow;
    readonly elapsedMs: number;
    readonly taskIsRunning: boolean;
    readonly wasCrash: boolean;
    readonly claim: NewClaim;
  },
): Claim {
  // One that was suspended may have been entered; one that was only admitted was not.
  const isRepeat = again.attempt.state !== 'admitted';
  const claim = claimOf(goal, { ...again.claim, isRepeat });
  dropLease(tx, goal, claim.taskId);
  takeLease(tx, claim, again.elapsedMs);
  const task: readonly RowChange[] = again.taskIsRunning
    ? []
    : [changed('tasks', { task_id: claim.taskId, state: 'running' })];
  appendRecord(tx, goal, {
    type: again.wasCrash ? 'attempt-taken-over' : 'attempt-resumed',
    actor: claim.actor,
    changes: [
      changed('goals', {
        ...(goal.state === 'ready' ? { state: 'running' } : {}),
        fence: claim.fence,
      }),
      ...task,
      changed('attempts', {
        task_id: claim.taskId,
        number: claim.number,
        state: 'running',
        fence: claim.fence,
        resumes: again.attempt.resumes + (again.wasCrash ? 1 : 0),
        elapsed_ms: again.elapsedMs,
        suspended_by: null,
        failure_class: null,
        failure_code: null,
        failure_message: null,
        owner_id: claim.ownerId,
      }),
    ],
    facts: { owner_id: claim.ownerId },
  });
  return claim;
}

/** A goal in the hands of a claim that still holds. */
export interface Claimed {
  readonly goal: GoalHead;
  readonly attemptState: string;
}

/**
 * Reads the head of a claim's goal; whoever was superseded, whose goal was cancelled, or whose attempt has ended gets
 * no further.
 *
 * The rejection is the one that the log passes on.
 */
export function readClaimed(tx: StoreTransaction, claim: Claim, now: number): Claimed {
  const row = tx.claimed(claim);
  if (row === undefined) throw notFound('attempt');
  const state = oneOf(GOAL_STATES, row.state);
  if (state === 'cancelled') throw operationSuspended('cancelled');
  if (row.fence !== claim.fence) throw operationSuspended('lease-lost');
  // A program that goes on after it gave its output is no part of any attempt.
  if (!ACTIVE.has(String(row.attempt_state))) throw operationSuspended('stopped');
  const head_at = String(row.head_at);
  const goal: GoalHead = {
    goal: claim.goal,
    tenant: claim.tenant,
    goal_uid: claim.goalUid,
    state,
    head_seq: Number(row.head_seq),
    head_sha256: String(row.head_sha256),
    head_at,
    at: timeAfter(head_at, now),
  };
  return { goal, attemptState: String(row.attempt_state) };
}

/** Reads a claim with the whole of its goal. */
export function readClaimedGoal(
  tx: StoreTransaction,
  claim: Claim,
  now: number,
): { readonly goal: GoalRow; readonly attemptState: string } {
  const { attemptState } = readClaimed(tx, claim, now);
  return { goal: readGoalAgain(tx, claim, now), attemptState };
}

/** Marks an attempt as begun, before a callback that is in doubt as a whole. */
export function beginAttempt(tx: StoreTransaction, claim: Claim, now: number): void {
  const { goal, attemptState } = readClaimed(tx, claim, now);
  const changes = beginning(claim, attemptState);
  if (changes.length === 0) return;
  appendRecord(tx, goal, { type: 'attempt-begun', actor: claim.actor, changes });
}

/** The change that marks an attempt as begun, once. */
export function beginning(claim: Claim, attemptState: string): readonly RowChange[] {
  if (attemptState !== 'admitted') return [];
  return [changed('attempts', { task_id: claim.taskId, number: claim.number, state: 'running' })];
}

function claimOf(goal: GoalRow, claim: NewClaim & Pick<Claim, 'isRepeat'>): Claim {
  return {
    ...claim,
    goal: goal.goal,
    tenant: goal.tenant,
    goalUid: goal.goal_uid,
    fence: goal.fence + 1,
  };
}

function takeLease(tx: StoreTransaction, claim: Claim, elapsedMs: number): void {
  tx.insert('leases', {
    columns: LEASE_COLUMNS,
    values: [
      claim.goal,
      claim.tenant,
      claim.taskId,
      claim.number,
      claim.ownerId,
      claim.fence,
      elapsedMs,
    ],
  });
}

const ACTIVE: ReadonlySet<string> = new Set<AttemptState>(['admitted', 'running']);
const LEASE_COLUMNS = ['goal', 'tenant', 'task_id', 'number', 'owner_id', 'fence', 'elapsed_ms'];

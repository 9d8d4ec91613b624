import type { CompleteContract } from '../contract/read-goal-contract.ts';
import type { Decision } from '../decision.ts';
import type { GoalSummary, GoalView, OperationView } from '../goal-view.ts';
import type { Scope } from '../scope.ts';
import type { Position } from './read-position.ts';
import type { WaitingGoal } from './read-waiting.ts';

/** Goals: admitted, read, decided, cancelled. */
export interface GoalStore {
  /**
   * Stores a contract as a new goal, or finds the goal that has exactly this one.
   *
   * @throws `kernel/goal-conflict` when the tenant has another contract under this id.
   */
  admit(
    scope: Scope,
    admission: { readonly contract: CompleteContract; readonly goalUid: string },
  ): Promise<void>;
  /** Resolves when the tenant has the goal; `kernel/not-found` otherwise. */
  assertKnown(tenant: string, goalId: string): Promise<void>;
  /** Reads a goal as a document; `kernel/not-found` otherwise. */
  read(tenant: string, goalId: string): Promise<GoalView>;
  /** Reads a page of goals, newest first; `before` is the last id of the page before. */
  list(
    tenant: string,
    page: { readonly limit: number; readonly before: string | null },
  ): Promise<readonly GoalSummary[]>;
  /** Reads one operation with its payloads; without a task, of the first one. */
  readOperation(
    tenant: string,
    goalId: string,
    which: { readonly taskId: string | null; readonly key: string },
  ): Promise<OperationView>;
  /**
   * Reads where a goal stands, for whoever runs it.
   *
   * @throws `kernel/imported` for a goal that is only read here.
   */
  position(tenant: string, goalId: string): Promise<Position>;
  /** Reads the next page of goals of all tenants that somebody could run, the longest waiting first. */
  waiting(after: WaitingGoal | null): Promise<readonly WaitingGoal[]>;
  /** Decides a goal whose tasks are done by its required checks, or asks a person; else nothing happens. */
  check(tenant: string, goalId: string, by: { readonly actor: string }): Promise<void>;
  /**
   * Applies a person's decision to an open hold; the first one wins.
   *
   * @throws `kernel/hold-decided`, `kernel/stale-version`, `kernel/goal-ended`, `kernel/decision-not-allowed`,
   * `kernel/former-owner-alive`, `kernel/imported`, `kernel/not-found`.
   */
  decide(scope: Scope, goalId: string, deciding: StoredDecision): Promise<void>;
  /**
   * Cancels a goal and all of it that has not ended.
   *
   * @throws `kernel/goal-ended`, `kernel/stale-version` unless the version is null, `kernel/imported`.
   */
  cancel(
    scope: Scope,
    goalId: string,
    options: { readonly version: number | null; readonly reason: string },
  ): Promise<void>;
}

/** A decision, with what only the process of the caller knows. */
export interface StoredDecision {
  /** What is decided. */
  readonly decision: Decision;
  /** Name for a receipt, should the decision complete a task. */
  readonly receiptId: string;
  /** The acts of this process. */
  readonly here: OwnActs;
}

/** The acts of the process that calls: it lives, so only it knows which of them have ended. */
export interface OwnActs {
  /** Its name. */
  readonly ownerId: string;
  /** Whether an act of that name goes on in it. */
  readonly isActing: (name: string) => boolean;
}

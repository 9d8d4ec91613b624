export type { CompleteContract, CompleteTask } from './contract/read-goal-contract.ts';
export { type OpenKernelOnStoreOptions, openKernelOnStore } from './open-kernel-on-store.ts';
export type { AttemptState, OperationState, TaskState } from './states/transitions.ts';
export type { Note } from './store/append-notes.ts';
export type { AttemptRow, LeaseRow, TaskRow } from './store/attempt-row.ts';
export type {
  AttemptStore,
  ClaimedTask,
  Claimer,
  Found,
  LateResult,
  LoadedAttempt,
  Watched,
  Work,
} from './store/attempt-store.ts';
export type { Claim } from './store/claim.ts';
export type { AttemptFailure, Suspension } from './store/end-attempt.ts';
export type { GoalHead, GoalRow } from './store/goal-row.ts';
export type { GoalStore, OwnActs, StoredDecision } from './store/goal-store.ts';
export type { KernelStore } from './store/kernel-store.ts';
export type { BudgetQuestion, SpentLimit } from './store/observed-usage.ts';
export type { HoldDraft } from './store/open-hold.ts';
export type { OperationRow } from './store/operation-row.ts';
export type {
  Admission,
  HeldOperation,
  OperationStore,
} from './store/operation-store.ts';
export type { LeaseLoss, OwnerStore, UsedLease } from './store/owner-store.ts';
export type { KeptPayload, Payload } from './store/payloads.ts';
export type { Position } from './store/read-position.ts';
export type { WaitingGoal } from './store/read-waiting.ts';
export type { Output } from './store/record-output.ts';
export type { Standing } from './store/standing.ts';
export type { TrailPage, TrailStore } from './store/trail-store.ts';
export type { OperationDraft, OperationWrite, RecordedOutcome } from './store/write-operation.ts';

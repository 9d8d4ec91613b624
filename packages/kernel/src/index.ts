export type {
  Adapter,
  AdapterIdentity,
  AttemptReconcileContext,
  TaskContext,
  VerifyAdapter,
  VerifyContext,
  WorkAdapter,
} from './adapter.ts';
export {
  type CapturedFile,
  type CapturedRevision,
  captureRevision,
  type Retrieval,
  type RetrievalQuery,
  type RetrievedQuote,
  type TreeFile,
} from './artifacts/captured-revision.ts';
export type { CollectionFacts } from './artifacts/collect-artifacts.ts';
export type {
  AdapterBinding,
  GoalContract,
  TaskContract,
  VerdictCondition,
} from './contract/goal-contract.ts';
export type { Decision } from './decision.ts';
export type { KernelErrorCode } from './error-codes.ts';
export type { Failpoint } from './failpoints.ts';
export type {
  GoalState,
  GoalSummary,
  GoalView,
  HoldFacts,
  HoldView,
  OperationView,
  OwnerView,
  TaskView,
} from './goal-view.ts';
export type {
  GoalRun,
  Kernel,
  OpenKernelOptions,
  RunGoalOptions,
  StoreFacts,
} from './kernel.ts';
export type {
  KernelObserver,
  ObservedAttempt,
  ObservedAttemptEnd,
  ObservedGoal,
  ObservedGoalEnd,
  ObservedOperation,
  ObservedOperationEnd,
  ObservedSpan,
  ObservedTask,
  ObservedTaskEnd,
} from './observer.ts';
export { openKernel } from './open-kernel.ts';
export type { RunWorkerOptions, Worker } from './run/run-worker.ts';
export { ALL_PERMISSIONS, type Permission, type Scope } from './scope.ts';
export type { BackupFacts } from './sqlite/back-up.ts';
export type { TrailVerdict } from './trail/trail-verdict.ts';
export type { VerifiedResult } from './verified-result.ts';

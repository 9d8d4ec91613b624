export type {
  Adapter,
  AdapterIdentity,
  AttemptReconcileContext,
  TaskContext,
  VerifyAdapter,
  VerifyContext,
  WorkAdapter,
} from './adapter.ts';
export type {
  AdapterBinding,
  GoalContract,
  TaskContract,
  VerdictCondition,
} from './contract/goal-contract.ts';
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
  Decision,
  GoalRun,
  Kernel,
  OpenKernelOptions,
  RunGoalOptions,
  StoreFacts,
  TrailVerdict,
} from './kernel.ts';
export { openKernel } from './open-kernel.ts';
export { ALL_PERMISSIONS, type Permission, type Scope } from './scope.ts';
export type { VerifiedResult } from './verified-result.ts';

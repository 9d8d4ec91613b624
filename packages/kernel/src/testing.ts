export { FAILPOINTS, type Failpoint } from './failpoints.ts';
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
export type { GoalStore, OwnActs, StoredDecision } from './store/goal-store.ts';
export type { KernelStore } from './store/kernel-store.ts';
export type {
  Admission,
  BudgetQuestion,
  HeldOperation,
  OperationStore,
} from './store/operation-store.ts';
export type { LeaseLoss, OwnerStore, UsedLease } from './store/owner-store.ts';
export type { TrailPage, TrailStore } from './store/trail-store.ts';
export {
  type KernelStoreSubject,
  type KernelStoreSuite,
  kernelStoreConformance,
} from './testing/kernel-store-conformance.ts';
export { createMemoryStore, type MemoryStore } from './testing/memory-store.ts';
export {
  type PublisherSubject,
  type PublisherSuite,
  publisherConformance,
} from './testing/publisher-conformance.ts';

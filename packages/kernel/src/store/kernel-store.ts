import type { AttemptStore } from './attempt-store.ts';
import type { GoalStore } from './goal-store.ts';
import type { OperationStore } from './operation-store.ts';
import type { OwnerStore } from './owner-store.ts';
import type { TrailStore } from './trail-store.ts';

/**
 * All that a kernel remembers, as transactions of its domain: documents go in and come out.
 *
 * Every method is one transaction. It happens whole or not at all, sees no other one in the middle, and what it changed is
 * durable before it resolves; whoever waits at the same moment may share a commit. What it refuses changes nothing. A store
 * that fails rejects with a `kernel/…` error that says what to do.
 */
export interface KernelStore {
  readonly owners: OwnerStore;
  readonly goals: GoalStore;
  readonly attempts: AttemptStore;
  readonly operations: OperationStore;
  readonly trails: TrailStore;
  /** Ends it; every later call rejects with `kernel/closed`. */
  close(): Promise<void>;
}

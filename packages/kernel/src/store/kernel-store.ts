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
  /** The processes that may run attempts. */
  readonly owners: OwnerStore;
  /** Goals, and what people decide about them. */
  readonly goals: GoalStore;
  /** Attempts. */
  readonly attempts: AttemptStore;
  /** What attempts exchange with the outside. */
  readonly operations: OperationStore;
  /** The record of it all. */
  readonly trails: TrailStore;
  /** Ends it; every later call rejects with `kernel/closed`. */
  close(): Promise<void>;
}

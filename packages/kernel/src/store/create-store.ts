import type { Clock } from '@millforge/contracts';
import type { OwnerLocks } from '../owner/owner-lock.ts';
import { createAttemptStore } from './create-attempt-store.ts';
import { createGoalStore } from './create-goal-store.ts';
import { createOperationStore } from './create-operation-store.ts';
import { createOwnerStore } from './create-owner-store.ts';
import { createTrailStore } from './create-trail-store.ts';
import type { KernelStore } from './kernel-store.ts';
import type { StoreGround } from './store-parts.ts';

/** Makes a store of what runs transactions; the locks tell which of the processes on it live. */
export function createStore({
  db,
  clock,
  locks,
}: {
  readonly db: StoreGround;
  readonly clock: Clock;
  readonly locks: OwnerLocks;
}): KernelStore {
  const parts = { db, clock, isAlive: locks.isAlive };
  return {
    owners: createOwnerStore(parts, locks),
    goals: createGoalStore(parts),
    attempts: createAttemptStore(parts),
    operations: createOperationStore(parts),
    trails: createTrailStore({ db, clock }),
    close: async () => db.close(),
  };
}

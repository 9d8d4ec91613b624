import type { OwnerView } from '../goal-view.ts';
import type { OwnerLocks } from '../owner/owner-lock.ts';
import type { LeaseLoss, OwnerStore, UsedLease } from './owner-store.ts';
import type { StoreParts } from './store-parts.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Puts the transactions about owners together; the locks tell the living from the dead. */
export function createOwnerStore({ db }: StoreParts, locks: OwnerLocks): OwnerStore {
  return {
    async register(owner) {
      // The lock first, then the row, so that a row without a lock means a dead process.
      if (!locks.lock(owner.owner_id)) return false;
      let isRegistered = false;
      try {
        isRegistered = await db.write('register-owner', (tx) => {
          forgetDead(tx, locks);
          return insertOwner(tx, owner);
        });
      } finally {
        if (!isRegistered) locks.release();
      }
      return isRegistered;
    },
    async release(ownerId) {
      try {
        // Whoever met the fault that ended the store was told; its row says no more than that of a killed process.
        if (db.isClosed()) return;
        await db.write('release-owner', (tx) => {
          tx.update('owners', { owner_id: ownerId }, { is_gone: 1 });
        });
      } finally {
        locks.release();
      }
    },
    isAlive: async (ownerId) => locks.isAlive(ownerId),
    read: (ownerId) =>
      db.read((tx) => ({ view: readOwner(tx, ownerId), beat: readBeat(tx, ownerId) })),
    beat: (ownerId, leases) =>
      db.write('beat-owner', (tx) => {
        tx.update('owners', { owner_id: ownerId }, { beat: readBeat(tx, ownerId) + 1 });
        return leases.map((lease) => renew(tx, lease));
      }),
  };
}

/** Takes a name, unless another process had it. */
function insertOwner(
  tx: StoreTransaction,
  { owner_id, pid, host, started_at }: OwnerView,
): boolean {
  return tx.insert('owners', {
    columns: OWNER_COLUMNS,
    values: [owner_id, pid, host, started_at, 0, 0],
    ifAbsent: true,
  });
}

/** Reads the row of an owner. */
export function readOwner(tx: StoreTransaction, ownerId: string): OwnerView {
  const row = tx.find('owners', { owner_id: ownerId });
  return {
    owner_id: ownerId,
    pid: Number(row?.['pid'] ?? 0),
    host: String(row?.['host'] ?? ''),
    started_at: String(row?.['started_at'] ?? ''),
  };
}

/** Reads how often an owner has shown that it goes on. */
export function readBeat(tx: StoreTransaction, ownerId: string): number {
  return Number(tx.find('owners', { owner_id: ownerId })?.['beat'] ?? -1);
}

/** Stores how long a lease has been used; tells when it is not ours any more. */
function renew(tx: StoreTransaction, { claim, elapsedMs }: UsedLease): LeaseLoss | null {
  const { goal: number, tenant, taskId, fence, ownerId } = claim;
  const lease = { goal: number, tenant, task_id: taskId, fence, owner_id: ownerId };
  if (tx.update('leases', lease, { elapsed_ms: elapsedMs }) === 1) return null;
  const goal = tx.find('goals', { goal: number, tenant });
  return goal?.['state'] === 'cancelled' ? 'cancelled' : 'lease-lost';
}

/** Removes the files that dead processes left. */
function forgetDead(tx: StoreTransaction, locks: OwnerLocks): void {
  const owners = tx.list('owners', { is_gone: 0 }, { orderBy: 'owner_id' });
  for (const { owner_id } of owners) {
    const ownerId = String(owner_id);
    if (locks.isAlive(ownerId)) continue;
    locks.forget(ownerId);
    tx.update('owners', { owner_id: ownerId }, { is_gone: 1 });
  }
}

const OWNER_COLUMNS = ['owner_id', 'pid', 'host', 'started_at', 'beat', 'is_gone'];

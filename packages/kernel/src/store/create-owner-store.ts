import type { OwnerView } from '../goal-view.ts';
import type { OwnerLocks } from '../owner/owner-lock.ts';
import type { Transaction } from '../sqlite/database.ts';
import type { LeaseLoss, OwnerStore, UsedLease } from './owner-store.ts';
import type { StoreParts } from './store-parts.ts';

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
        await db.write('release-owner', (tx) => {
          tx.run('UPDATE owners SET is_gone = 1 WHERE owner_id = ?', ownerId);
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
        tx.run('UPDATE owners SET beat = beat + 1 WHERE owner_id = ?', ownerId);
        return leases.map((lease) => renew(tx, lease));
      }),
  };
}

/** Takes a name, unless another process had it. */
function insertOwner(tx: Transaction, { owner_id, pid, host, started_at }: OwnerView): boolean {
  const changes = tx.run(
    'INSERT INTO owners (owner_id, pid, host, started_at, beat, is_gone) VALUES (?, ?, ?, ?, 0, 0) ON CONFLICT DO NOTHING',
    owner_id,
    pid,
    host,
    started_at,
  );
  return changes === 1;
}

/** Reads the row of an owner. */
export function readOwner(tx: Transaction, ownerId: string): OwnerView {
  const row = tx.get('SELECT * FROM owners WHERE owner_id = ?', ownerId);
  return {
    owner_id: ownerId,
    pid: Number(row?.['pid'] ?? 0),
    host: String(row?.['host'] ?? ''),
    started_at: String(row?.['started_at'] ?? ''),
  };
}

/** Reads how often an owner has shown that it goes on. */
export function readBeat(tx: Transaction, ownerId: string): number {
  return Number(tx.get('SELECT beat FROM owners WHERE owner_id = ?', ownerId)?.['beat'] ?? -1);
}

/** Stores how long a lease has been used; tells when it is not ours any more. */
function renew(tx: Transaction, { claim, elapsedMs }: UsedLease): LeaseLoss | null {
  const changes = tx.run(
    'UPDATE leases SET elapsed_ms = ? WHERE goal = ? AND tenant = ? AND task_id = ? AND fence = ? AND owner_id = ?',
    elapsedMs,
    claim.goal,
    claim.tenant,
    claim.taskId,
    claim.fence,
    claim.ownerId,
  );
  if (changes === 1) return null;
  const goal = tx.get(
    'SELECT state FROM goals WHERE goal = ? AND tenant = ?',
    claim.goal,
    claim.tenant,
  );
  return goal?.['state'] === 'cancelled' ? 'cancelled' : 'lease-lost';
}

/** Removes the files that dead processes left. */
function forgetDead(tx: Transaction, locks: OwnerLocks): void {
  const owners = tx.all('SELECT owner_id FROM owners WHERE is_gone = 0');
  for (const { owner_id } of owners) {
    const ownerId = String(owner_id);
    if (locks.isAlive(ownerId)) continue;
    locks.forget(ownerId);
    tx.run('UPDATE owners SET is_gone = 1 WHERE owner_id = ?', ownerId);
  }
}

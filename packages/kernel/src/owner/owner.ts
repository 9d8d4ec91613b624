import { hostname } from 'node:os';
import type { Clock, Ids } from '@millforge/contracts';
import type { OwnerView } from '../goal-view.ts';
import type { UnsettledActs } from '../run/unsettled-acts.ts';
import type { Database, Transaction } from '../sqlite/database.ts';
import { type Claim, readClaimed } from '../store/claim.ts';
import type { OwnerLocks } from './owner-lock.ts';

/** This process among those that may run attempts. */
export interface Owner {
  readonly id: string;
  /** Whether the process of an owner still lives. */
  readonly isAlive: (ownerId: string) => boolean;
  /** What is known of an owner, also after its end. */
  read(ownerId: string): Promise<OwnerView>;
  /** Reads the fence when the last heartbeat is too old to trust it; rejects when the lease was lost. */
  confirm(claim: Claim): Promise<void>;
  /** Keeps a lease alive until the function that it gives is called. */
  keep(lease: KeptLease): () => void;
  /**
   * Ends all heartbeats and frees the name; an act that may still have its effect keeps it for as long as it goes on,
   * so that nobody takes this process for dead.
   */
  release(unsettled: UnsettledActs): Promise<void>;
}

/** A lease that the heartbeat keeps. */
export interface KeptLease {
  readonly claim: Claim;
  readonly leaseMs: number;
  readonly elapsedMs: () => number;
  /** Called when the lease was lost, or its goal cancelled. */
  readonly onLost: (reason: 'lease-lost' | 'cancelled') => void;
}

/** Registers this process: its lock first, then its row, so that a row without a lock means a dead process. */
export async function registerOwner(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly locks: OwnerLocks;
}): Promise<Owner> {
  const { db, clock, ids, locks } = options;
  for (;;) {
    const id = ids.newId('owner');
    if (!locks.lock(id)) continue;
    let isRegistered = false;
    try {
      isRegistered = await db.write('register-owner', (tx) => {
        forgetDead(tx, locks);
        const row = { id, at: new Date(clock.now()).toISOString() };
        return insertOwner(tx, row);
      });
    } finally {
      if (!isRegistered) locks.release();
    }
    if (isRegistered) return createOwner({ ...options, id });
  }
}

/** Takes a name, unless another process had it. */
function insertOwner(
  tx: Transaction,
  { id, at }: { readonly id: string; readonly at: string },
): boolean {
  const changes = tx.run(
    'INSERT INTO owners (owner_id, pid, host, started_at, beat, is_gone) VALUES (?, ?, ?, ?, 0, 0) ON CONFLICT DO NOTHING',
    id,
    process.pid,
    hostname(),
    at,
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

function createOwner({
  db,
  clock,
  locks,
  id,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly locks: OwnerLocks;
  readonly id: string;
}): Owner {
  const kept = new Set<KeptLease>();
  let wake = new AbortController();
  let beating: Promise<void> | null = null;
  let lastBeat = clock.monotonicMs();

  const shortest = (): number => Math.min(...[...kept].map(({ leaseMs }) => leaseMs));

  const beatOnce = async (): Promise<void> => {
    const lost: [KeptLease, 'lease-lost' | 'cancelled'][] = [];
    await db.write('beat-owner', (tx) => {
      lost.length = 0;
      tx.run('UPDATE owners SET beat = beat + 1 WHERE owner_id = ?', id);
      for (const lease of kept) {
        const reason = renew(tx, lease);
        if (reason !== null) lost.push([lease, reason]);
      }
    });
    lastBeat = clock.monotonicMs();
    for (const [lease, reason] of lost) lease.onLost(reason);
  };

  const beat = async (): Promise<void> => {
    while (kept.size > 0) {
      const { signal } = wake;
      const isDue = await clock.delay(Math.min(shortest() / 3, MAX_BEAT_MS), signal).then(
        () => true,
        () => false,
      );
      if (!isDue) {
        wake = new AbortController();
        continue;
      }
      // A beat that fails is late, and whoever is late reads its fence before it acts.
      await beatOnce().catch(() => undefined);
    }
    beating = null;
  };

  return {
    id,
    isAlive: (ownerId) => ownerId === id || locks.isAlive(ownerId),
    read: (ownerId) => db.read((tx) => readOwner(tx, ownerId)),
    async confirm(claim) {
      if (kept.size === 0 || clock.monotonicMs() - lastBeat < shortest() / 2) return;
      await db.read((tx) => readClaimed(tx, claim, clock.now()));
    },
    keep(lease) {
      if (kept.size === 0) lastBeat = clock.monotonicMs();
      kept.add(lease);
      wake.abort();
      if (beating === null) {
        wake = new AbortController();
        beating = beat();
      }
      return () => {
        kept.delete(lease);
        if (kept.size === 0) wake.abort();
      };
    },
    async release(unsettled) {
      kept.clear();
      wake.abort();
      await beating;
      let isQuiet = false;
      unsettled.whenNone(() => {
        isQuiet = true;
      });
      try {
        if (!isQuiet) return;
        await db.write('release-owner', (tx) => {
          tx.run('UPDATE owners SET is_gone = 1 WHERE owner_id = ?', id);
        });
      } finally {
        unsettled.whenNone(() => locks.release());
      }
    },
  };
}

/** Stores how long a lease has been used; tells when it is not ours any more. */
function renew(tx: Transaction, lease: KeptLease): 'lease-lost' | 'cancelled' | null {
  const { claim } = lease;
  const changes = tx.run(
    'UPDATE leases SET elapsed_ms = ? WHERE goal = ? AND tenant = ? AND task_id = ? AND fence = ? AND owner_id = ?',
    lease.elapsedMs(),
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

// Often enough that whoever waits for a living owner learns of it soon.
const MAX_BEAT_MS = 5000;

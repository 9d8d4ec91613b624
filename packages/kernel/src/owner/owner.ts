import { hostname } from 'node:os';
import type { Clock, Ids } from '@millforge/contracts';
import type { UnsettledActs } from '../run/unsettled-acts.ts';
import type { Claim } from '../store/claim.ts';
import type { KernelStore } from '../store/kernel-store.ts';
import type { LeaseLoss } from '../store/owner-store.ts';

/** This process among those that may run attempts. */
export interface Owner {
  readonly id: string;
  /** Whether the last heartbeat is too old to trust that no lease was lost since. */
  isLate(): boolean;
  /** Reads the fence; rejects when the lease was lost. */
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
  readonly onLost: (reason: LeaseLoss) => void;
}

/** Registers this process under a name that no other one has or had. */
export async function registerOwner(options: {
  readonly store: Pick<KernelStore, 'owners' | 'attempts'>;
  readonly clock: Clock;
  readonly ids: Ids;
}): Promise<Owner> {
  const { store, clock, ids } = options;
  for (;;) {
    const id = ids.newId('owner');
    const isRegistered = await store.owners.register({
      owner_id: id,
      pid: process.pid,
      host: hostname(),
      started_at: new Date(clock.now()).toISOString(),
    });
    if (isRegistered) return createOwner({ store, clock, id });
  }
}

function createOwner({
  store,
  clock,
  id,
}: {
  readonly store: Pick<KernelStore, 'owners' | 'attempts'>;
  readonly clock: Clock;
  readonly id: string;
}): Owner {
  const kept = new Set<KeptLease>();
  let wake = new AbortController();
  let beating: Promise<void> | null = null;
  let lastBeat = clock.monotonicMs();

  let shortestMs = Number.POSITIVE_INFINITY;
  const measure = (): void => {
    shortestMs = Math.min(...[...kept].map(({ leaseMs }) => leaseMs));
  };

  const beatOnce = async (): Promise<void> => {
    const leases = [...kept];
    const losses = await store.owners.beat(
      id,
      leases.map(({ claim, elapsedMs }) => ({ claim, elapsedMs: elapsedMs() })),
    );
    lastBeat = clock.monotonicMs();
    for (const [place, loss] of losses.entries()) {
      const lease = leases[place];
      // One that was let go meanwhile is nobody's any more.
      if (loss !== null && lease !== undefined && kept.has(lease)) lease.onLost(loss);
    }
  };

  const beat = async (): Promise<void> => {
    while (kept.size > 0) {
      const { signal } = wake;
      const isDue = await clock.delay(Math.min(shortestMs / 3, MAX_BEAT_MS), signal).then(
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
    isLate: () => kept.size > 0 && clock.monotonicMs() - lastBeat >= shortestMs / 2,
    confirm: (claim) => store.attempts.confirm(claim),
    keep(lease) {
      if (kept.size === 0) lastBeat = clock.monotonicMs();
      kept.add(lease);
      measure();
      wake.abort();
      if (beating === null) {
        wake = new AbortController();
        beating = beat();
      }
      return () => {
        kept.delete(lease);
        measure();
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
      if (isQuiet) {
        await store.owners.release(id);
        return;
      }
      // The store is closed by then: what is left is to free the name.
      unsettled.whenNone(() => void store.owners.release(id).catch(() => undefined));
    },
  };
}

// Often enough that whoever waits for a living owner learns of it soon.
const MAX_BEAT_MS = 5000;

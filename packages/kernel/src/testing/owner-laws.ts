import { equal } from './assertions.ts';
import type { StoreLaw } from './store-law.ts';

const OWNER = {
  owner_id: 'owner_a',
  pid: 7,
  host: 'host',
  started_at: '2026-01-01T00:00:00.000Z',
} as const;

/** Who lives, and who keeps its leases. */
export const OWNER_LAWS: readonly StoreLaw[] = [
  {
    title: 'gives a name to one process only, also after that has ended',
    async holds({ store }, { another }) {
      equal(await store.owners.register(OWNER), true);
      const other = await another();
      equal(await other.owners.register({ ...OWNER, pid: 8 }), false);
      await store.owners.release(OWNER.owner_id);
      equal(await other.owners.register({ ...OWNER, pid: 8 }), false);
      equal((await other.owners.read(OWNER.owner_id)).view, OWNER);
    },
  },
  {
    title: 'tells the living from those that ended, also to others',
    async holds({ store }, { another }) {
      await store.owners.register(OWNER);
      const other = await another();
      equal(await other.owners.isAlive(OWNER.owner_id), true);
      await store.owners.release(OWNER.owner_id);
      equal(await other.owners.isAlive(OWNER.owner_id), false);
      equal(await other.owners.isAlive('owner_b'), false);
    },
  },
  {
    title: 'shows to others that an owner goes on',
    async holds({ store }, { another }) {
      await store.owners.register(OWNER);
      const other = await another();
      const before = (await other.owners.read(OWNER.owner_id)).beat;
      equal(await store.owners.beat(OWNER.owner_id, []), []);
      equal((await other.owners.read(OWNER.owner_id)).beat === before, false);
    },
  },
  {
    title: 'tells an owner at its heartbeat which of its leases are lost, each in its place',
    async holds(hands) {
      const { store } = hands;
      for (const goalId of ['kept', 'taken', 'cancelled']) await hands.admit(goalId);
      const claims = [
        (await hands.take('kept')).claim,
        (await hands.take('taken')).claim,
        (await hands.take('cancelled')).claim,
      ];
      await hands.takeAgain('taken');
      await store.goals.cancel(
        { tenant: 'here', resource: 'laws', actor: 'ann@host', permissions: [] },
        'cancelled',
        { version: null, reason: 'No.' },
      );
      const leases = claims.map((claim) => ({ claim, elapsedMs: 40 }));
      equal(await store.owners.beat('owner', leases), [null, 'lease-lost', 'cancelled']);
      // What the beat told of the time is what the next owner begins with.
      equal((await hands.takeAgain('kept')).elapsedMs, 40);
    },
  },
];

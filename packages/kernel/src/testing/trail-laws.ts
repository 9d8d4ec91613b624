import { canonicalJson } from '@millforge/contracts';
import { NO_SHA256, recordSha256 } from '../store/append-record.ts';
import { equal, refused } from './assertions.ts';
import { effectOf, noteOf, SCOPE, type StoreHands } from './store-hands.ts';
import type { StoreLaw } from './store-law.ts';

/** What the trail says, to whom, and elsewhere. */
export const TRAIL_LAWS: readonly StoreLaw[] = [
  {
    title: 'numbers records without a gap, and chains their digests',
    async holds(hands) {
      await lived(hands);
      const { goal_uid, head } = await hands.view('goal');
      let previous = NO_SHA256;
      for (const [place, record] of (await hands.records('goal')).entries()) {
        equal([record.seq, record.previous_sha256], [place + 1, previous]);
        previous = recordSha256({
          ...record,
          tenant: SCOPE.tenant,
          goal_uid,
          data: canonicalJson(record.data, { newline: false }),
        });
        equal(record.record_sha256, previous);
      }
      equal(head.sha256, previous);
    },
  },
  {
    title: 'never lets the time of a record go back',
    async holds(hands) {
      await hands.admit('goal');
      hands.clock.turnBack(3_600_000);
      await hands.take('goal');
      const times = (await hands.records('goal')).map(({ at }) => at);
      equal(times, [times[0], times[0]]);
      await hands.assertSound();
    },
  },
  {
    title: 'reads a trail by pages',
    async holds(hands) {
      await lived(hands);
      const all = await hands.records('goal');
      const { trails } = hands.store;
      const page = await trails.read(SCOPE.tenant, 'goal', { from: 3, limit: 2 });
      equal(page, { records: all.slice(2, 4), hasEnded: true });
      const beyond = await trails.read(SCOPE.tenant, 'goal', { from: all.length + 1, limit: 2 });
      equal(beyond.records, []);
    },
  },
  {
    title: 'shows to another handle what it acknowledged',
    async holds(hands, { another }) {
      await lived(hands);
      const other = await another();
      equal(await other.goals.read(SCOPE.tenant, 'goal'), await hands.view('goal'));
      equal(await other.trails.verify(SCOPE.tenant, null), {
        ok: true,
        goals: 1,
        records: (await hands.records('goal')).length,
      });
    },
  },
  {
    title: 'keeps a goal from elsewhere as it was there, to be read and never changed',
    async holds(hands, { fresh }) {
      await lived(hands);
      const lines: string[] = [];
      for await (const line of hands.store.trails.export(SCOPE.tenant, 'goal')) lines.push(line);
      await refused(hands.store.trails.import(SCOPE, lines), 'kernel/goal-conflict');
      const { store } = await fresh();
      await refused(store.trails.import(SCOPE, lines.slice(0, -1)), 'kernel/export-invalid');
      equal(await store.trails.import(SCOPE, lines), 'goal');
      const before = await hands.view('goal');
      const after = await store.goals.read(SCOPE.tenant, 'goal');
      equal(
        [after.state, after.tasks, after.goal_uid],
        [before.state, before.tasks, before.goal_uid],
      );
      equal([before.imported_at === null, after.imported_at === null], [true, false]);
      const operation = { taskId: 'run', key: 'k' };
      equal(
        await store.goals.readOperation(SCOPE.tenant, 'goal', operation),
        await hands.store.goals.readOperation(SCOPE.tenant, 'goal', operation),
      );
      await refused(store.goals.position(SCOPE.tenant, 'goal'), 'kernel/imported');
      const cancelled = store.goals.cancel(SCOPE, 'goal', { version: null, reason: 'No.' });
      await refused(cancelled, 'kernel/imported');
      await refused(store.trails.import(SCOPE, lines), 'kernel/goal-conflict');
      equal((await store.trails.verify(SCOPE.tenant, null)).ok, true);
      equal(await store.goals.waiting(null), []);
    },
  },
  {
    title: 'answers nothing once it was closed',
    async holds(hands, { another }) {
      const other = await another();
      await other.close();
      await refused(other.goals.list(SCOPE.tenant, { limit: 1, before: null }), 'kernel/closed');
      const contract = await hands.admit('goal');
      const late = other.goals.admit(SCOPE, { contract, goalUid: 'late' });
      await refused(late, 'kernel/closed');
    },
  },
];

/** A goal that has had most of what a goal can have. */
async function lived(hands: StoreHands): Promise<void> {
  await hands.admit('goal', { inputs: { text: 'x'.repeat(3000) } });
  const { claim } = await hands.take('goal');
  const notes = [noteOf('n', { large: 'y'.repeat(70_000) })];
  const row = await hands.begin(claim, effectOf('k'), { notes, before: 'b'.repeat(2000) });
  hands.clock.advance(1000);
  await hands.record(claim, effectOf('k'), { row, value: 'z'.repeat(2000) });
  await hands.suspend('goal', claim);
  const again = await hands.takeAgain('goal');
  await hands.finish('goal', again.claim, { done: 'o'.repeat(2000) });
  await hands.store.goals.check(SCOPE.tenant, 'goal', { actor: SCOPE.actor });
}

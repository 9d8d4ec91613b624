import type { ArtifactRef } from '@millforge/contracts';
import { equal, refused } from './assertions.ts';
import { effectOf, existing, noteOf, SCOPE, taskOf } from './store-hands.ts';
import type { StoreLaw } from './store-law.ts';

/** How attempts begin and end. */
export const ATTEMPT_LAWS: readonly StoreLaw[] = [
  {
    title: 'reserves the units of an attempt and raises the fence with its admission',
    async holds(hands) {
      await hands.admit('goal', { tasks: [taskOf('a', { units: 3 })] });
      const { claim, elapsedMs } = await hands.take('goal');
      equal([claim.number, claim.fence, claim.units, elapsedMs], [1, 1, 3, 0]);
      const { state, tasks, budget } = await hands.view('goal');
      equal(
        { state, task: tasks[0]?.state, attempt: tasks[0]?.attempt?.state, budget },
        {
          state: 'running',
          task: 'running',
          attempt: 'admitted',
          budget: { limit: 3, reserved: 3, used: 0 },
        },
      );
    },
  },
  {
    title: 'gives a task that two ask for at the same moment to one of them',
    async holds(hands, { another }) {
      await hands.admit('goal');
      const other = await another();
      const seen = await hands.standing('goal');
      const found = await Promise.all([
        hands.store.attempts.admit(seen, { ownerId: 'a', actor: 'a' }),
        other.attempts.admit(seen, { ownerId: 'b', actor: 'b' }),
        hands.store.attempts.admit(seen, { ownerId: 'c', actor: 'c' }),
      ]);
      equal(found.filter((one) => one !== null).length, 1);
      equal((await hands.view('goal')).budget.reserved, 1);
      await hands.assertSound();
    },
  },
  {
    title: 'marks an attempt as begun once',
    async holds(hands) {
      await hands.admit('goal');
      const { claim } = await hands.take('goal');
      await hands.store.attempts.begin(claim);
      await hands.store.attempts.begin(claim);
      equal((await hands.view('goal')).tasks[0]?.attempt?.state, 'running');
      equal((await hands.types('goal')).filter((type) => type === 'attempt-begun').length, 1);
    },
  },
  {
    title:
      'claims a suspended attempt again: the same number and units, the next fence, its time so far',
    async holds(hands) {
      await hands.admit('goal');
      const { claim } = await hands.take('goal');
      await hands.store.attempts.begin(claim);
      await hands.suspend('goal', claim);
      const stopped = await hands.view('goal');
      equal([stopped.tasks[0]?.state, stopped.interruption?.reason], ['ready', 'stopped']);
      const again = await hands.takeAgain('goal');
      equal(
        [again.claim.number, again.claim.fence, again.claim.isRepeat, again.elapsedMs],
        [1, 2, true, 7],
      );
      const { tasks, budget } = await hands.view('goal');
      equal([tasks[0]?.attempt?.resumes, budget.reserved], [0, 1]);
    },
  },
  {
    title: 'admits no attempt beside one that can be gone on with',
    async holds(hands) {
      await hands.admit('goal');
      const { claim } = await hands.take('goal');
      await hands.suspend('goal', claim);
      const seen = await hands.standing('goal');
      equal(await hands.store.attempts.admit(seen, { ownerId: 'a', actor: 'a' }), null);
      equal((await hands.view('goal')).tasks[0]?.attempt?.number, 1);
      await hands.assertSound();
    },
  },
  {
    title: 'counts a claim of what nobody let go as a crash of its attempt',
    async holds(hands) {
      await hands.admit('goal');
      const { claim } = await hands.take('goal');
      await hands.store.attempts.begin(claim);
      await hands.takeAgain('goal');
      const { tasks, budget } = await hands.view('goal');
      equal([tasks[0]?.attempt?.resumes, budget.reserved], [1, 1]);
      await hands.assertSound();
    },
  },
  {
    title: 'gives up a claim whose former owner has shown that it goes on',
    async holds(hands) {
      const { owners } = hands.store;
      const owner = { owner_id: 'owner', pid: 1, host: 'host', started_at: '2026-01-01T00:00:00Z' };
      await owners.register(owner);
      await hands.admit('goal');
      await hands.take('goal');
      const { beat } = await owners.read('owner');
      await owners.beat('owner', []);
      const by = { ownerId: 'other', actor: 'bob@host', beat };
      equal(await hands.store.attempts.claim(await hands.standing('goal'), by), null);
      const current = (await owners.read('owner')).beat;
      const found = await hands.store.attempts.claim(await hands.standing('goal'), {
        ...by,
        beat: current,
      });
      equal(found?.claim.fence, 2);
    },
  },
  {
    title:
      'lets another attempt follow a failed one as long as the contract allows it, and settles both',
    async holds(hands) {
      await hands.admit('goal', { tasks: [taskOf('a', { max_attempts: 2 })] });
      await hands.fail('goal', (await hands.take('goal')).claim);
      equal((await hands.view('goal')).tasks[0]?.state, 'ready');
      const second = await hands.take('goal');
      // What failed cleanly is performed anew under a new key.
      equal([second.claim.number, second.claim.generation], [2, 2]);
      await hands.fail('goal', second.claim);
      const { state, budget } = await hands.view('goal');
      equal({ state, budget }, { state: 'failed', budget: { limit: 2, reserved: 0, used: 2 } });
    },
  },
  {
    title: 'keeps the key of an attempt that was entered before, also after a clean failure',
    async holds(hands) {
      await hands.admit('goal', {
        tasks: [taskOf('a', { doubt: 'attempt', repeat: 'keyed', max_attempts: 2 })],
      });
      const { claim } = await hands.take('goal');
      await hands.store.attempts.begin(claim);
      const again = await hands.takeAgain('goal');
      await hands.fail('goal', again.claim);
      equal((await hands.take('goal')).claim.generation, 1);
    },
  },
  {
    title: 'fails a task when no units are left for another attempt',
    async holds(hands) {
      await hands.admit('goal', {
        limits: { units: 2 },
        tasks: [taskOf('a', { max_attempts: 3, units: 2 })],
      });
      await hands.fail('goal', (await hands.take('goal')).claim);
      const { state, budget } = await hands.view('goal');
      equal({ state, budget }, { state: 'failed', budget: { limit: 2, reserved: 0, used: 2 } });
    },
  },
  {
    title: 'holds as ambiguous what may have happened, and keeps its units',
    async holds(hands) {
      await hands.admit('goal', { tasks: [taskOf('a', { doubt: 'attempt' })] });
      const { claim } = await hands.take('goal');
      await hands.store.attempts.begin(claim);
      await hands.fail('goal', claim, { isClean: false });
      const { tasks, budget } = await hands.view('goal');
      equal([tasks[0]?.attempt?.state, budget.reserved], ['ambiguous', 1]);
      const standing = await hands.standing('goal');
      const found = {
        facts: null,
        mayStillAct: false,
        receiptId: 'receipt_x',
        actor: 'ann@host',
      } as const;
      await hands.store.attempts.resolve(standing, { ...found, answer: { kind: 'unknown' } });
      const held = await hands.view('goal');
      equal([held.state, held.tasks[0]?.state, held.budget.reserved], ['held', 'held', 1]);
      equal((await hands.openHold('goal')).reason, 'ambiguous-attempt');
      // Whoever saw it before the question was asked changes nothing any more.
      await hands.store.attempts.resolve(standing, {
        ...found,
        answer: { kind: 'happened', value: 1 },
      });
      equal((await hands.view('goal')).state, 'held');
      await hands.assertSound();
    },
  },
  {
    title: 'settles what was left in the middle by what looking says',
    async holds(hands) {
      const contract = {
        tasks: [taskOf('a', { doubt: 'attempt' as const, max_attempts: 2 })],
      };
      for (const goalId of ['happened', 'not-happened'] as const) {
        await hands.admit(goalId, contract);
        const { claim } = await hands.take(goalId);
        await hands.store.attempts.begin(claim);
        await hands.store.attempts.doubtLeft(await hands.standing(goalId), {
          actor: 'bob@host',
          beat: null,
        });
        await hands.store.attempts.resolve(await hands.standing(goalId), {
          answer: goalId === 'happened' ? { kind: goalId, value: 'sent' } : { kind: goalId },
          facts: { kind: goalId, evidence: null },
          mayStillAct: false,
          receiptId: 'receipt_x',
          actor: 'bob@host',
        });
      }
      const happened = await hands.view('happened');
      equal([happened.tasks[0]?.state, happened.tasks[0]?.output], ['completed', 'sent']);
      const absent = await hands.view('not-happened');
      equal([absent.tasks[0]?.state, absent.budget.reserved, absent.budget.used], ['ready', 0, 0]);
      await hands.assertSound();
    },
  },
  {
    title: 'lets go what a dead process left of a goal that waits',
    async holds(hands) {
      await hands.admit('goal', { tasks: [taskOf('a'), taskOf('b')] });
      await hands.take('goal', 'a');
      await hands.store.attempts.hold(await hands.standing('goal', 'b'), {
        reason: 'adapter-drift',
        message: 'Another adapter.',
        actor: 'ann@host',
      });
      equal((await hands.view('goal')).state, 'held');
      await hands.store.attempts.release(await hands.standing('goal', 'a'), { actor: 'bob@host' });
      const { tasks } = await hands.view('goal');
      equal([tasks[0]?.state, tasks[0]?.attempt?.state], ['ready', 'suspended']);
      // Nothing starts while a person is asked.
      const standing = await hands.standing('goal', 'a');
      const by = { ownerId: 'other', actor: 'bob@host', beat: null };
      equal(await hands.store.attempts.claim(standing, by), null);
      await hands.assertSound();
    },
  },
  {
    title: 'gives back all that a program is replayed from, as it was given',
    async holds(hands) {
      await hands.admit('goal');
      const { claim } = await hands.take('goal');
      const notes = [noteOf('n1', { why: 'first' }), noteOf('n2', 'x'.repeat(70_000))];
      const value = { text: 'é', n: [1, 2.5, null], big: 'y'.repeat(5000) };
      await hands.begin(claim, effectOf('k'), { notes });
      const before = await hands.store.attempts.load(claim, await hands.standing('goal'));
      await hands.record(claim, effectOf('k'), { row: before.rows[0] ?? null, value });
      const { rows, notes: known } = await hands.store.attempts.load(
        claim,
        await hands.standing('goal'),
      );
      equal(
        [...known],
        notes.map(({ key, sha256 }) => [key, sha256]),
      );
      const row = existing(rows[0]);
      equal([rows.length, row.key, row.state, row.outcome], [1, 'k', 'recorded', 'done']);
      const { outcome_sha256, outcome_json } = row;
      equal(
        await hands.store.operations.payload(SCOPE.tenant, {
          sha256: existing(outcome_sha256),
          json: outcome_json,
        }),
        value,
      );
      await hands.assertSound();
    },
  },
  {
    title: 'counts the artifacts of a goal once a content, up to its limit',
    async holds(hands) {
      await hands.admit('goal');
      const { claim } = await hands.take('goal');
      const { attempts } = hands.store;
      await attempts.pinArtifact(claim, 'a'.repeat(64));
      await attempts.pinArtifact(claim, 'a'.repeat(64));
      await attempts.saveArtifact(claim, { ref: refOf('a', 60), limit: 100 });
      await attempts.saveArtifact(claim, { ref: refOf('a', 60), limit: 100 });
      const over = attempts.saveArtifact(claim, { ref: refOf('b', 41), limit: 100 });
      await refused(over, 'artifact/too-large');
      await attempts.saveArtifact(claim, { ref: refOf('c', 40), limit: 100 });
      equal((await hands.types('goal')).filter((type) => type === 'artifact-saved').length, 2);
      await hands.finish('goal', claim);
      const [receipt] = (await hands.records('goal')).flatMap(({ data }) => receiptsOf(data));
      equal(receipt, ['a'.repeat(64), 'c'.repeat(64)]);
      await hands.assertSound();
    },
  },
];

function refOf(letter: string, bytes: number): ArtifactRef {
  return { sha256: letter.repeat(64), bytes, media_type: 'text/plain' };
}

/** Digests of the artifacts that the receipts of a record name. */
function receiptsOf(data: unknown): readonly unknown[] {
  const found: unknown =
    typeof data === 'object' && data !== null ? Reflect.get(data, 'receipts') : null;
  return Array.isArray(found) ? found.map((row) => row?.receipt?.artifacts) : [];
}

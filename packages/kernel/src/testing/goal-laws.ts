import { equal, refused } from './assertions.ts';
import { SCOPE, taskOf } from './store-hands.ts';
import type { StoreLaw } from './store-law.ts';

/** How goals come in, are found, and end. */
export const GOAL_LAWS: readonly StoreLaw[] = [
  {
    title: 'keeps a contract as a goal that is ready, whose first tasks are',
    async holds(hands) {
      const contract = await hands.admit('goal', {
        inputs: { n: [1, 2.5, null, 'é'] },
        labels: { team: 'blue' },
        limits: { units: 5 },
        tasks: [taskOf('a'), taskOf('b', { depends_on: ['a'] })],
      });
      const { inputs, labels, state, tasks, budget, unchecked, head } = await hands.view('goal');
      equal(
        { inputs, labels, state, unchecked, budget, seq: head.seq },
        {
          inputs: contract.inputs,
          labels: { team: 'blue' },
          state: 'ready',
          unchecked: true,
          budget: { limit: 5, reserved: 0, used: 0 },
          seq: 1,
        },
      );
      equal(
        tasks.map((task) => [task.task_id, task.state]),
        [
          ['a', 'ready'],
          ['b', 'pending'],
        ],
      );
    },
  },
  {
    title: 'finds the goal of a contract that comes a second time',
    async holds(hands) {
      await hands.admit('goal');
      const { goal_uid } = await hands.view('goal');
      await hands.admit('goal');
      const again = await hands.view('goal');
      equal([again.goal_uid, again.head.seq], [goal_uid, 1]);
    },
  },
  {
    title: 'refuses another contract under a name that is taken, and changes nothing',
    async holds(hands) {
      await hands.admit('goal');
      const before = await hands.view('goal');
      await refused(hands.admit('goal', { objective: 'Another.' }), 'kernel/goal-conflict');
      equal(await hands.view('goal'), before);
    },
  },
  {
    title: 'admits whatever comes at the same moment, each once',
    async holds(hands, { another }) {
      const other = await another();
      const names = Array.from({ length: 20 }, (_, place) => `goal-${place}`);
      await Promise.all([
        ...names.map((name) => hands.admit(name)),
        hands.admit('goal-3'),
        other.goals.list(SCOPE.tenant, { limit: 5, before: null }),
      ]);
      const listed = await other.goals.list(SCOPE.tenant, { limit: 100, before: null });
      equal(listed.map(({ goal_id }) => goal_id).toSorted(), names.toSorted());
      await hands.assertSound();
    },
  },
  {
    title: 'shows nothing to another tenant, which may use the same names',
    async holds(hands) {
      const contract = await hands.admit('goal');
      const { goals, trails } = hands.store;
      const them = { ...SCOPE, tenant: 'there' };
      const hidden = [
        goals.read('there', 'goal'),
        goals.assertKnown('there', 'goal'),
        goals.position('there', 'goal'),
        goals.readOperation('there', 'goal', { taskId: null, key: 'k' }),
        goals.check('there', 'goal', { actor: 'eve' }),
        goals.cancel(them, 'goal', { version: null, reason: 'No.' }),
        trails.read('there', 'goal', { from: 1, limit: 10 }),
        trails.verify('there', 'goal'),
      ];
      for (const work of hidden) await refused(work, 'kernel/not-found');
      equal(await goals.list('there', { limit: 10, before: null }), []);
      equal(await trails.verify('there', null), { ok: true, goals: 0, records: 0 });
      await goals.admit(them, { contract, goalUid: 'theirs' });
      equal((await goals.read('there', 'goal')).goal_uid, 'theirs');
      equal((await hands.view('goal')).goal_uid === 'theirs', false);
    },
  },
  {
    title: 'lists goals by pages, newest first',
    async holds(hands) {
      for (const goalId of ['a', 'b', 'c', 'd', 'e']) await hands.admit(goalId);
      const page = async (before: string | null): Promise<readonly string[]> => {
        const found = await hands.store.goals.list(SCOPE.tenant, { limit: 2, before });
        return found.map(({ goal_id }) => goal_id);
      };
      equal(await page(null), ['e', 'd']);
      equal(await page('d'), ['c', 'b']);
      equal(await page('b'), ['a']);
      await refused(page('nowhere'), 'kernel/not-found');
    },
  },
  {
    title: 'tells of all tenants what could be run, the longest waiting first',
    async holds(hands) {
      const { goals } = hands.store;
      for (const goalId of ['first', 'second', 'held', 'over']) {
        await hands.admit(goalId);
        hands.clock.advance(10);
      }
      const contract = await hands.admit('elsewhere');
      await goals.admit({ ...SCOPE, tenant: 'there' }, { contract, goalUid: 'theirs' });
      await hands.store.attempts.hold(await hands.standing('held'), {
        reason: 'resume-limit',
        message: 'Look.',
        actor: 'ann@host',
      });
      await goals.cancel(SCOPE, 'over', { version: null, reason: 'No.' });
      const found = await goals.waiting(null);
      equal(
        found.map(({ tenant, goalId }) => [tenant, goalId]),
        [
          ['here', 'first'],
          ['here', 'second'],
          ['here', 'elsewhere'],
          ['there', 'elsewhere'],
        ],
      );
      const second = found[1];
      if (second === undefined) throw new Error('There is no second goal.');
      equal(await goals.waiting(second), found.slice(2));
    },
  },
  {
    title: 'completes a goal whose tasks are done, once its checks were read',
    async holds(hands) {
      await hands.admit('goal', {
        tasks: [taskOf('a'), taskOf('b', { depends_on: ['a'] })],
      });
      const { claim } = await hands.take('goal', 'a');
      await hands.finish('goal', claim, { found: 7 });
      const after = await hands.view('goal');
      equal(
        after.tasks.map(({ state, output }) => [state, output]),
        [
          ['completed', { found: 7 }],
          ['ready', null],
        ],
      );
      const { goals, attempts } = hands.store;
      const next = await hands.standing('goal', 'b');
      equal(await attempts.outputs(next.goal, next.task), { a: { found: 7 } });
      await goals.check(SCOPE.tenant, 'goal', { actor: 'ann@host' });
      equal((await hands.view('goal')).state, 'running');
      await hands.finish('goal', (await hands.take('goal', 'b')).claim);
      equal((await hands.view('goal')).state, 'checking');
      await goals.check(SCOPE.tenant, 'goal', { actor: 'ann@host' });
      const { state, budget } = await hands.view('goal');
      equal({ state, budget }, { state: 'completed', budget: { limit: 2, reserved: 0, used: 2 } });
      await hands.assertSound();
    },
  },
  {
    title:
      'fails a goal at the first failed task that it needs, and goes on without one that it does not',
    async holds(hands) {
      await hands.admit('goal', {
        tasks: [
          taskOf('a', { optional: true }),
          taskOf('b', { depends_on: ['a'], optional: true }),
          taskOf('c'),
          taskOf('d', { depends_on: ['c'] }),
        ],
      });
      await hands.fail('goal', (await hands.take('goal', 'a')).claim);
      const states = async (): Promise<readonly string[]> =>
        (await hands.view('goal')).tasks.map(({ state }) => state);
      equal(await states(), ['failed', 'skipped', 'ready', 'pending']);
      await hands.fail('goal', (await hands.take('goal', 'c')).claim);
      equal((await states()).slice(0, 3), ['failed', 'skipped', 'failed']);
      const { state, failure, budget } = await hands.view('goal');
      equal(
        { state, failure, reserved: budget.reserved },
        { state: 'failed', failure: { code: 'broken', message: 'It broke.' }, reserved: 0 },
      );
      await hands.assertSound();
    },
  },
  {
    title: 'cancels a goal with all of it that has not ended, for good, and only as it was seen',
    async holds(hands) {
      await hands.admit('goal', { tasks: [taskOf('a'), taskOf('b')] });
      const { goals } = hands.store;
      const { version } = await hands.view('goal');
      await hands.take('goal', 'a');
      const stale = goals.cancel(SCOPE, 'goal', { version, reason: 'No.' });
      await refused(stale, 'kernel/stale-version');
      const seen = await hands.view('goal');
      await goals.cancel(SCOPE, 'goal', { version: seen.version, reason: 'No.' });
      const { state, tasks, budget } = await hands.view('goal');
      equal(
        {
          state,
          tasks: tasks.map((task) => task.state),
          attempt: tasks[0]?.attempt?.state,
          budget,
        },
        {
          state: 'cancelled',
          tasks: ['cancelled', 'cancelled'],
          attempt: 'cancelled',
          budget: { limit: 2, reserved: 0, used: 1 },
        },
      );
      const again = goals.cancel(SCOPE, 'goal', { version: null, reason: 'No.' });
      await refused(again, 'kernel/goal-ended');
      await hands.assertSound();
    },
  },
];

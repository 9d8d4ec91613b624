import type { Claim } from '../store/claim.ts';
import type { OperationRow } from '../store/operation-row.ts';
import { equal } from './assertions.ts';
import { effectOf, existing, noteOf, readOf, SCOPE, type StoreHands } from './store-hands.ts';
import type { StoreLaw } from './store-law.ts';

/** How operations are admitted, recorded, doubted and counted. */
export const OPERATION_LAWS: readonly StoreLaw[] = [
  {
    title: 'admits an operation before it is performed, and records how it came out',
    async holds(hands) {
      const { claim } = await working(hands);
      const admitted = await hands.begin(claim, effectOf('k'), { before: { was: 'old' } });
      equal([admitted.state, admitted.tries, admitted.generation], ['admitted', 1, 1]);
      equal((await hands.view('goal')).tasks[0]?.attempt?.state, 'running');
      await hands.record(claim, effectOf('k'), {
        row: admitted,
        value: { sent: true },
        usage: { input_tokens: 3, cost_micros: 7 },
      });
      const view = await hands.store.goals.readOperation(SCOPE.tenant, 'goal', {
        taskId: null,
        key: 'k',
      });
      equal(
        {
          state: view.state,
          input: view.input,
          before: view.before,
          outcome: view.outcome,
          attested: view.attested,
        },
        {
          state: 'recorded',
          input: [{ of: 'k' }],
          before: { was: 'old' },
          outcome: { kind: 'done', value: { sent: true } },
          attested: false,
        },
      );
      equal((await hands.view('goal')).usage, { input_tokens: 3, cost_micros: 7 });
      await hands.assertSound();
    },
  },
  {
    title: 'gives a row that it wrote as it reads it',
    async holds(hands) {
      const { claim } = await working(hands);
      const operation = effectOf('k', { keyTtlMs: 1000, metered: true, extends: 'j' });
      await hands.record(claim, readOf('j'));
      const written = [await hands.begin(claim, operation, { before: 'x' })];
      equal(await rowOf(hands, claim, 'k'), written[0]);
      const { operations } = hands.store;
      const write = hands.write(operation, { row: existing(written[0]) });
      written.push(await operations.doubt(claim, { ...write, isSettled: true, isAbsent: true }));
      equal(await rowOf(hands, claim, 'k'), written[1]);
      written.push(await hands.begin(claim, operation, { row: existing(written[1]) }));
      equal(await rowOf(hands, claim, 'k'), written[2]);
      equal([written[2]?.tries, written[2]?.is_absent], [2, false]);
    },
  },
  {
    title: 'leaves no trace of what is recorded after the fact until then',
    async holds(hands) {
      const { claim } = await working(hands);
      await hands.record(claim, readOf('r'), { kind: 'failed', value: { code: 'absent' } });
      equal(await hands.types('goal'), ['goal-admitted', 'attempt-admitted', 'operation-recorded']);
      const row = await rowOf(hands, claim, 'r');
      equal([row.state, row.outcome], ['recorded', 'failed']);
    },
  },
  {
    title: 'tells decisions that waited before the operation that takes them along, in their order',
    async holds(hands) {
      const { claim } = await working(hands);
      await hands.record(claim, readOf('r'), { notes: [noteOf('a', 1), noteOf('b', 2)] });
      const told = (await hands.records('goal')).slice(2).map(({ type, data }) => [type, data]);
      equal(
        told.slice(0, 2).map(([type, data]) => [type, Reflect.get(Object(data), 'data')]),
        [
          ['turn-refused', 1],
          ['turn-refused', 2],
        ],
      );
      equal(told[2]?.[0], 'operation-recorded');
    },
  },
  {
    title: 'keeps no input that is marked sensitive',
    async holds(hands) {
      const { claim } = await working(hands);
      await hands.begin(
        claim,
        effectOf('k', { sensitive: true, input: { password: 'hush-hush' } }),
      );
      const { input } = await hands.store.goals.readOperation(SCOPE.tenant, 'goal', {
        taskId: 'run',
        key: 'k',
      });
      equal(input, null);
      const text = JSON.stringify(await hands.records('goal'));
      equal(text.includes('hush-hush'), false);
      await hands.assertSound();
    },
  },
  {
    title: 'writes all that a commit waits for of many callers, each with its own answer',
    async holds(hands) {
      const claims: Claim[] = [];
      for (let place = 0; place < 30; place += 1) {
        await hands.admit(`goal-${place}`);
        claims.push((await hands.take(`goal-${place}`)).claim);
      }
      await hands.takeAgain('goal-0');
      const ends = await Promise.allSettled(
        claims.flatMap((claim) => [
          hands.record(claim, readOf('a')),
          hands.begin(claim, effectOf('b')),
        ]),
      );
      equal(
        ends.map(({ status }) => status),
        ends.map((_, place) => (place < 2 ? 'rejected' : 'fulfilled')),
      );
      equal((await hands.view('goal-1')).tasks[0]?.attempt?.operations, 2);
      await hands.assertSound();
    },
  },
  {
    title:
      'refuses an admission that could pass a limit of what was observed, and tells nothing of it',
    async holds(hands) {
      const { claim } = await working(hands);
      const { operations } = hands.store;
      const budget = { limits: { cost_micros: 100 }, name: 'run/b', bound: {}, metered: true };
      const row = await hands.begin(claim, effectOf('a'));
      await hands.record(claim, effectOf('a'), { row, usage: { cost_micros: 60 } });
      equal(await operations.spentLimit(claim, budget), null);
      const large = { ...budget, bound: { cost_micros: 41 } };
      equal(await operations.spentLimit(claim, large), {
        name: 'cost_micros',
        limit: 100,
        used: 60,
      });
      const { head } = await hands.view('goal');
      const refused = await operations.admit(claim, {
        ...hands.write(effectOf('b')),
        budget: large,
      });
      equal(refused.kind, 'spent');
      equal((await hands.view('goal')).head, head);
      // What is admitted counts with its bound until it has an outcome.
      const bounded = effectOf('c', { usageBound: { cost_micros: 30 } });
      await hands.begin(claim, bounded);
      const more = { ...budget, bound: { cost_micros: 11 } };
      equal((await operations.spentLimit(claim, more))?.used, 90);
    },
  },
];

async function working(hands: StoreHands): Promise<{ readonly claim: Claim }> {
  await hands.admit('goal');
  return hands.take('goal');
}

async function rowOf(hands: StoreHands, claim: Claim, key: string): Promise<OperationRow> {
  const { rows } = await hands.store.attempts.load(claim, await hands.standing('goal'));
  return existing(rows.find((row) => row.key === key));
}

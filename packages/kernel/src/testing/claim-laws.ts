import type { Claim } from '../store/claim.ts';
import { toPayload } from '../store/payloads.ts';
import { equal, superseded } from './assertions.ts';
import { effectOf, readOf, SCOPE, type StoreHands } from './store-hands.ts';
import type { StoreLaw } from './store-law.ts';

/** What a claim is worth once another one came, or its goal was cancelled. */
export const CLAIM_LAWS: readonly StoreLaw[] = [
  {
    title: 'commits nothing for whoever was superseded',
    async holds(hands) {
      const { claim, operation } = await working(hands);
      await hands.takeAgain('goal');
      const { head } = await hands.view('goal');
      for (const call of callsOf(hands, claim, operation)) await superseded(call(), 'lease-lost');
      equal((await hands.view('goal')).head, head);
      await hands.assertSound();
    },
  },
  {
    title: 'commits nothing for whoever works at a goal that was cancelled',
    async holds(hands) {
      const { claim, operation } = await working(hands);
      await hands.store.goals.cancel(SCOPE, 'goal', { version: null, reason: 'No.' });
      const { head } = await hands.view('goal');
      for (const call of callsOf(hands, claim, operation)) await superseded(call(), 'cancelled');
      equal((await hands.view('goal')).head, head);
      await hands.assertSound();
    },
  },
  {
    title: 'is good for a claim past its time, as long as nobody else has one',
    async holds(hands) {
      const { claim, operation } = await working(hands);
      hands.clock.advance(100_000_000);
      await hands.store.attempts.confirm(claim);
      const { rows } = await hands.store.attempts.load(claim, await hands.standing('goal'));
      await hands.record(claim, operation, { row: rows[0] ?? null });
      await hands.finish('goal', claim, 'late');
      equal((await hands.view('goal')).tasks[0]?.output, 'late');
    },
  },
  {
    title: 'keeps a late result as evidence, and changes nothing else',
    async holds(hands) {
      const { claim } = await working(hands);
      await hands.store.goals.cancel(SCOPE, 'goal', { version: null, reason: 'No.' });
      const before = await hands.view('goal');
      await hands.store.attempts.keepLate(claim, {
        key: 'k',
        outcome: 'done',
        payload: toPayload({ late: true }),
      });
      const after = await hands.view('goal');
      equal(
        [after.state, after.version, after.tasks],
        [before.state, before.version, before.tasks],
      );
      equal((await hands.types('goal')).at(-1), 'result-refused');
      await hands.assertSound();
    },
  },
];

async function working(hands: StoreHands): Promise<{
  readonly claim: Claim;
  readonly operation: ReturnType<typeof effectOf>;
}> {
  await hands.admit('goal');
  const { claim } = await hands.take('goal');
  const operation = effectOf('k');
  await hands.begin(claim, operation);
  return { claim, operation };
}

/** Every call that a claim is needed for. */
function callsOf(
  hands: StoreHands,
  claim: Claim,
  operation: ReturnType<typeof effectOf>,
): readonly (() => Promise<unknown>)[] {
  const { attempts, operations } = hands.store;
  const other = readOf('other');
  const hold = {
    reason: 'diverged',
    message: 'It differs.',
    taskId: claim.taskId,
    attempt: claim.number,
    operationKey: 'other',
    facts: {},
  } as const;
  return [
    () => attempts.begin(claim),
    () => attempts.confirm(claim),
    () => hands.suspend('goal', claim),
    () => hands.fail('goal', claim),
    () => hands.finish('goal', claim),
    () => attempts.pinArtifact(claim, 'a'.repeat(64)),
    () =>
      attempts.saveArtifact(claim, {
        ref: { sha256: 'a'.repeat(64), bytes: 1, media_type: 'text/plain' },
        limit: null,
      }),
    () => hands.begin(claim, effectOf('other')),
    () => hands.record(claim, other),
    () => operations.doubt(claim, { ...hands.write(other), isSettled: true, isAbsent: false }),
    () =>
      operations.hold(claim, {
        write: hands.write(operation),
        hold: { ...hold, reason: 'ambiguous-operation' },
        isSettled: true,
        tries: 1,
        repeatedBy: null,
      }),
    () => operations.propose(claim, { write: hands.write(other), hold }),
    () => operations.diverge(claim, hold),
  ];
}

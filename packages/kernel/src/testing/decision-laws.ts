import type { Claim } from '../store/claim.ts';
import type { OperationRow } from '../store/operation-row.ts';
import { toPayload } from '../store/payloads.ts';
import { equal, refused } from './assertions.ts';
import { effectOf, existing, readOf, SCOPE, type StoreHands, taskOf } from './store-hands.ts';
import type { StoreLaw } from './store-law.ts';

/** What people are asked, and what becomes of their answers. */
export const DECISION_LAWS: readonly StoreLaw[] = [
  {
    title: 'holds a goal whose operation is in doubt, with all that a person needs',
    async holds(hands) {
      await inDoubt(hands);
      const { state, open_holds, tasks } = await hands.view('goal');
      equal([state, open_holds, tasks[0]?.state], ['held', 1, 'held']);
      const hold = await hands.openHold('goal');
      equal(
        {
          reason: hold.reason,
          key: hold.operation_key,
          version: hold.version,
          decisions: hold.decisions,
        },
        {
          reason: 'ambiguous-operation',
          key: 'k',
          version: 1,
          decisions: ['retry', 'accept', 'cancel'],
        },
      );
      await hands.assertSound();
    },
  },
  {
    title: 'lets an operation be repeated once when a person says so',
    async holds(hands) {
      const { claim } = await inDoubt(hands);
      await hands.suspend('goal', claim);
      await hands.decide('goal', { decision: 'retry', newKey: true });
      equal((await hands.view('goal')).state, 'running');
      const again = await hands.takeAgain('goal');
      const row = await rowOf(hands, again.claim, 'k');
      equal([row.state, row.may_repeat, row.generation], ['uncertain', true, 2]);
      const readmitted = await hands.begin(again.claim, effectOf('k'), { row });
      equal([readmitted.may_repeat, readmitted.tries], [false, 2]);
      await hands.assertSound();
    },
  },
  {
    title: 'records what a person attests, as attested',
    async holds(hands) {
      const { claim } = await inDoubt(hands);
      await hands.decide('goal', { decision: 'accept', outcome: { sent: true } });
      const view = await hands.store.goals.readOperation(SCOPE.tenant, 'goal', {
        taskId: 'run',
        key: 'k',
      });
      equal([view.outcome, view.attested], [{ kind: 'done', value: { sent: true } }, true]);
      equal((await rowOf(hands, claim, 'k')).attested_by, 'ann@host');
      await hands.assertSound();
    },
  },
  {
    title: 'takes the first of two decisions, and one about what was seen only',
    async holds(hands, { another }) {
      await inDoubt(hands);
      const hold = await hands.openHold('goal');
      const other = await another();
      const decision = {
        holdId: hold.hold_id,
        version: hold.version,
        decision: 'retry',
        reason: 'Again.',
      } as const;
      const here = { ownerId: 'owner', isActing: () => false };
      const stale = { decision: { ...decision, version: 9 }, receiptId: 'r', here };
      await refused(hands.store.goals.decide(SCOPE, 'goal', stale), 'kernel/stale-version');
      const ends = await Promise.allSettled([
        hands.store.goals.decide(SCOPE, 'goal', { decision, receiptId: 'r1', here }),
        other.goals.decide(SCOPE, 'goal', { decision, receiptId: 'r2', here }),
      ]);
      equal(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
      const late = other.goals.decide(SCOPE, 'goal', { decision, receiptId: 'r3', here });
      await refused(late, 'kernel/hold-decided');
    },
  },
  {
    title: 'refuses to repeat what the process that began it may still do',
    async holds(hands) {
      await inDoubt(hands);
      const acting = hands.decide('goal', { decision: 'retry' }, () => true);
      await refused(acting, 'kernel/former-owner-alive');
      await hands.decide('goal', { decision: 'retry', evenIfRunning: true }, () => true);
      equal((await hands.view('goal')).state, 'running');
    },
  },
  {
    title: 'answers a doubt in the name of whoever admitted the goal in the same transaction',
    async holds(hands) {
      const { claim, row } = await inDoubt(hands, 'bob@host');
      equal([row.state, row.may_repeat], ['uncertain', true]);
      equal(row, await rowOf(hands, claim, 'k'));
      const { state, holds } = await hands.view('goal');
      equal(
        [state, holds[0]?.state, holds[0]?.decision?.actor],
        ['running', 'decided', 'bob@host'],
      );
      await hands.assertSound();
    },
  },
  {
    title: 'makes an approval the outcome of the operation that asked for it',
    async holds(hands) {
      await hands.admit('goal');
      const { claim } = await hands.take('goal');
      await hands.store.operations.propose(claim, {
        write: hands.write(readOf('ask')),
        hold: {
          reason: 'approval-required',
          message: 'May it?',
          taskId: 'run',
          attempt: 1,
          operationKey: 'ask',
          facts: { approval: { for: 'k', expires_after_seconds: 60 } },
        },
      });
      equal((await rowOf(hands, claim, 'ask')).state, 'proposed');
      await hands.suspend('goal', claim);
      await refused(hands.decide('goal', { decision: 'retry' }), 'kernel/decision-not-allowed');
      await hands.decide('goal', { decision: 'approve' });
      const view = await hands.store.goals.readOperation(SCOPE.tenant, 'goal', {
        taskId: 'run',
        key: 'ask',
      });
      equal(
        [view.state, Reflect.get(Object(view.outcome?.value), 'decision')],
        ['recorded', 'approved'],
      );
      await hands.assertSound();
    },
  },
  {
    title: 'lets a person accept a result that came too late, by the record that keeps it',
    async holds(hands) {
      await hands.admit('goal', { tasks: [taskOf('a', { doubt: 'attempt' })] });
      const { claim } = await hands.take('goal');
      await hands.store.attempts.begin(claim);
      await hands.fail('goal', claim, { isClean: false, isSettled: false });
      await hands.store.attempts.resolve(await hands.standing('goal'), {
        answer: { kind: 'unknown' },
        facts: null,
        mayStillAct: true,
        receiptId: 'r',
        actor: 'ann@host',
      });
      await hands.store.attempts.keepLate(claim, {
        key: null,
        outcome: 'done',
        payload: toPayload('late'),
      });
      const { seq } = existing((await hands.records('goal')).at(-1));
      const wrong = hands.decide('goal', { decision: 'accept', seq: 1 });
      await refused(wrong, 'kernel/decision-not-allowed');
      await hands.decide('goal', { decision: 'accept', seq });
      const { tasks } = await hands.view('goal');
      equal([tasks[0]?.state, tasks[0]?.output], ['completed', 'late']);
      await hands.assertSound();
    },
  },
  {
    title: 'decides every open hold of a goal that is cancelled by a decision',
    async holds(hands) {
      await inDoubt(hands);
      await hands.decide('goal', { decision: 'cancel' });
      const { state, holds, effects_unknown } = await hands.view('goal');
      equal([state, holds[0]?.decision?.decision, effects_unknown], ['cancelled', 'cancel', 1]);
      await hands.assertSound();
    },
  },
];

/** A goal with an operation that nobody knows the end of. */
async function inDoubt(
  hands: StoreHands,
  repeatedBy: string | null = null,
): Promise<{ readonly claim: Claim; readonly row: OperationRow }> {
  await hands.admit('goal');
  const { claim } = await hands.take('goal');
  const admitted = await hands.begin(claim, effectOf('k'));
  const row = await hands.store.operations.hold(claim, {
    write: hands.write(effectOf('k'), { row: admitted }),
    hold: {
      reason: 'ambiguous-operation',
      message: 'Nobody knows.',
      taskId: 'run',
      attempt: 1,
      operationKey: 'k',
      facts: { tries: 1 },
    },
    isSettled: true,
    tries: 1,
    repeatedBy,
  });
  return { claim, row };
}

async function rowOf(hands: StoreHands, claim: Claim, key: string): Promise<OperationRow> {
  const { rows } = await hands.store.attempts.load(claim, await hands.standing('goal'));
  return existing(rows.find((row) => row.key === key));
}

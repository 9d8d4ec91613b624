import { manualClock } from '@millforge/contracts/testing';
import {
  createPublications,
  type Inspection,
  type PublishAnswer,
} from '@millforge/kernel/publication';
import { expect, test } from 'vitest';
import { gate, open, records, scope } from '../fixture.ts';
import { approved, complete, ONE, publisher, request, through, world } from './world.ts';

const nonsense: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a text', 'ok'],
  ['an acknowledgement of another operation', { kind: 'acknowledged', operationId: 'other' }],
  ['an acknowledgement of no operation', { kind: 'acknowledged' }],
  ['a refusal without a message', { kind: 'refused' }],
  ['that nothing was sent, without a word why', { kind: 'not-sent' }],
  ['a kind that nobody knows', { kind: 'published' }],
];

test.each(nonsense)('leaves it unknown when the answer is %s', async (_what, answer) => {
  const { publications } = await world();
  // A publisher of a host may return anything.
  const by = publisher({ publish: async () => answer as PublishAnswer });
  await approved(publications);
  expect(await publications.dispatch(scope, ONE, through(by))).toMatchObject({
    state: 'unknown',
    reason: 'invalid-acknowledgement',
  });
});

test('leaves it unknown when the publisher throws, without a word of what it knows', async () => {
  const { kernel, publications } = await world();
  const by = publisher({
    publish: () => {
      throw new Error('fetch failed: Authorization: Bearer sk-live-0123456789abcdefghij');
    },
  });
  await approved(publications);
  const sent = await publications.dispatch(scope, ONE, through(by));
  expect(sent).toMatchObject({ state: 'unknown', reason: 'publisher-failed' });
  expect(JSON.stringify([sent, await records(kernel, 'goal')])).not.toContain('0123456789abc');
});

test('takes a refusal for an end, and asks for a new intent and a new approval', async () => {
  const { publications } = await world();
  const by = publisher({ publish: async () => ({ kind: 'refused', message: 'No such place.' }) });
  await approved(publications);
  expect(await publications.dispatch(scope, ONE, through(by))).toMatchObject({
    state: 'rejected',
    reason: 'refused',
    message: 'The receiver refuses it: No such place.',
  });
  expect(await publications.intend(scope, 'goal', request())).toMatchObject({
    publication_id: 'publication-2',
    state: 'intended',
    approval: null,
  });
});

test('has no way from unknown to a second send', async () => {
  const { publications } = await world();
  const by = publisher({ publish: () => Promise.reject(new Error('Connection lost.')) });
  const view = await approved(publications);
  await publications.dispatch(scope, ONE, through(by));
  const approval = { intentSha256: view.intent_sha256, validForMs: 1000, reason: 'Again.' };
  for (const attempt of [
    publications.dispatch(scope, ONE, through(by)),
    publications.approve(scope, ONE, approval),
    publications.revoke(scope, ONE, { reason: 'Undo.' }),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'kernel/publication-not-allowed' });
  }
  expect(await publications.intend(scope, 'goal', request())).toMatchObject({
    publication_id: 'publication-1',
    state: 'unknown',
  });
  expect(by.sent).toHaveLength(1);
});

test('refuses the same bytes to the same place while their end is unknown, under any intent and any goal', async () => {
  const { kernel, publications } = await world();
  await complete(kernel, 'twin');
  const by = publisher({ publish: () => Promise.reject(new Error('Connection lost.')) });
  await approved(publications);
  const twin = await publications.intend(scope, 'twin', request());
  const name = { goalId: 'twin', publicationId: twin.publication_id };
  await publications.approve(scope, name, {
    intentSha256: twin.intent_sha256,
    validForMs: 60_000,
    reason: 'Yes.',
  });
  await publications.dispatch(scope, ONE, through(by));
  const refused = { code: 'kernel/publication-in-flight', details: { goal_id: 'goal' } };
  await expect(publications.dispatch(scope, name, through(by))).rejects.toMatchObject(refused);
  await expect(
    publications.intend(scope, 'twin', request({ policy: 'another' })),
  ).rejects.toMatchObject(refused);
  expect(by.sent).toHaveLength(1);
  const elsewhere = request({ action: { publisher: 'test', target: 'elsewhere' } });
  expect(await publications.intend(scope, 'twin', elsewhere)).toMatchObject({ state: 'intended' });
});

test('tells more of a receiver only what the receiver said, and never more than 4 KiB of it', async () => {
  const { publications } = await world();
  const by = publisher({
    publish: async ({ operationId }) => ({
      kind: 'acknowledged',
      operationId,
      evidence: { text: 'x'.repeat(5000) },
    }),
  });
  await approved(publications);
  const { evidence } = await publications.dispatch(scope, ONE, through(by));
  expect(evidence).toEqual({ bytes: 5012, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

interface Looked {
  readonly says: string;
  readonly answer: (operationId: string) => Inspection;
  readonly state: string;
  /** Null where it says nothing. */
  readonly reason: string | null;
}

const inspections: readonly Looked[] = [
  {
    says: 'it has it',
    answer: (operationId) => ({ kind: 'found', operationId }),
    state: 'accepted',
    reason: 'found',
  },
  {
    says: 'it has another one',
    answer: () => ({ kind: 'found', operationId: 'x' }),
    state: 'unknown',
    reason: null,
  },
  {
    says: 'it will never have it',
    answer: () => ({ kind: 'absent', isFinal: true }),
    state: 'rejected',
    reason: 'finally-absent',
  },
  {
    says: 'it does not have it yet',
    answer: () => ({ kind: 'absent', isFinal: false }),
    state: 'unknown',
    reason: null,
  },
  { says: 'it cannot tell', answer: () => ({ kind: 'unknown' }), state: 'unknown', reason: null },
];

test.each(inspections)('takes a receiver at its word that says that $says', async (looked) => {
  const { kernel, publications } = await world();
  const by = publisher({
    publish: () => Promise.reject(new Error('Connection lost.')),
    inspect: async ({ operationId }) => looked.answer(operationId),
  });
  await approved(publications);
  await publications.dispatch(scope, ONE, through(by));
  const before = (await kernel.readGoal(scope, 'goal')).head;
  expect(await publications.reconcile(scope, ONE, { publisher: by })).toMatchObject({
    state: looked.state,
    reason: looked.reason ?? 'publisher-failed',
  });
  // What says nothing leaves no record either.
  const { head } = await kernel.readGoal(scope, 'goal');
  if (looked.reason === null) expect(head).toEqual(before);
  expect(by.sent).toHaveLength(1);
});

test('counts the time to settle of the receiver from when the sender was through', async () => {
  const clock = manualClock();
  const { publications } = await world({ clock });
  const by = publisher({
    settleMs: 5000,
    publish: () => Promise.reject(new Error('Connection lost.')),
    inspect: async () => ({ kind: 'absent', isFinal: false }),
  });
  await approved(publications);
  await publications.dispatch(scope, ONE, through(by));
  clock.advance(4999);
  expect((await publications.reconcile(scope, ONE, { publisher: by })).state).toBe('unknown');
  clock.advance(1);
  expect(await publications.reconcile(scope, ONE, { publisher: by })).toMatchObject({
    state: 'rejected',
    reason: 'finally-absent',
  });
});

test('concludes nothing from an absence while the process that sends it lives', async () => {
  const { directory, publications } = await world();
  const reached = gate();
  const answer = gate();
  const by = publisher({
    settleMs: 0,
    publish: async ({ operationId }) => {
      reached.open();
      await answer.opened;
      return { kind: 'acknowledged', operationId };
    },
    inspect: async () => ({ kind: 'absent', isFinal: true }),
  });
  await approved(publications);
  const sending = publications.dispatch(scope, ONE, through(by));
  await reached.opened;
  const other = createPublications(await open(directory));
  for (const looking of [publications, other]) {
    const seen = await looking.reconcile(scope, ONE, { publisher: by });
    expect(seen).toMatchObject({ state: 'sending', operation: { settled_at: null } });
    expect(seen.operation?.sender?.pid).toBe(process.pid);
    const { version } = seen;
    await expect(
      looking.attest(scope, ONE, { version, outcome: 'rejected', reason: 'I looked.' }),
    ).rejects.toMatchObject({ code: 'kernel/former-owner-alive' });
  }
  answer.open();
  expect(await sending).toMatchObject({ state: 'accepted', reason: 'acknowledged' });
});

test('takes a late answer of a publisher that was given up', async () => {
  const { kernel, publications } = await world({ graceMs: 0 });
  const answer = gate();
  const by = publisher({
    publish: async ({ operationId }) => {
      await answer.opened;
      return { kind: 'acknowledged', operationId };
    },
  });
  await approved(publications);
  const given = await publications.dispatch(scope, ONE, through(by, { timeoutMs: 1 }));
  expect(given).toMatchObject({ state: 'unknown', reason: 'no-answer' });
  expect(given.operation?.sender?.pid).toBe(process.pid);
  answer.open();
  await until(async () => (await publications.read(scope, ONE)).state === 'accepted');
  expect(await publications.read(scope, ONE)).toMatchObject({
    reason: 'acknowledged',
    operation: { sender: null, settled_at: expect.stringMatching(/Z$/) },
  });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('keeps what a person attested, and a late answer that says otherwise beside it', async () => {
  const { kernel, publications } = await world({ graceMs: 0 });
  const answer = gate();
  const by = publisher({
    publish: async ({ operationId }) => {
      await answer.opened;
      return { kind: 'acknowledged', operationId };
    },
  });
  await approved(publications);
  const { version } = await publications.dispatch(scope, ONE, through(by, { timeoutMs: 1 }));
  const attested = {
    outcome: 'rejected',
    reason: 'The line is cut.',
    evenIfRunning: true,
  } as const;
  await expect(
    publications.attest(scope, ONE, { ...attested, version: version - 1 }),
  ).rejects.toMatchObject({ code: 'kernel/stale-version' });
  await publications.attest(scope, ONE, { ...attested, version });
  answer.open();
  await until(async () => (await publications.read(scope, ONE)).late_answer !== null);
  expect(await publications.read(scope, ONE)).toMatchObject({
    state: 'rejected',
    reason: 'attested',
    message: 'The line is cut.',
    late_answer: { state: 'accepted', reason: 'acknowledged' },
  });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('tells a publisher to end when the kernel closes, and calls unknown what it leaves open', async () => {
  const { directory, kernel, publications } = await world({ graceMs: 0 });
  const reached = gate();
  const by = publisher({
    publish: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('Told to end.')));
        reached.open();
      }),
  });
  await approved(publications);
  const sending = publications.dispatch(scope, ONE, through(by)).catch(() => null);
  await reached.opened;
  await kernel[Symbol.asyncDispose]();
  await sending;
  const again = createPublications(await open(directory));
  expect(await again.read(scope, ONE)).toMatchObject({
    state: 'unknown',
    operation: { sender: null },
  });
});

test('sends nothing when the kernel is told to close before it was sent', async () => {
  const closings: PromiseLike<void>[] = [];
  const { directory, kernel, publications } = await world({
    failpoint: (name) => {
      if (name === 'after:send-publication') closings.push(kernel[Symbol.asyncDispose]());
    },
  });
  const by = publisher();
  await approved(publications);
  await publications.dispatch(scope, ONE, through(by)).catch(() => null);
  await Promise.all(closings);
  const again = createPublications(await open(directory));
  expect(await again.read(scope, ONE)).toMatchObject({ state: 'rejected', reason: 'not-sent' });
  expect(by.sent).toEqual([]);
});

test('sends nothing once its time is over, however that time passed', async () => {
  for (const jump of ['both', 'monotonic'] as const) {
    const manual = manualClock();
    let setBackMs = 0;
    const clock = { ...manual, now: () => manual.now() - setBackMs };
    const failpoint = (name: string): void => {
      if (name !== 'after:send-publication') return;
      manual.advance(30_000);
      if (jump === 'monotonic') setBackMs = 30_000;
    };
    const { publications } = await world({ clock, failpoint });
    const by = publisher();
    await approved(publications);
    expect(await publications.dispatch(scope, ONE, through(by))).toMatchObject({
      state: 'rejected',
      reason: 'not-sent',
      operation: { settled_at: expect.stringMatching(/Z$/) },
    });
    expect(by.sent).toEqual([]);
  }
});

test('holds a publisher to the time of its approval where that is shorter', async () => {
  const clock = manualClock();
  const { publications } = await world({ clock });
  const limits: number[] = [];
  const by = publisher({
    publish: async ({ operationId, sendByMs }) => {
      limits.push(sendByMs - clock.now());
      return { kind: 'acknowledged', operationId };
    },
  });
  await approved(publications, { validForMs: 7000 });
  await publications.dispatch(scope, ONE, through(by));
  await publications.intend(scope, 'goal', request({ revision: 'r2' }));
  const { intent_sha256 } = await publications.read(scope, {
    ...ONE,
    publicationId: 'publication-2',
  });
  const second = { goalId: 'goal', publicationId: 'publication-2' };
  const approval = { intentSha256: intent_sha256, validForMs: 90_000, reason: 'Yes.' };
  await publications.approve(scope, second, approval);
  await publications.dispatch(scope, second, through(by));
  expect(limits).toEqual([7000, 30_000]);
});

test('does nothing when what has an end is reconciled', async () => {
  const { kernel, publications } = await world();
  let asked = 0;
  const by = publisher({
    inspect: async () => {
      asked += 1;
      return { kind: 'absent', isFinal: true };
    },
  });
  await approved(publications);
  await publications.dispatch(scope, ONE, through(by));
  const { head } = await kernel.readGoal(scope, 'goal');
  expect(await publications.reconcile(scope, ONE, { publisher: by })).toMatchObject({
    state: 'accepted',
  });
  expect(asked).toBe(0);
  expect((await kernel.readGoal(scope, 'goal')).head).toEqual(head);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('It did not come to that.');
}

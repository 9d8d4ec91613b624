import { canonicalJson } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import {
  createPublications,
  type PublicationRequest,
  type PublishRequest,
} from '@millforge/kernel/publication';
import { expect, test } from 'vitest';
import { adapter, contract, open, outcome, records, recordTypes, scope } from '../fixture.ts';
import {
  approved,
  ONE,
  OUTPUT,
  OUTPUT_SHA256,
  publisher,
  request,
  through,
  world,
} from './world.ts';

test('sends the exact bytes that were approved, once, and keeps what the receiver said', async () => {
  const { kernel, publications } = await world();
  const asked: PublishRequest[] = [];
  const by = publisher({
    publish: async (one) => {
      asked.push(one);
      return { kind: 'acknowledged', operationId: one.operationId, evidence: { place: 7 } };
    },
  });
  const { intent_sha256 } = await approved(publications);
  const sent = await publications.dispatch(scope, ONE, through(by));
  expect(sent).toMatchObject({
    state: 'accepted',
    reason: 'acknowledged',
    evidence: { place: 7 },
    intent_sha256,
    approval: { by: 'ann@host', reason: 'I read it.' },
    operation: { operation_id: asked[0]?.operationId, sent_by: 'ann@host', sender: null },
    intent: { payload: { sha256: OUTPUT_SHA256, media_type: 'application/json' }, round: 1 },
  });
  expect(asked.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([canonicalJson(OUTPUT)]);
  expect((await recordTypes(kernel, 'goal')).slice(-4)).toEqual([
    'publication-intended',
    'publication-approved',
    'publication-dispatched',
    'publication-accepted',
  ]);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('publishes an artifact of the goal by its digest', async () => {
  const { kernel, publications } = await world();
  await kernel.admitGoal(scope, contract('patched'));
  const save = adapter(async (context) => {
    await context.saveArtifact(Buffer.from('a patch'), { mediaType: 'text/x-patch', maxBytes: 99 });
    return outcome();
  });
  await kernel.runGoal(scope, 'patched', { adapters: [save] }).done;
  const digest = (await records(kernel, 'patched'))
    .map(({ data }) => JSON.stringify(data))
    .flatMap((text) => /"artifacts":\[\{[^\]]*"sha256":"([0-9a-f]{64})"/.exec(text)?.[1] ?? []);
  const { intent, intent_sha256 } = await publications.intend(
    scope,
    'patched',
    request({ payloadSha256: digest[0] ?? '' }),
  );
  expect(intent.payload).toEqual({ sha256: digest[0], bytes: 7, media_type: 'text/x-patch' });
  const name = { goalId: 'patched', publicationId: 'publication-1' };
  const approval = { intentSha256: intent_sha256, validForMs: 1000, reason: 'Yes.' };
  await publications.approve(scope, name, approval);
  const got: string[] = [];
  const by = publisher({
    publish: async ({ operationId, bytes }) => {
      got.push(Buffer.from(bytes).toString());
      return { kind: 'acknowledged', operationId };
    },
  });
  expect(await publications.dispatch(scope, name, through(by))).toMatchObject({
    state: 'accepted',
  });
  expect(got).toEqual(['a patch']);
});

test('takes an equal intent for the same publication, and for another one once it ended without effect', async () => {
  const { publications } = await world();
  const first = await publications.intend(scope, 'goal', request());
  expect(await publications.intend(scope, 'goal', request())).toEqual(first);
  const other = await publications.intend(scope, 'goal', request({ revision: 'r2' }));
  expect(other.publication_id).toBe('publication-2');
  await publications.revoke(scope, ONE, { reason: 'Not today.' });
  const again = await publications.intend(scope, 'goal', request());
  expect(again).toMatchObject({ publication_id: 'publication-3', state: 'intended' });
  expect(again.intent).toEqual({ ...first.intent, round: 2 });
  expect(again.intent_sha256).not.toBe(first.intent_sha256);
});

test('never sends what was accepted a second time, whoever intends it again', async () => {
  const { publications } = await world();
  const by = publisher();
  await approved(publications);
  await publications.dispatch(scope, ONE, through(by));
  expect(await publications.intend(scope, 'goal', request())).toMatchObject({
    publication_id: 'publication-1',
    state: 'accepted',
  });
  await expect(publications.dispatch(scope, ONE, through(by))).rejects.toMatchObject({
    code: 'kernel/publication-not-allowed',
  });
  expect(by.sent).toHaveLength(1);
});

const refusals = [
  [
    'no action',
    // A host without types can hand over anything.
    { ...request(), action: null } as unknown as PublicationRequest,
    'kernel/intent-invalid',
  ],
  ['a policy that is empty', request({ policy: '' }), 'kernel/intent-invalid'],
  ['a digest that is none', request({ payloadSha256: 'abc' }), 'kernel/intent-invalid'],
  [
    'a digest of nothing that the goal gave',
    request({ payloadSha256: 'a'.repeat(64) }),
    'kernel/not-an-output',
  ],
  [
    'a target with a password in it',
    request({ action: { publisher: 'test', target: 'https://ann:hunter22@example.org/x' } }),
    'kernel/intent-invalid',
  ],
  [
    'a target with a token for a user name',
    request({
      action: { publisher: 'git', target: 'https://t0ken@example.org/x.git#refs/heads/a' },
    }),
    'kernel/intent-invalid',
  ],
  [
    'parameters with a token for a user name',
    request({
      action: { ...request().action, parameters: { status_url: 'https://t0ken@example.org/x' } },
    }),
    'kernel/intent-invalid',
  ],
  [
    'parameters over 16 KiB',
    request({ action: { ...request().action, parameters: { text: 'x'.repeat(17_000) } } }),
    'kernel/intent-invalid',
  ],
] as const;

test.each(refusals)('refuses an intent with %s', async (_what, asked, code) => {
  const { publications } = await world();
  await expect(publications.intend(scope, 'goal', asked)).rejects.toMatchObject({ code });
  expect(await publications.list(scope, 'goal')).toEqual([]);
});

test('has the publisher look at the exact bytes before anything is stored, and stores nothing that it does not take', async () => {
  const { publications } = await world();
  const looked: string[] = [];
  const by = (problem: string | null) =>
    publisher({
      checkPayload: ({ bytes, mediaType }) => {
        looked.push(mediaType, Buffer.from(bytes).toString());
        return problem;
      },
    });
  await expect(
    publications.intend(scope, 'goal', { ...request(), checkedBy: by('it takes no outcome') }),
  ).rejects.toMatchObject({
    code: 'kernel/payload-refused',
    message: `The publisher test could never send ${OUTPUT_SHA256.slice(0, 12)}…: it takes no outcome.`,
    details: { publisher: 'test', target: 'somewhere' },
  });
  await expect(
    publications.intend(scope, 'goal', {
      ...request(),
      checkedBy: { ...by(null), target: 'elsewhere' },
    }),
  ).rejects.toMatchObject({ code: 'kernel/publisher-mismatch' });
  await expect(
    publications.intend(scope, 'goal', {
      ...request({ payloadSha256: 'a'.repeat(64) }),
      checkedBy: by(null),
    }),
  ).rejects.toMatchObject({ code: 'kernel/not-an-output' });
  expect(looked).toEqual(['application/json', canonicalJson(OUTPUT)]);
  expect(await publications.list(scope, 'goal')).toEqual([]);
  const taken = await publications.intend(scope, 'goal', { ...request(), checkedBy: by(null) });
  expect(taken).toEqual(await publications.intend(scope, 'goal', request()));
});

const lookings: readonly (readonly [string, () => unknown, RegExp])[] = [
  [
    'throws',
    () => {
      throw new Error('no such key');
    },
    /: looking at it failed \(no such key\)\.$/,
  ],
  [
    'answers later and fails then',
    () => Promise.reject(new Error('too late')),
    /: it answers later, and has to answer at once\.$/,
  ],
  ['answers no sentence', () => true, /: it says no\.$/],
];

test.each(lookings)('takes no payload from a publisher that %s', async (_what, look, said) => {
  const { publications } = await world();
  // A host without types may hand over anything.
  const checkedBy = Object.assign(publisher(), { checkPayload: look });
  await expect(
    publications.intend(scope, 'goal', { ...request(), checkedBy }),
  ).rejects.toMatchObject({
    code: 'kernel/payload-refused',
    message: expect.stringMatching(said),
  });
  expect(await publications.list(scope, 'goal')).toEqual([]);
});

test('publishes nothing of a goal that is open, held or cancelled', async () => {
  const { kernel, publications } = await world();
  await kernel.admitGoal(scope, contract('open'));
  await kernel.admitGoal(scope, contract('gone'));
  const { version } = await kernel.readGoal(scope, 'gone');
  await kernel.cancelGoal(scope, 'gone', { version, reason: 'No.' });
  for (const goalId of ['open', 'gone']) {
    await expect(publications.intend(scope, goalId, request())).rejects.toMatchObject({
      code: 'kernel/goal-not-completed',
    });
  }
});

test('cannot be cancelled with its goal, which is completed, and is taken back by revoking', async () => {
  const { kernel, publications } = await world();
  const by = publisher();
  await approved(publications);
  const { version } = await kernel.readGoal(scope, 'goal');
  await expect(
    kernel.cancelGoal(scope, 'goal', { version, reason: 'Too late.' }),
  ).rejects.toMatchObject({ code: 'kernel/goal-ended' });
  expect(await publications.revoke(scope, ONE, { reason: 'Changed my mind.' })).toMatchObject({
    state: 'revoked',
    message: 'Changed my mind.',
  });
  await expect(publications.dispatch(scope, ONE, through(by))).rejects.toMatchObject({
    code: 'kernel/publication-not-allowed',
  });
  expect(by.sent).toEqual([]);
});

test('takes an approval for the digest that was seen, once, and for no other', async () => {
  const { publications } = await world();
  const { intent_sha256 } = await publications.intend(scope, 'goal', request());
  const approval = { validForMs: 60_000, reason: 'Fine.' };
  await expect(
    publications.approve(scope, ONE, { ...approval, intentSha256: 'b'.repeat(64) }),
  ).rejects.toMatchObject({ code: 'kernel/intent-mismatch' });
  await publications.approve(scope, ONE, { ...approval, intentSha256: intent_sha256 });
  await expect(
    publications.approve(scope, ONE, { ...approval, intentSha256: intent_sha256 }),
  ).rejects.toMatchObject({ code: 'kernel/publication-not-allowed' });
});

test.each([0, 999, 604_800_001, 1.5, Number.NaN])(
  'refuses an approval that is good for %d ms',
  async (validForMs) => {
    const { publications } = await world();
    const { intent_sha256 } = await publications.intend(scope, 'goal', request());
    await expect(
      publications.approve(scope, ONE, { intentSha256: intent_sha256, validForMs, reason: 'Yes.' }),
    ).rejects.toMatchObject({ code: 'kernel/intent-invalid' });
  },
);

test('sends nothing on an approval whose time is over, also when the clock is set back', async () => {
  const manual = manualClock();
  let setBackMs = 0;
  const clock = { ...manual, now: () => manual.now() - setBackMs };
  const { publications } = await world({ clock });
  const by = publisher();
  await approved(publications, { validForMs: 1000 });
  manual.advance(1000);
  // The trail of the goal has seen the time at which the approval was over.
  await publications.intend(scope, 'goal', request({ revision: 'r2' }));
  setBackMs = 5000;
  await expect(publications.dispatch(scope, ONE, through(by))).rejects.toMatchObject({
    code: 'kernel/approval-expired',
  });
  expect(await publications.read(scope, ONE)).toMatchObject({ state: 'expired' });
  expect(await publications.intend(scope, 'goal', request())).toMatchObject({
    publication_id: 'publication-3',
    state: 'intended',
  });
  expect(by.sent).toEqual([]);
});

test('leaves an approval alone that the host does not confirm', async () => {
  const { publications } = await world();
  const by = publisher();
  await approved(publications);
  const seen: string[] = [];
  const confirmApprover = ({ actor }: { readonly actor: string }): boolean => {
    seen.push(actor);
    return false;
  };
  await expect(
    publications.dispatch(scope, ONE, through(by, { confirmApprover })),
  ).rejects.toMatchObject({ code: 'kernel/approver-not-confirmed' });
  expect(seen).toEqual(['ann@host']);
  expect(await publications.read(scope, ONE)).toMatchObject({ state: 'approved', operation: null });
  expect(by.sent).toEqual([]);
});

test('is carried by the publisher that was approved, to the place that was approved', async () => {
  const { publications } = await world();
  await approved(publications);
  for (const other of [publisher({ name: 'other' }), publisher({ target: 'elsewhere' })]) {
    const refused = { code: 'kernel/publisher-mismatch' };
    await expect(publications.dispatch(scope, ONE, through(other))).rejects.toMatchObject(refused);
    await expect(publications.reconcile(scope, ONE, { publisher: other })).rejects.toMatchObject(
      refused,
    );
    expect(other.sent).toEqual([]);
  }
});

test('is sent once, however many ask for it at the same time in two processes', async () => {
  const { directory, publications } = await world();
  const other = createPublications(await open(directory));
  const by = publisher();
  await approved(publications);
  const answers = await Promise.allSettled(
    [publications, other, publications, other].map((one) => one.dispatch(scope, ONE, through(by))),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(by.sent).toHaveLength(1);
});

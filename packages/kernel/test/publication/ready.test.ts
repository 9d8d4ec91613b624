import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type HttpPublisherOptions,
  httpPublisher,
  localPublisher,
  type ReadyRequest,
} from '@millforge/kernel/publication';
import { expect, test } from 'vitest';
import { gate, randomIds, records, scope, systemClock, temporaryDirectory } from '../fixture.ts';
import { gitWorld, update } from './git-world.ts';
import { approved, ONE, OUTPUT, publisher, request, through, world } from './world.ts';

const NOT_READY = 'kernel/publisher-not-ready';

const looks: readonly (readonly [string, () => unknown, RegExp])[] = [
  ['says what it needs', async () => 'it needs a folder', /: it needs a folder\. Nothing was sent/],
  [
    'throws',
    () => {
      throw new Error('no such key');
    },
    /: looking failed \(no such key\)\./,
  ],
  ['fails later', () => Promise.reject(new Error('too late')), /: looking failed \(too late\)\./],
  ['answers no sentence', async () => false, /: it says no\./],
];

test.each(looks)(
  'keeps the approval where the publisher that is asked whether it can begin %s',
  async (_what, look, said) => {
    const { kernel, publications } = await world();
    await approved(publications);
    const before = await records(kernel, 'goal');
    const by = Object.assign(publisher(), { ready: look });
    await expect(publications.dispatch(scope, ONE, through(by))).rejects.toMatchObject({
      code: NOT_READY,
      message: expect.stringMatching(said),
    });
    expect(by.sent).toEqual([]);
    expect(await records(kernel, 'goal')).toEqual(before);
    // The same approval, from where it can begin.
    const able = publisher({ ready: async () => null });
    expect(await publications.dispatch(scope, ONE, through(able))).toMatchObject({
      state: 'accepted',
      intent: { round: 1 },
    });
  },
);

test('asks with the bytes that were approved, before whoever approved is asked after', async () => {
  const { publications } = await world();
  const { intent } = await approved(publications);
  const order: unknown[] = [];
  const by = publisher({
    ready: async ({ bytes, intent: given }: ReadyRequest) => {
      order.push(JSON.parse(Buffer.from(bytes).toString()), given);
      return null;
    },
  });
  const confirmApprover = () => order.push('confirmed') > 0;
  expect((await publications.dispatch(scope, ONE, through(by, { confirmApprover }))).state).toBe(
    'accepted',
  );
  expect(order).toEqual([OUTPUT, intent, 'confirmed']);
});

test('does not ask where nothing is approved', async () => {
  const { publications } = await world();
  await publications.intend(scope, 'goal', request());
  const by = publisher({ ready: async () => 'it is asked' });
  await expect(publications.dispatch(scope, ONE, through(by))).rejects.toMatchObject({
    code: 'kernel/publication-not-allowed',
  });
});

test('does not wait for good for a publisher that never says whether it can begin', async () => {
  const { kernel, publications } = await world({ graceMs: 20 });
  await approved(publications);
  const isAsked = gate();
  const by = publisher({
    ready: () => {
      isAsked.open();
      return new Promise(() => undefined);
    },
  });
  const sending = publications.dispatch(scope, ONE, through(by));
  const refused = expect(sending).rejects.toMatchObject({
    code: NOT_READY,
    message: expect.stringContaining('it did not say in time whether it can'),
  });
  await isAsked.opened;
  await kernel[Symbol.asyncDispose]();
  await refused;
  expect(by.sent).toEqual([]);
});

test('the git publisher cannot begin without its repository, its commits, or git, and says which', async () => {
  const { repository, commits, publisher: make, applied } = gitWorld();
  const empty = temporaryDirectory();
  const payload = { ...update(commits.first, commits.second) };
  const ask = (by: ReturnType<typeof make>, change: object = payload) =>
    by.ready?.(asked(Buffer.from(JSON.stringify(change))));
  expect(await ask(make())).toBeNull();
  expect(await ask(make({ repository: '/nope' }))).toMatch(
    /^\/nope cannot be read as the repository that has the commit \(fatal: cannot change to/,
  );
  expect(await ask(make({ repository: empty }))).toMatch(/not a git repository/);
  const absent = 'a'.repeat(40);
  for (const change of [
    { ...payload, new: absent },
    { ...payload, old: absent },
  ]) {
    expect(await ask(make(), change)).toBe(
      `the commit ${absent} is not in the repository ${repository}`,
    );
  }
  expect(await ask(make({ git: 'no-such-git' }))).toMatch(
    /^the program no-such-git could not be started \(.*ENOENT\)/,
  );
  // A payload that no machine could send is an answer of the sending.
  expect(await ask(make(), {})).toBeNull();
  await expect(
    make().ready?.({ ...asked(Buffer.from(JSON.stringify(payload))), signal: AbortSignal.abort() }),
  ).rejects.toThrow();
  expect(applied()).toBe(0);
});

test('the HTTP publisher cannot begin without headers that can be sent, and shows none of them', async () => {
  expect(await readyWith(() => ({ authorization: 'Bearer k' }))).toBeNull();
  expect(await readyWith(() => ({ authorization: 'Bearer secret\n0123' }))).toBe(
    'its headers are none that can be sent',
  );
  expect(await readyWith(() => Promise.reject(new Error('the keychain is locked')))).toBe(
    'its headers cannot be had (the keychain is locked)',
  );
});

test('the local publisher cannot begin where no folder can be', async () => {
  const root = temporaryDirectory();
  writeFileSync(join(root, 'file'), '');
  mkdirSync(join(root, 'folder'));
  expect(await readyAt(join(root, 'folder'))).toBeNull();
  expect(await readyAt(join(root, 'new', 'folder'))).toBeNull();
  expect(await readyAt(join(root, 'file', 'folder'))).toBe(`${join(root, 'file')} is no folder`);
});

function readyWith(headers: NonNullable<HttpPublisherOptions['headers']>) {
  return httpPublisher({
    url: 'https://example.org/x',
    now: () => systemClock.now(),
    fetch: () => Promise.reject(new Error('Nothing may be asked.')),
    headers,
  }).ready?.(asked());
}

function readyAt(directory: string) {
  return localPublisher({ directory, ids: randomIds, now: () => systemClock.now() }).ready?.(
    asked(),
  );
}

function asked(bytes: Uint8Array = Buffer.from('x')): ReadyRequest {
  // None of these looks at it.
  const intent = {} as ReadyRequest['intent'];
  return { bytes, intent, signal: new AbortController().signal };
}

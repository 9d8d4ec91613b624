import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '@millforge/contracts';
import { canonicalJson, digest } from '@millforge/contracts';
import {
  createPublications,
  type GitUpdate,
  type PublicationName,
  type Publications,
  type Publisher,
} from '@millforge/kernel/publication';
import { expect, onTestFinished, test } from 'vitest';
import { adapter, contract, open, scope, temporaryDirectory } from '../fixture.ts';
import { gitWorld, until, update } from './git-world.ts';
import { request, through } from './world.ts';

const NAME: PublicationName = { goalId: 'push', publicationId: 'publication-1' };

/** A goal that gave a change of a ref, approved for a publisher. */
async function approvedPush(payload: JsonValue, by: Publisher): Promise<Publications> {
  const kernel = await open(temporaryDirectory());
  const goal = contract('push');
  await kernel.admitGoal(scope, { ...goal, required_checks: [], unchecked: true });
  await kernel.runGoal(scope, 'push', { adapters: [adapter(async () => payload)] }).done;
  const publications = createPublications(kernel);
  const action = { publisher: by.name, target: by.target };
  const asked = request({ action, payloadSha256: digest(payload) });
  const { intent_sha256 } = await publications.intend(scope, 'push', asked);
  const approval = { intentSha256: intent_sha256, validForMs: 60_000, reason: 'I read it.' };
  await publications.approve(scope, NAME, approval);
  return publications;
}

const NOTHING = /^Nothing was sent: /;
const asJson = (change: GitUpdate): JsonValue => ({ ...change });

test('pushes one ref from the approved commit to the next, or makes it, in a real repository', async () => {
  const { commits, inBare, applied, publisher } = gitWorld();
  const by = publisher();
  const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
  expect(await publications.dispatch(scope, NAME, through(by))).toMatchObject({
    state: 'accepted',
    reason: 'acknowledged',
  });
  expect(inBare('rev-parse', 'refs/heads/main')).toBe(commits.second);
  expect(applied()).toBe(1);
  const maker = publisher({ ref: 'refs/heads/new' });
  const change = { ...update(null, commits.second), ref: 'refs/heads/new' };
  const others = await approvedPush(asJson(change), maker);
  expect((await others.dispatch(scope, NAME, through(maker))).state).toBe('accepted');
  expect(inBare('rev-parse', 'refs/heads/new')).toBe(commits.second);
});

test('stays unknown where the connection was cut before the push, until somebody attests', async () => {
  const { commits, inBare, applied, cut, publisher } = gitWorld();
  const by = publisher();
  const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
  cut('before');
  const sent = await publications.dispatch(scope, NAME, through(by));
  expect(sent).toMatchObject({ state: 'unknown', reason: 'publisher-failed' });
  cut('whole');
  const asked = await publications.reconcile(scope, NAME, { publisher: by });
  expect(asked).toMatchObject({ state: 'unknown' });
  await expect(publications.dispatch(scope, NAME, through(by))).rejects.toMatchObject({
    code: 'kernel/publication-not-allowed',
  });
  expect(inBare('rev-parse', 'refs/heads/main')).toBe(commits.first);
  expect(applied()).toBe(0);
});

test('finds the push where the connection was cut after it', async () => {
  const { commits, applied, cut, publisher } = gitWorld();
  const by = publisher();
  const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
  cut('after');
  expect((await publications.dispatch(scope, NAME, through(by))).state).toBe('unknown');
  cut('down');
  expect((await publications.reconcile(scope, NAME, { publisher: by })).state).toBe('unknown');
  cut('whole');
  expect(await publications.reconcile(scope, NAME, { publisher: by })).toMatchObject({
    state: 'accepted',
    reason: 'found',
    evidence: { now: commits.second },
  });
  expect(applied()).toBe(1);
});

test('finds a push that arrived after nobody waited for it any more', async () => {
  const { commits, applied, cut, arrived, release, publisher } = gitWorld();
  const giving = new AbortController();
  const real = publisher();
  const by: Publisher = {
    ...real,
    publish: ({ signal, ...asked }) =>
      real.publish({ ...asked, signal: AbortSignal.any([signal, giving.signal]) }),
  };
  const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
  cut('late');
  const sending = publications.dispatch(scope, NAME, through(by));
  await arrived();
  giving.abort();
  expect((await sending).state).toBe('unknown');
  expect((await publications.reconcile(scope, NAME, { publisher: by })).state).toBe('unknown');
  expect(applied()).toBe(0);
  release();
  await until(() => applied() > 0);
  expect(await publications.reconcile(scope, NAME, { publisher: by })).toMatchObject({
    state: 'accepted',
    reason: 'found',
  });
  expect(applied()).toBe(1);
});

test('finds the push when the ref went on from it, and rules it out when the ref went elsewhere', {
  tags: ['slow'],
}, async () => {
  for (const [went, state] of [
    ['third', 'accepted'],
    ['other', 'rejected'],
  ] as const) {
    const { repository, commits, inBare, cut, publisher } = gitWorld();
    const by = publisher();
    const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
    cut('before');
    await publications.dispatch(scope, NAME, through(by));
    cut('whole');
    inBare('fetch', '-q', repository, `+${commits[went]}:refs/heads/main`);
    const found = await publications.reconcile(scope, NAME, { publisher: by });
    expect(found).toMatchObject({ state, evidence: { now: commits[went] } });
  }
});

test('is refused for good where the ref has moved before the push', async () => {
  const { repository, commits, inBare, publisher } = gitWorld();
  const by = publisher();
  const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
  inBare('fetch', '-q', repository, `+${commits.other}:refs/heads/main`);
  expect(await publications.dispatch(scope, NAME, through(by))).toMatchObject({
    state: 'rejected',
    reason: 'refused',
  });
  expect(inBare('rev-parse', 'refs/heads/main')).toBe(commits.other);
});

test('is refused for good where a hook of the remote says no', async () => {
  const { bare, commits, inBare, publisher } = gitWorld();
  writeFileSync(join(bare, 'hooks', 'update'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const by = publisher();
  const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
  expect(await publications.dispatch(scope, NAME, through(by))).toMatchObject({
    state: 'rejected',
    message: expect.stringMatching(/hook declined/),
  });
  expect(inBare('rev-parse', 'refs/heads/main')).toBe(commits.first);
});

const unsent: readonly (readonly [string, (commits: Commits) => JsonValue])[] = [
  ['is no JSON object', () => 'text'],
  ['is about another ref', (c) => ({ ...update(c.first, c.second), ref: 'refs/heads/other' })],
  ['has an option for a ref', (c) => ({ ...update(c.first, c.second), ref: '--all' })],
  ['has a field that nobody knows', (c) => ({ ...update(c.first, c.second), force: true })],
  ['names a commit in short', (c) => asJson(update(c.first, c.second.slice(0, 12)))],
  ['loses a commit', (c) => asJson(update(c.second, c.other))],
];

type Commits = ReturnType<typeof gitWorld>['commits'];

test('pushes nothing when the payload is no change of this ref from one whole commit to its descendant', async () => {
  const { commits, applied, publisher } = gitWorld();
  const by = publisher();
  for (const [what, payload] of unsent) {
    const publications = await approvedPush(payload(commits), by);
    const { state, message } = await publications.dispatch(scope, NAME, through(by));
    expect([what, state, message]).toEqual([what, 'rejected', expect.stringMatching(NOTHING)]);
  }
  expect(applied()).toBe(0);
});

test('says of a payload alone what it takes instead, before anybody approves it', () => {
  const { commits, publisher } = gitWorld();
  const by = publisher();
  const check = (payload: JsonValue) =>
    by.checkPayload?.({
      bytes: Buffer.from(canonicalJson(payload)),
      mediaType: 'application/json',
    });
  const refused = unsent.filter(([, payload]) => check(payload(commits)) !== null);
  // Whether a commit is there, and what it contains, only the repository can tell.
  expect(refused).toEqual(unsent.slice(0, 5));
  const said = check({}) ?? '';
  expect(said).toContain('the payload is no git_update 1.0; it takes {"kind":"git_update",');
  const [form = ''] = /\{.*\}/.exec(said) ?? [];
  const filled = form.replace('"old":…', '"old":null').replace('…', `"${commits.first}"`);
  expect(check(JSON.parse(filled))).toBeNull();
});

test('runs no hook and reads no configuration of the repository that the agent worked in', async () => {
  const { repository, commits, inBare, publisher } = gitWorld();
  const trace = join(temporaryDirectory(), 'trace');
  writeFileSync(join(repository, '.git/hooks/pre-push'), `#!/bin/sh\ntouch '${trace}'\n`, {
    mode: 0o755,
  });
  writeFileSync(
    join(repository, '.git/config'),
    `[core]\n\trepositoryformatversion = 0\n\tsshCommand = touch '${trace}'\n\tfsmonitor = touch '${trace}'\n[url "/nowhere/"]\n\tinsteadOf = ssh://\n\tpushInsteadOf = ssh://\n`,
  );
  const by = publisher();
  const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
  expect((await publications.dispatch(scope, NAME, through(by))).state).toBe('accepted');
  expect(inBare('rev-parse', 'refs/heads/main')).toBe(commits.second);
  expect(existsSync(trace)).toBe(false);
});

test('looks at the remote without the configuration of the folder that it is run in', async () => {
  const { repository, commits, bare, cut, inBare, publisher } = gitWorld();
  const elsewhere = gitWorld();
  const by = publisher();
  const publications = await approvedPush(asJson(update(commits.first, commits.second)), by);
  cut('before');
  expect((await publications.dispatch(scope, NAME, through(by))).state).toBe('unknown');
  cut('whole');
  // Where an agent would have it believed that the push has arrived.
  elsewhere.inBare('fetch', '-q', bare, 'refs/heads/main');
  elsewhere.inBare('fetch', '-q', repository, 'main');
  elsewhere.inBare('update-ref', 'refs/heads/main', commits.second);
  writeFileSync(
    join(repository, '.git/config'),
    `[core]\n\trepositoryformatversion = 0\n[url "${elsewhere.bare}"]\n\tinsteadOf = ssh://remote${bare}\n`,
  );
  const before = process.cwd();
  process.chdir(repository);
  onTestFinished(() => process.chdir(before));
  expect((await publications.reconcile(scope, NAME, { publisher: by })).state).toBe('unknown');
  expect(inBare('rev-parse', 'refs/heads/main')).toBe(commits.first);
});

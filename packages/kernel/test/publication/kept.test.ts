import { join } from 'node:path';
import { MillforgeError } from '@millforge/contracts';
import { ALL_PERMISSIONS, type Permission, type Scope } from '@millforge/kernel';
import { createPublications, type Publications } from '@millforge/kernel/publication';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { gate, open, scope, temporaryDirectory } from '../fixture.ts';
import { approved, ONE, publisher, request, through, type World, world } from './world.ts';

const LOST = publisher({ publish: () => Promise.reject(new Error('Connection lost.')) });

const elsewhere = (target: string) =>
  request({ action: { publisher: 'test', target, parameters: { of: target } } });

/** A goal with a publication of every kind of end. */
async function several(): Promise<World> {
  const made = await world();
  const { publications } = made;
  await approved(publications);
  await publications.dispatch(scope, ONE, through(publisher()));
  await publications.intend(scope, 'goal', elsewhere('intended'));
  await approved(publications, { asked: elsewhere('approved') });
  await publications.intend(scope, 'goal', elsewhere('revoked'));
  const revoked = { goalId: 'goal', publicationId: 'publication-4' };
  await publications.revoke(scope, revoked, { reason: 'No.' });
  await approved(publications, { asked: elsewhere('unknown') });
  const unknown = { goalId: 'goal', publicationId: 'publication-5' };
  await publications.dispatch(scope, unknown, through({ ...LOST, target: 'unknown' }));
  return made;
}

test('finds every value of every publication that was changed, and a row that was dropped or added', async () => {
  const { directory, kernel } = await several();
  const connection = new Database(join(directory, 'trail.db'));
  connection.pragma('foreign_keys = OFF');
  connection.pragma('ignore_check_constraints = ON');
  const rows = connection
    .prepare<[], Record<string, string | number | null>>(
      'SELECT rowid AS number, * FROM publications',
    )
    .all();
  expect(rows.map(({ state }) => state)).toEqual([
    'accepted',
    'intended',
    'approved',
    'revoked',
    'unknown',
  ]);
  const missed: string[] = [];
  for (const { number, ...row } of rows) {
    for (const [column, value] of Object.entries(row)) {
      const set = connection.prepare(`UPDATE publications SET ${column} = ? WHERE rowid = ?`);
      set.run(typeof value === 'number' ? value + 1 : `${value ?? ''}x`, number);
      if ((await kernel.verifyTrail(scope)).ok) missed.push(`${column} of row ${number}`);
      set.run(value, number);
    }
  }
  expect(missed).toEqual([]);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
  connection.exec(
    `CREATE TEMP TABLE kept AS SELECT * FROM publications WHERE rowid = 2;
     DELETE FROM publications WHERE rowid = 2`,
  );
  expect(await kernel.verifyTrail(scope)).toMatchObject({
    ok: false,
    what: 'publications lacks a row that the trail tells: publication-2',
  });
  connection.exec(
    `INSERT INTO publications SELECT * FROM kept; UPDATE kept SET publication_id = 'publication-9', round = 2;
     INSERT INTO publications SELECT * FROM kept`,
  );
  connection.close();
  expect(await kernel.verifyTrail(scope)).toMatchObject({
    ok: false,
    what: 'publications has a row that no record tells: publication-9',
  });
});

test('goes with its goal into another trail, where it is read and never sent', async () => {
  const { kernel, publications } = await several();
  const there = await open(temporaryDirectory());
  await there.importTrail(scope, kernel.exportTrail(scope, 'goal'));
  const imported = createPublications(there);
  expect(await imported.list(scope, 'goal')).toEqual(await publications.list(scope, 'goal'));
  expect(await there.verifyTrail(scope)).toMatchObject({ ok: true });
  const three = { goalId: 'goal', publicationId: 'publication-3' };
  const five = { goalId: 'goal', publicationId: 'publication-5' };
  const attempts = [
    imported.intend(scope, 'goal', request({ revision: 'r9' })),
    imported.dispatch(scope, three, through(publisher({ target: 'approved' }))),
    imported.revoke(scope, three, { reason: 'No.' }),
    imported.reconcile(scope, five, { publisher: publisher({ target: 'unknown' }) }),
    imported.attest(scope, five, { version: 4, outcome: 'accepted', reason: 'I looked.' }),
  ];
  for (const attempt of await Promise.allSettled(attempts)) {
    expect(attempt).toMatchObject({ reason: { code: 'kernel/imported' } });
  }
});

test('loses its approvals in an adopted backup, and what was on its way is unknown there for good', async () => {
  const { directory, kernel, publications } = await several();
  const target = join(directory, '../copy');
  const reached = gate();
  const answer = gate();
  await approved(publications, {
    asked: request({ action: { publisher: 'test', target: 'sending' } }),
  });
  const six = { goalId: 'goal', publicationId: 'publication-6' };
  const by = publisher({
    target: 'sending',
    settleMs: 0,
    inspect: async () => ({ kind: 'absent', isFinal: true }),
    publish: async ({ operationId }) => {
      reached.open();
      await answer.opened;
      return { kind: 'acknowledged', operationId };
    },
  });
  const sending = publications.dispatch(scope, six, through(by));
  await reached.opened;
  await kernel.backup(target);
  answer.open();
  expect((await sending).state).toBe('accepted');

  const copy = await open(target, { adopt: true });
  const restored = createPublications(copy);
  expect((await restored.list(scope, 'goal')).map(({ state, reason }) => [state, reason])).toEqual([
    ['accepted', 'acknowledged'],
    ['intended', null],
    ['revoked', 'restored'],
    ['revoked', 'revoked'],
    ['unknown', 'restored'],
    ['unknown', 'restored'],
  ]);
  expect(await copy.verifyTrail(scope)).toMatchObject({ ok: true });
  // The sender lives, and this trail cannot see it: an absence says nothing here.
  expect(await restored.reconcile(scope, six, { publisher: by })).toMatchObject({
    state: 'unknown',
    is_restored: true,
  });
  const { version } = await restored.read(scope, six);
  expect(
    await restored.attest(scope, six, { version, outcome: 'accepted', reason: 'I looked.' }),
  ).toMatchObject({ state: 'accepted', reason: 'attested' });
  const found = publisher({
    target: 'unknown',
    inspect: async ({ operationId }) => ({ kind: 'found', operationId }),
  });
  const five = { goalId: 'goal', publicationId: 'publication-5' };
  expect(await restored.reconcile(scope, five, { publisher: found })).toMatchObject({
    state: 'accepted',
    reason: 'found',
  });
  await copy[Symbol.asyncDispose]();
  const again = createPublications(await open(target));
  expect((await again.read(scope, ONE)).state).toBe('accepted');
});

test('has the same operation in a copy of the trail, so that the receiver knows it again', async () => {
  const { directory, kernel, publications } = await world();
  const { intent_sha256 } = await publications.intend(scope, 'goal', request());
  const target = join(directory, '../copy');
  await kernel.backup(target);
  const copy = createPublications(await open(target, { adopt: true }));
  const by = publisher();
  for (const one of [publications, copy]) {
    const approval = { intentSha256: intent_sha256, validForMs: 60_000, reason: 'Yes.' };
    await one.approve(scope, ONE, approval);
    await one.dispatch(scope, ONE, through(by));
  }
  expect(by.sent[0]).toBe(by.sent[1]);
});

type Call = (publications: Publications, as: Scope) => Promise<unknown>;

const CALLS: readonly (readonly [string, Permission, Call])[] = [
  ['intend', 'goal.admit', (all, as) => all.intend(as, 'goal', request())],
  [
    'approve',
    'publication.approve',
    (all, as) =>
      all.approve(as, ONE, { intentSha256: 'a'.repeat(64), validForMs: 1000, reason: 'Yes.' }),
  ],
  ['revoke', 'publication.approve', (all, as) => all.revoke(as, ONE, { reason: 'No.' })],
  ['dispatch', 'publication.dispatch', (all, as) => all.dispatch(as, ONE, through(publisher()))],
  [
    'reconcile',
    'publication.dispatch',
    (all, as) => all.reconcile(as, ONE, { publisher: publisher() }),
  ],
  [
    'attest',
    'goal.decide',
    (all, as) => all.attest(as, ONE, { version: 1, outcome: 'accepted', reason: 'Seen.' }),
  ],
  ['read', 'goal.read', (all, as) => all.read(as, ONE)],
  ['list', 'goal.read', (all, as) => all.list(as, 'goal')],
];

test.each(CALLS)(
  '%s needs the permission %s, and shows nothing to another tenant',
  async (_name, permission, call) => {
    const { publications } = await world();
    await publications.intend(scope, 'goal', request());
    const without = ALL_PERMISSIONS.filter((one) => one !== permission);
    await expect(call(publications, { ...scope, permissions: without })).rejects.toMatchObject({
      code: 'kernel/not-permitted',
    });
    const error: unknown = await call(publications, { ...scope, tenant: 'other' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(MillforgeError.is(error, 'kernel/not-found')).toBe(true);
    expect(await publications.list(scope, 'goal')).toMatchObject([
      { state: 'intended', version: 1 },
    ]);
  },
);

test('counts what was sent and has no known end where goals are listed and where a store is examined', async () => {
  const { kernel, publications } = await several();
  expect(await kernel.readGoal(scope, 'goal')).toMatchObject({ effects_unknown: 1 });
  expect(await kernel.examine()).toMatchObject({ publications_unknown: 1 });
  const five = { goalId: 'goal', publicationId: 'publication-5' };
  const { version } = await publications.read(scope, five);
  await publications.attest(scope, five, { version, outcome: 'rejected', reason: 'Not there.' });
  expect(await kernel.listGoals(scope)).toMatchObject([{ effects_unknown: 0 }]);
  expect(await kernel.examine()).toMatchObject({ publications_unknown: 0 });
});

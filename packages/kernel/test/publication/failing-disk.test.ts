import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createPublications } from '@millforge/kernel/publication';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { volatileFolder } from '../crash/moments.ts';
import { open, scope } from '../fixture.ts';
import { faultyDriver } from '../proof/faulty-driver.ts';
import { randomOf } from '../proof/virtual-time.ts';
import { BETWEEN, CASES, goOn, makeCompleted, publishThrough } from './faulty-publication.ts';
import { approved, publisher, request, through, world } from './world.ts';

let root = '';
let completed = '';

beforeAll(async () => {
  root = volatileFolder('millforge-publication-disk-');
  completed = join(root, 'completed');
  await makeCompleted(completed);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('is applied at most once when the disk fills up, fails and comes back, at any statement', {
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const broken: unknown[] = [];
  const struck = new Map<string, number>();
  const count = Number(process.env['MILLFORGE_PUBLICATION_DISKS'] ?? 60);
  for (let seed = 1; seed <= count; seed += 1) {
    const one = CASES[seed % CASES.length];
    const directory = join(root, `seed-${seed}`);
    cpSync(completed, directory, { recursive: true });
    const random = randomOf(seed);
    const disk = faultyDriver(
      { isStopped: false, isDead: false, wallOffsetMs: 0 },
      {
        random,
        rates: { busy: 0.05, full: 0.06, io: 0.12 },
        onFault: (kind) => struck.set(kind, (struck.get(kind) ?? 0) + 1),
      },
    );
    if (one === undefined) break;
    const { driver } = disk;
    await publishThrough(directory, one, { reach: () => undefined, driver }).catch(() => undefined);
    disk.die();
    const between = BETWEEN[seed % BETWEEN.length] ?? 'nothing';
    const ended = await goOn(directory, one, {
      between,
      arrives: seed % 2 === 0 ? 'early' : 'late',
    });
    if (ended.faults.length > 0) broken.push({ seed, one, between, faults: ended.faults });
    rmSync(directory, { recursive: true, force: true });
  }
  expect(broken).toEqual([]);
  for (const kind of ['busy', 'full', 'io']) expect(struck.get(kind)).toBeGreaterThan(2);
});

test('is either revoked or sent where both are asked for at the same moment in two processes', async () => {
  const atSend: (() => void)[] = [];
  const { directory, publications } = await world({
    failpoint: (name) => {
      if (name === 'before:send-publication') atSend.pop()?.();
    },
  });
  const other = createPublications(await open(directory));
  const ends: string[] = [];
  for (let turn = 1; turn <= 30; turn += 1) {
    const by = publisher();
    const asked = request({ revision: `r${turn}` });
    const { publication_id } = await approved(publications, { asked });
    const name = { goalId: 'goal', publicationId: publication_id };
    const revoked = new Promise<void>((done) => {
      atSend.push(() => {
        void other.revoke(scope, name, { reason: 'No.' }).then(
          () => done(),
          () => done(),
        );
      });
    });
    if (turn % 3 === 0) atSend.pop()?.();
    await publications.dispatch(scope, name, through(by)).catch(() => undefined);
    await revoked;
    const { state } = await publications.read(scope, name);
    expect([state, by.sent.length]).toEqual(state === 'revoked' ? ['revoked', 0] : ['accepted', 1]);
    ends.push(state);
  }
  expect(new Set(ends)).toEqual(new Set(['revoked', 'accepted']));
});

import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@millforge/contracts';
import { openKernel } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  gate,
  modelTurn,
  open,
  outcome,
  randomIds,
  scope,
  systemClock,
  temporaryDirectory,
} from './fixture.ts';

const text = { mediaType: 'text/plain', maxBytes: 100 };

const saving = adapter(async (context) => {
  await context.perform(modelTurn(1), acting('a').run);
  await context.saveArtifact(Buffer.from('patch'), text);
  return outcome();
});

async function read(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('copies a trail and its artifacts while others write, and opens it only for whoever adopts it', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(join(directory, 'data'));
  const plan = await kernel.artifacts(scope).put(Buffer.from('the plan'), text);
  await kernel.admitGoal(scope, contract('goal-1', { inputs: { plan: plan.sha256 } }));
  await kernel.runGoal(scope, 'goal-1', { adapters: [saving] }).done;
  await kernel.artifacts(scope).put(Buffer.from('nobody names this'), text);
  const target = join(directory, 'copy');
  const writing = kernel.admitGoal(scope, contract('goal-2'));
  const facts = await kernel.backup(target);
  await writing;
  expect(facts).toMatchObject({ directory: target, artifacts: 2 });
  expect(readdirSync(directory).toSorted()).toEqual(['copy', 'data']);

  const path = join(target, 'trail.db');
  await expect(openKernel({ path, clock: systemClock, ids: randomIds })).rejects.toMatchObject({
    code: 'kernel/is-backup',
  });
  const copy = await open(target, { adopt: true });
  expect(await copy.verifyTrail(scope)).toMatchObject({ ok: true });
  expect(await copy.readGoal(scope, 'goal-1')).toMatchObject({ state: 'completed' });
  expect(await read(copy.artifacts(scope).open(plan.sha256))).toBe('the plan');
  expect(await read(copy.artifacts(scope).open(sha256('patch')))).toBe('patch');
  await copy[Symbol.asyncDispose]();
  // It is a trail of its own from then on.
  await open(target);
});

test('makes one of two copies that are begun at once to one place, and says of the other what is there', async () => {
  const directory = temporaryDirectory();
  const [one, other] = [await open(join(directory, 'data')), await open(join(directory, 'data'))];
  await one.admitGoal(scope, contract('goal-1'));
  const target = join(directory, 'copy');
  const ended = await Promise.allSettled([one.backup(target), other.backup(target)]);
  const refused = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(refused).toEqual([
    expect.objectContaining({
      code: 'kernel/path-invalid',
      message: `${target} cannot be written (ENOTEMPTY); something got its name meanwhile, name another one.`,
    }),
  ]);
  expect(readdirSync(directory).toSorted()).toEqual(['copy', 'data']);
  const copy = await open(target, { readOnly: true });
  expect(await copy.verifyTrail(scope)).toMatchObject({ ok: true, goals: 1 });
});

test('holds what could go on when a backup is adopted, once, and goes on after a person said so', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(join(directory, 'data'));
  await kernel.admitGoal(scope, contract('goal-1'));
  await kernel.admitGoal(scope, contract('harmless', { task: { effect: 'read' } }));
  const entered = gate();
  const finish = gate();
  const run = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(modelTurn(1), acting('a').run);
        entered.open();
        await finish.opened;
        return outcome();
      }),
    ],
  });
  await entered.opened;
  const target = join(directory, 'copy');
  await kernel.backup(target);
  finish.open();
  await run.done;

  const copy = await open(target, { adopt: true });
  const held = await copy.readGoal(scope, 'goal-1');
  expect(held).toMatchObject({
    state: 'held',
    owner: null,
    tasks: [{ state: 'held', attempt: { state: 'suspended' } }],
    holds: [{ reason: 'restored', decisions: ['retry', 'cancel'] }],
  });
  expect(await copy.readGoal(scope, 'harmless')).toMatchObject({ state: 'ready', holds: [] });
  expect(await copy.verifyTrail(scope)).toMatchObject({ ok: true });
  await copy.decide(scope, 'goal-1', {
    holdId: 'hold-1',
    version: 1,
    decision: 'retry',
    reason: 'Nothing was done since.',
  });
  const act = acting('never');
  const done = await copy.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(modelTurn(1), act.run);
        return outcome();
      }),
    ],
  }).done;
  expect(done.state).toBe('completed');
  expect(act.count).toBe(0);
});

test('goes on with an adoption that was interrupted', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(join(directory, 'data'));
  for (const goal of ['a', 'b', 'c']) await kernel.admitGoal(scope, contract(goal));
  const target = join(directory, 'copy');
  await kernel.backup(target);
  let writes = 0;
  const interrupted = open(target, {
    adopt: true,
    failpoint: (name) => {
      if (name !== 'before:adopt-backup') return;
      writes += 1;
      if (writes === 3) throw new Error('Interrupted.');
    },
  });
  await expect(interrupted).rejects.toThrow('Interrupted.');
  const copy = await open(target, { adopt: true });
  for (const goal of ['a', 'b', 'c']) {
    expect((await copy.readGoal(scope, goal)).holds).toHaveLength(1);
  }
});

test('leaves nothing behind when a backup fails, and overwrites nothing', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(join(directory, 'data'));
  await expect(kernel.backup(directory)).rejects.toMatchObject({ code: 'kernel/path-invalid' });
  await kernel.admitGoal(scope, contract('goal-1'));
  await kernel.runGoal(scope, 'goal-1', { adapters: [saving] }).done;
  const digest = sha256('patch');
  const folder = join(directory, 'data', 'artifacts', sha256('local').slice(0, 32));
  const file = join(folder, digest.slice(0, 2), digest.slice(2));
  writeFileSync(file, 'other');
  await expect(kernel.backup(join(directory, 'copy'))).rejects.toMatchObject({
    code: 'artifact/corrupt',
  });
  expect(readdirSync(directory)).toEqual(['data']);
});

test('removes artifacts that nothing refers to, once they are old enough', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  const store = kernel.artifacts(scope);
  const plan = await store.put(Buffer.from('the plan'), text);
  await kernel.admitGoal(scope, contract('goal-1', { inputs: { plan: plan.sha256 } }));
  await kernel.runGoal(scope, 'goal-1', { adapters: [saving] }).done;
  const lost = await store.put(Buffer.from('nobody names this'), text);
  expect(await kernel.collectArtifacts()).toMatchObject({ files: 0, kept: 3 });
  expect(await kernel.collectArtifacts({ graceMs: -1000 })).toEqual({
    files: 1,
    bytes: 17,
    kept: 2,
  });
  await expect(read(store.open(lost.sha256))).rejects.toMatchObject({ code: 'artifact/not-found' });
  expect(await read(store.open(plan.sha256))).toBe('the plan');
  expect(existsSync(join(directory, 'artifacts', 'trash'))).toBe(false);
});

test('leaves bytes alone that an attempt is about to name', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory, {
    failpoint: (name) => {
      if (name === 'before:save-artifact')
        collections.push(kernel.collectArtifacts({ graceMs: -1000 }));
    },
  });
  const collections: Promise<{ readonly files: number }>[] = [];
  await kernel.admitGoal(scope, contract('goal-1'));
  await kernel.runGoal(scope, 'goal-1', { adapters: [saving] }).done;
  expect(await Promise.all(collections)).toMatchObject([{ files: 0 }]);
  expect(await read(kernel.artifacts(scope).open(sha256('patch')))).toBe('patch');
  const database = new Database(join(directory, 'trail.db'), { readonly: true });
  expect(database.prepare('SELECT count(*) FROM pins').pluck().get()).toBe(0);
  database.close();
});

test('removes what saves that were killed left behind', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  const incoming = join(directory, 'artifacts', sha256('local').slice(0, 32), 'incoming');
  await kernel.artifacts(scope).put(Buffer.from('x'), text);
  const left = join(incoming, 'artifact_left');
  writeFileSync(left, 'half');
  utimesSync(left, 0, 0);
  expect(statSync(left).size).toBe(4);
  expect(await kernel.collectArtifacts()).toMatchObject({ files: 1, bytes: 4 });
});

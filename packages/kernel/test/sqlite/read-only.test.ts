import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@millforge/contracts';
import { type Kernel, openKernel } from '@millforge/kernel';
import { expect, onTestFinished, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  randomIds,
  scope,
  systemClock,
  temporaryDirectory,
} from '../fixture.ts';

const canMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0;
const text = { mediaType: 'text/plain', maxBytes: 100 };

/** A second name of a directory, under which nothing can be written; null where nothing may be mounted. */
function readOnlyView(directory: string): string | null {
  const view = join(temporaryDirectory(), 'view');
  mkdirSync(view);
  if (spawnSync('mount', ['--bind', directory, view]).status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', view]));
  expect(spawnSync('mount', ['-o', 'remount,bind,ro', view]).status).toBe(0);
  return view;
}

/** Lets nobody write to a file, and gives the way back; null where that cannot be done. */
function sealed(file: string): (() => void) | null {
  const isRoot = process.getuid?.() === 0;
  const seal = (how: string) => spawnSync('chattr', [how, file]).status === 0;
  if (!isRoot) chmodSync(file, 0o444);
  else if (!seal('+i')) return null;
  const unseal = (): void => (isRoot ? void seal('-i') : chmodSync(file, 0o600));
  onTestFinished(unseal);
  return unseal;
}

/** A trail of one completed goal with an artifact. */
async function trailOfOne(directory: string): Promise<Kernel> {
  const kernel = await openKernel({
    path: join(directory, 'trail.db'),
    clock: systemClock,
    ids: randomIds,
  });
  await kernel.admitGoal(scope, contract('goal-1'));
  const saving = adapter(async (context) => {
    await context.perform(modelTurn(1), acting('a').run);
    await context.saveArtifact(Buffer.from('patch'), text);
    return outcome();
  });
  await kernel.runGoal(scope, 'goal-1', { adapters: [saving] }).done;
  return kernel;
}

async function joined(parts: AsyncIterable<string | Uint8Array>): Promise<string> {
  let whole = '';
  for await (const part of parts) whole += Buffer.from(part).toString();
  return whole;
}

/** All that a person can look at. */
async function seen(kernel: Kernel) {
  const { trails, records, problems } = await kernel.examine();
  return {
    listed: (await kernel.listGoals(scope)).map(({ goal_id, state }) => [goal_id, state]),
    goal: await kernel.readGoal(scope, 'goal-1'),
    exported: await joined(kernel.exportTrail(scope, 'goal-1')),
    artifact: await joined(kernel.artifacts(scope).open(sha256('patch'))),
    verified: await kernel.verifyTrail(scope),
    examined: { trails, records, problems },
  };
}

test.runIf(canMount)(
  'shows all of a trail on a read-only medium, and changes nothing',
  async () => {
    const directory = join(temporaryDirectory(), 'data');
    const kernel = await trailOfOne(directory);
    const known = await seen(kernel);
    await kernel[Symbol.asyncDispose]();
    const view = readOnlyView(directory);
    if (view === null) return;
    const before = [readdirSync(directory), readFileSync(join(directory, 'trail.db'))];
    const look = await open(view, { readOnly: true });
    expect(await seen(look)).toEqual(known);
    expect(known.verified).toMatchObject({ ok: true, goals: 1 });
    const target = join(temporaryDirectory(), 'copy');
    expect(await look.backup(target)).toMatchObject({ goals: 1, artifacts: 1 });
    await look[Symbol.asyncDispose]();
    expect([readdirSync(directory), readFileSync(join(directory, 'trail.db'))]).toEqual(before);
  },
);

test.runIf(canMount)(
  'shows of a read-only medium what only the log holds that a killed process left',
  async () => {
    const living = join(temporaryDirectory(), 'data');
    const kernel = await trailOfOne(living);
    const known = await seen(kernel);
    for (const suffixes of [
      ['', '-wal', '-shm'],
      ['', '-wal'],
    ]) {
      const left = temporaryDirectory();
      for (const name of suffixes) {
        copyFileSync(join(living, `trail.db${name}`), join(left, `trail.db${name}`));
      }
      const view = readOnlyView(left);
      if (view === null) return;
      const look = await open(view, { readOnly: true });
      expect(await look.verifyTrail(scope)).toEqual(known.verified);
      expect(await look.readGoal(scope, 'goal-1')).toEqual(known.goal);
      await look[Symbol.asyncDispose]();
      expect(readdirSync(left)).toHaveLength(suffixes.length);
    }
    await kernel[Symbol.asyncDispose]();
  },
);

test.runIf(canMount)(
  'sees what a living process writes to a trail that is read-only here',
  async () => {
    const directory = join(temporaryDirectory(), 'data');
    const kernel = await trailOfOne(directory);
    const view = readOnlyView(directory);
    if (view === null) return;
    const look = await open(view, { readOnly: true });
    expect(await look.listGoals(scope)).toHaveLength(1);
    await kernel.admitGoal(scope, contract('goal-2'));
    expect(await look.listGoals(scope)).toHaveLength(2);
    expect(await look.verifyTrail(scope)).toMatchObject({ ok: true, goals: 2 });
    await look[Symbol.asyncDispose]();
    await kernel[Symbol.asyncDispose]();
  },
);

test('refuses every call that writes to a trail that is opened to be looked at', async () => {
  const directory = join(temporaryDirectory(), 'data');
  const kernel = await trailOfOne(directory);
  await kernel.admitGoal(scope, contract('goal-2'));
  const exported = await joined(kernel.exportTrail(scope, 'goal-1'));
  await kernel[Symbol.asyncDispose]();
  const look = await open(directory, { readOnly: true });
  const calls: readonly (() => Promise<unknown>)[] = [
    () => look.admitGoal(scope, contract('goal-3')),
    () => look.runGoal(scope, 'goal-2', { adapters: [adapter(async () => outcome())] }).done,
    () => look.cancelGoal(scope, 'goal-2', { version: 1, reason: 'No.' }),
    () => look.artifacts(scope).put(Buffer.from('x'), text),
    () => look.importTrail(scope, exported.trimEnd().split('\n')),
    () => look.collectArtifacts(),
  ];
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({ code: 'kernel/read-only' });
  await look[Symbol.asyncDispose]();
  expect(readdirSync(join(directory, 'owners'))).toEqual([]);
  // What SQLite keeps beside a file for its readers goes with whoever writes next.
  const again = await open(directory);
  expect(await again.verifyTrail(scope)).toMatchObject({ ok: true, goals: 2 });
  await again[Symbol.asyncDispose]();
  expect(readdirSync(directory).toSorted()).toEqual(['artifacts', 'owners', 'trail.db']);
});

test('makes no trail where there is none to look at', async () => {
  const directory = join(temporaryDirectory(), 'none');
  await expect(open(directory, { readOnly: true })).rejects.toMatchObject({
    code: 'kernel/path-invalid',
  });
  expect(existsSync(directory)).toBe(false);
});

test('shows all of a backup, which stays one, with nothing beside it', async () => {
  const directory = join(temporaryDirectory(), 'data');
  const kernel = await trailOfOne(directory);
  const known = await seen(kernel);
  const copy = join(temporaryDirectory(), 'copy');
  await kernel.backup(copy);
  await kernel[Symbol.asyncDispose]();
  const before = readFileSync(join(copy, 'trail.db'));
  const look = await open(copy, { readOnly: true });
  expect(await seen(look)).toEqual(known);
  await look[Symbol.asyncDispose]();
  expect(readdirSync(copy).toSorted()).toEqual(['artifacts', 'trail.db']);
  expect(readFileSync(join(copy, 'trail.db'))).toEqual(before);
});

test('leaves nothing beside a file that cannot be written, so that it can be as soon as it may', async () => {
  const directory = join(temporaryDirectory(), 'data');
  const kernel = await trailOfOne(directory);
  const known = await seen(kernel);
  await kernel[Symbol.asyncDispose]();
  const file = join(directory, 'trail.db');
  const unseal = sealed(file);
  if (unseal === null) return;
  const before = readdirSync(directory);
  await expect(open(directory)).rejects.toMatchObject({
    code: 'kernel/read-only',
    message: `${file} cannot be written; make it writable, or name another data directory.`,
  });
  const look = await open(directory, { readOnly: true });
  expect(await seen(look)).toEqual(known);
  await look[Symbol.asyncDispose]();
  expect(readdirSync(directory)).toEqual(before);
  unseal();
  const again = await open(directory);
  await again.admitGoal(scope, contract('goal-2'));
});

test('names the file beside a trail that cannot be written', async () => {
  const directory = join(temporaryDirectory(), 'data');
  const kernel = await trailOfOne(directory);
  const left = join(temporaryDirectory(), 'left');
  cpSync(directory, left, { recursive: true });
  await kernel[Symbol.asyncDispose]();
  const index = join(left, 'trail.db-shm');
  if (sealed(index) === null) return;
  await expect(open(left)).rejects.toMatchObject({
    code: 'kernel/read-only',
    message: expect.stringContaining(index),
  });
});

test.runIf(canMount)(
  'shows of a read-only medium what was there before a change that was not finished',
  async () => {
    const directory = join(temporaryDirectory(), 'data');
    const kernel = await trailOfOne(directory);
    const known = await seen(kernel);
    await kernel[Symbol.asyncDispose]();
    const died = spawnSync(process.execPath, ['--input-type=commonjs', '-e', DIE_IN_CHANGE], {
      cwd: import.meta.dirname,
      env: { FILE: join(directory, 'trail.db') },
      encoding: 'utf8',
    });
    expect([died.signal, died.stderr]).toEqual(['SIGKILL', '']);
    expect(readdirSync(directory)).toContain('trail.db-journal');
    const view = readOnlyView(directory);
    if (view === null) return;
    const look = await open(view, { readOnly: true });
    expect(await seen(look)).toEqual(known);
  },
);

test('says where it would copy what cannot be read in its place', async () => {
  const directory = join(temporaryDirectory(), 'data');
  await (await trailOfOne(directory))[Symbol.asyncDispose]();
  if (sealed(join(directory, 'trail.db')) === null) return;
  const none = join(temporaryDirectory(), 'none');
  const usual = process.env['TMPDIR'];
  process.env['TMPDIR'] = none;
  onTestFinished(() => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  });
  await expect(open(directory, { readOnly: true })).rejects.toMatchObject({
    code: 'kernel/read-only',
    message: expect.stringContaining(`could not be copied to ${none} to be read there`),
  });
});

/** Changes records in a journal mode that is not ours, and dies when some pages of the file are written. */
const DIE_IN_CHANGE = `
const db = new (require('better-sqlite3'))(process.env.FILE);
db.pragma('journal_mode = DELETE');
db.pragma('cache_size = 1');
db.exec("BEGIN IMMEDIATE; UPDATE trail SET at = 'x' || at; CREATE TABLE more (bytes);");
db.exec('INSERT INTO more SELECT randomblob(3000) FROM trail, trail');
process.kill(process.pid, 'SIGKILL');
`;

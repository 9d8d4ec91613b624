import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Kernel, type OpenKernelOptions, openKernel } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openKernelOn } from '../src/open-kernel.ts';
import type { Driver } from '../src/sqlite/driver.ts';
import { MIGRATIONS } from '../src/sqlite/embedded-migrations.ts';
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
} from './fixture.ts';

test('keeps file and directory to their owner', async () => {
  const directory = join(temporaryDirectory(), 'data', 'millforge');
  const kernel = await open(directory);
  await kernel.admitGoal(scope, contract('goal-1'));
  const modes = ['', 'trail.db', 'trail.db-wal', 'owners'].map(
    (name) => statSync(join(directory, name)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o700]);
});

test('refuses a file that is no database, and leaves it as it was', async () => {
  const path = join(temporaryDirectory(), 'trail.db');
  const text = 'These are my notes. '.repeat(100);
  writeFileSync(path, text);
  await expect(openAt(path)).rejects.toMatchObject({ code: 'kernel/not-a-trail' });
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('refuses the database of another program, and leaves it as it was', async () => {
  const path = join(temporaryDirectory(), 'trail.db');
  const other = new Database(path);
  other.exec('CREATE TABLE notes (text TEXT)');
  other.close();
  const bytes = readFileSync(path);
  await expect(openAt(path)).rejects.toMatchObject({ code: 'kernel/not-a-trail' });
  expect(readFileSync(path)).toEqual(bytes);
});

test('refuses a newer schema, naming both numbers', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel[Symbol.asyncDispose]();
  const path = join(directory, 'trail.db');
  change(path, 'PRAGMA user_version = 9');
  await expect(openAt(path)).rejects.toMatchObject({
    code: 'kernel/newer-schema',
    message: expect.stringMatching(/schema 9.*schema \d+;/),
  });
});

test('refuses to write once a newer version has migrated the file', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  change(join(directory, 'trail.db'), 'PRAGMA user_version = 9');
  await expect(kernel.admitGoal(scope, contract('goal-1'))).rejects.toMatchObject({
    code: 'kernel/newer-schema',
  });
  change(join(directory, 'trail.db'), `PRAGMA user_version = ${MIGRATIONS.length}`);
});

test('reports a damaged letter of the schema as damage of the file', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel[Symbol.asyncDispose]();
  const path = join(directory, 'trail.db');
  const intact = readFileSync(path);
  // A name that still parses, a rule that is gone, a word that SQLite does not know.
  const letters = [
    ['head_seq INTEGER', 'heae_seq INTEGER'],
    ['CREATE UNIQUE INDEX operations_by_key', 'CREATE UNIQUE INDEX operations_by_kez'],
    ['units_settled <= units_limit', 'units_settled <? units_limit'],
    ['CREATE TABLE holds', 'CREATE TABLD holds'],
  ] as const;
  for (const [from, to] of letters) {
    const bytes = Buffer.from(intact);
    expect(bytes.includes(from)).toBe(true);
    // Pages keep what once stood in them, so the text may be there more than once.
    for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) {
      bytes.write(to, at, 'latin1');
    }
    writeFileSync(path, bytes);
    await expect(openAt(path)).rejects.toMatchObject({ code: 'kernel/corrupt' });
    expect(readFileSync(path)).toEqual(bytes);
  }
  writeFileSync(path, intact);
  await open(directory);
});

test('opens a file that was analysed', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel.admitGoal(scope, contract('goal-1'));
  await kernel[Symbol.asyncDispose]();
  change(join(directory, 'trail.db'), 'ANALYZE');
  const again = await open(directory);
  expect(await again.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('refuses a directory, and a path through a file', async () => {
  const directory = temporaryDirectory();
  await expect(openAt(directory)).rejects.toMatchObject({ code: 'kernel/path-invalid' });
  writeFileSync(join(directory, 'file'), '');
  for (const path of ['file/trail.db', 'file/deeper/trail.db']) {
    await expect(openAt(join(directory, path))).rejects.toMatchObject({
      code: 'kernel/path-invalid',
    });
  }
});

test('refuses what it may not read or write', async () => {
  const directory = join(temporaryDirectory(), 'closed');
  mkdirSync(directory);
  chmodSync(join(directory, '..'), 0o755);
  chmodSync(directory, 0o555);
  await asOrdinaryUser(async () => {
    for (const path of ['trail.db', 'deeper/trail.db']) {
      await expect(openAt(join(directory, path))).rejects.toMatchObject({
        code: 'kernel/no-permission',
      });
    }
  });
});

test('refuses to write into a file that may only be read', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel[Symbol.asyncDispose]();
  chmodSync(directory, 0o777);
  chmodSync(join(directory, 'owners'), 0o777);
  chmodSync(join(directory, 'trail.db'), 0o444);
  await asOrdinaryUser(async () => {
    await expect(openAt(join(directory, 'trail.db'))).rejects.toMatchObject({
      code: 'kernel/read-only',
    });
  });
});

test('waits for a lock that another connection holds, then says that it is busy', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory, { lockTimeoutMs: 100 });
  const other = new Database(join(directory, 'trail.db'));
  other.exec('BEGIN IMMEDIATE');
  await expect(kernel.admitGoal(scope, contract('goal-1'))).rejects.toMatchObject({
    code: 'kernel/busy',
  });
  expect(await kernel.listGoals(scope)).toEqual([]);
  const admitted = kernel.admitGoal(scope, contract('goal-1'));
  setImmediate(() => other.exec('ROLLBACK'));
  expect(await admitted).toMatchObject({ state: 'ready' });
  other.close();
});

test('ends a run whose store failed without failing its goal', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory, { lockTimeoutMs: 50 });
  await kernel.admitGoal(scope, contract('goal-1'));
  const other = new Database(join(directory, 'trail.db'));
  const act = acting('hi');
  const program = adapter(async (context) => {
    await context.perform(modelTurn(1), async () => {
      if (act.count === 0) other.exec('BEGIN IMMEDIATE');
      return act.run();
    });
    return outcome();
  });
  await expect(kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done).rejects.toMatchObject(
    { code: 'kernel/busy' },
  );
  other.exec('ROLLBACK');
  other.close();
  expect(await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done).toMatchObject({
    state: 'completed',
    tasks: [{ attempt: { number: 1 } }],
  });
  expect(act.count).toBe(2);
});

test('reports a damaged page and never crashes', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  for (const id of ['a', 'b', 'c']) {
    await kernel.admitGoal(scope, contract(id, { inputs: { text: id.repeat(20_000) } }));
  }
  await kernel[Symbol.asyncDispose]();
  const path = join(directory, 'trail.db');
  const file = openSync(path, 'r+');
  for (let page = 4; page * 4096 < statSync(path).size; page += 1) {
    writeSync(file, Buffer.alloc(64, 0xa5), 0, 64, page * 4096);
  }
  closeSync(file);
  await expect(openAt(path, { check: true })).rejects.toMatchObject({ code: 'kernel/corrupt' });
});

test.each([
  ['was not built', new Error('no bindings'), 'was not built; run `npm rebuild better-sqlite3`'],
  [
    'was left out by the package manager',
    absent("Cannot find package 'better-sqlite3' imported from /project/a.js"),
    'is not installed; run `npm install better-sqlite3`',
  ],
  [
    'lacks a package of its own',
    absent("Cannot find module 'bindings'"),
    "lacks its package 'bindings'; run `npm install better-sqlite3`",
  ],
])('says which command helps where the driver %s', async (_name, cause, told) => {
  const { loadDriver } = await import('../src/sqlite/driver.ts');
  await expect(loadDriver(() => Promise.reject(cause))).rejects.toMatchObject({
    code: 'kernel/driver-missing',
    message: expect.stringContaining(told),
  });
});

test.each([
  ['synchronous', 'NORMAL', 'at 1 where the trail needs 2;'],
  ['foreign_keys', 'OFF', 'at 0 where the trail needs 1;'],
  ['trusted_schema', 'ON', 'at 1 where the trail needs 0;'],
] as const)('refuses a driver that keeps %s at %s', async (name, value, told) => {
  const stubborn: Driver = (file, options) => {
    const connection = new Database(file, options);
    const pragma = connection.pragma.bind(connection);
    connection.pragma = (text, how) =>
      pragma(text.startsWith(`${name} =`) ? `${name} = ${value}` : text, how);
    return connection;
  };
  const path = join(temporaryDirectory(), 'trail.db');
  const opening = openKernelOn(stubborn, { path, clock: systemClock, ids: randomIds });
  await expect(opening).rejects.toMatchObject({
    code: 'kernel/setting-refused',
    message: expect.stringContaining(`keeps ${name} ${told}`),
  });
});

test('tells its sizes and that the file is intact', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  expect(await kernel.examine()).toMatchObject({
    intact: true,
    problems: [],
    schema_version: MIGRATIONS.length,
    goals: 1,
    records: 1,
  });
});

function absent(message: string): Error {
  return Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
}

function openAt(path: string, more: Partial<OpenKernelOptions> = {}): Promise<Kernel> {
  return openKernel({ path, clock: systemClock, ids: randomIds, ...more });
}

function change(path: string, sql: string): void {
  const connection = new Database(path);
  connection.exec(sql);
  connection.close();
}

/** Root may do everything, so that permissions show nothing. */
async function asOrdinaryUser(run: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { admitOne, openBenchKernel, operations, resume, scope } from './durable-run.mjs';
import { median } from './measure.mjs';

const Database = createRequire(new URL('../packages/kernel/package.json', import.meta.url))(
  'better-sqlite3',
);

/** What grows, or must not, as a trail grows; a million records only when asked for. */
export async function benchGrowth(folder) {
  const kernel = await openBenchKernel(folder);
  const path = join(folder, 'trail.db');
  try {
    for (let round = 0; round < 5; round += 1) await operations(kernel, 'write', 100);
    const sizes =
      process.env['MILLFORGE_BENCH_MILLION'] === undefined
        ? [1000, 20_000]
        : [1000, 100_000, 1_000_000];
    for (const size of sizes) {
      while (countRecords(path) < size) {
        await Promise.all(Array.from({ length: 64 }, () => operations(kernel, 'read', 100)));
      }
      const costs = [];
      for (let round = 0; round < 15; round += 1)
        costs.push(await operations(kernel, 'write', 100));
      line(`an operation at ${countRecords(path)} records`, `${median(costs).toFixed(1)} µs`);
    }
    await benchMemory(kernel);
    const resumed = [];
    for (let round = 0; round < 5; round += 1) resumed.push(await resume(kernel, 1000));
    line('resume of 1,000 operations to the first act', `${median(resumed).toFixed(1)} ms`);
    line('trail bytes of an operation', `${await trailBytes(kernel, path)} B`);
    await benchSecondWriter(kernel, folder);
    await benchOpening(folder);
  } finally {
    await kernel[Symbol.asyncDispose]();
  }
}

/** What past goals leave in memory: the heap after each thousand of them. */
async function benchMemory(kernel) {
  const heaps = [];
  for (let round = 0; round < 4; round += 1) {
    for (let group = 0; group < 20; group += 1) {
      await Promise.all(Array.from({ length: 50 }, () => operations(kernel, 'read', 2)));
    }
    heaps.push(heapBytes() / 1_048_576);
  }
  const shown = heaps.map((heap) => heap.toFixed(1)).join(', ');
  line('heap after each of 4 × 1,000 goals', `${shown} MiB`);
}

/** What another process waits for one write while 64 runs of a process write all the time; that one is then killed. */
async function benchSecondWriter(kernel, folder) {
  const loader = spawn(process.execPath, [join(import.meta.dirname, 'durable-load.mjs'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(loader.stdout, 'data');
    const waits = [];
    for (let round = 0; round < 40; round += 1) waits.push(await admitOne(kernel));
    line(
      'a write of a second process under load',
      `${median(waits).toFixed(1)} ms`,
      `${Math.max(...waits).toFixed(1)} ms at most`,
    );
  } finally {
    loader.kill('SIGKILL');
    await once(loader, 'exit');
  }
}

/** Opening after a kill, over opening the bare file: each side begins with the log that the kill left. */
async function benchOpening(folder) {
  const over = [];
  const opened = [];
  for (let round = 0; round < 5; round += 1) {
    const [bare, ours] = ['bare', 'ours'].map((name) => copyOf(folder, `${folder}-${name}`));
    const bareMs = await timedMs(() => {
      const database = new Database(join(bare, 'trail.db'));
      database.pragma('synchronous = FULL');
      database.prepare('SELECT count(*) FROM sqlite_schema').get();
      return { [Symbol.asyncDispose]: async () => database.close() };
    });
    const oursMs = await timedMs(() => openBenchKernel(ours));
    over.push(oursMs - bareMs);
    opened.push(oursMs);
    for (const copy of [bare, ours]) rmSync(copy, { recursive: true, force: true });
  }
  const records = countRecords(join(folder, 'trail.db'));
  line(
    `opening ${records} records after a kill`,
    `${median(opened).toFixed(1)} ms`,
    `${median(over).toFixed(1)} ms over opening the bare file`,
  );
}

async function timedMs(open) {
  const start = performance.now();
  const opened = await open();
  const took = performance.now() - start;
  await opened[Symbol.asyncDispose]();
  return took;
}

// The trail and its log only: who owns what dies with the process, and the index of the log with its copy.
function copyOf(folder, to) {
  mkdirSync(to, { mode: 0o700 });
  for (const name of ['trail.db', 'trail.db-wal']) cpSync(join(folder, name), join(to, name));
  return to;
}

function countRecords(path) {
  return ask(path, 'SELECT count(*) FROM trail');
}

function ask(path, sql, ...values) {
  const database = new Database(path, { readonly: true });
  const found = database
    .prepare(sql)
    .pluck()
    .get(...values);
  database.close();
  return found;
}

function heapBytes() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Bytes of the records of one run of a thousand operations, each. */
async function trailBytes(kernel, path) {
  await operations(kernel, 'write', 1000);
  const [newest] = await kernel.listGoals(scope, { limit: 1 });
  const bytes = ask(
    path,
    `SELECT sum(length(data) + length(type) + length(actor) + length(at) + 128) FROM trail JOIN goals USING (goal)
      WHERE goal_id = ?`,
    newest.goal_id,
  );
  return Math.round(bytes / 1000);
}

function line(name, figure, more = '') {
  process.stdout.write(`${name.padEnd(44)}${figure.padStart(14)}  ${more}`.trimEnd() + '\n');
}

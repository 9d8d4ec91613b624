import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBenchKernel, operations, scope } from './durable-run.mjs';
import { compare, median, report, timed } from './measure.mjs';

// The very driver that the kernel uses.
const Database = createRequire(new URL('../packages/kernel/package.json', import.meta.url))(
  'better-sqlite3',
);

const OPERATIONS = 300;
const SETTINGS = [
  'busy_timeout = 0',
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'trusted_schema = OFF',
  'wal_autocheckpoint = 4000',
];
/** Durable operations against bare transactions of the same driver, same settings, same disk. */
export async function benchDurable() {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-bench-'));
  const kernel = await openBenchKernel(join(folder, 'ours'));
  const bare = openBare(join(folder, 'bare.db'));
  try {
    report(
      'operation admitted first / two transactions',
      await compare(
        () => operations(kernel, 'write', OPERATIONS),
        () => bare.transactions(2),
        15,
      ),
      'operation',
    );
    report(
      'operation recorded after / one transaction',
      await compare(
        () => operations(kernel, 'read', OPERATIONS),
        () => bare.transactions(1),
        15,
      ),
      'operation',
    );
    await benchGroups(kernel);
    await benchGrowth(kernel, folder);
  } finally {
    await kernel[Symbol.asyncDispose]();
    bare.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Many runs at once against one alone: what waits at the same moment is written together. */
async function benchGroups(kernel) {
  const many = async () => {
    const start = performance.now();
    await Promise.all(Array.from({ length: 64 }, () => operations(kernel, 'write', 40)));
    return ((performance.now() - start) * 1000) / (64 * 40);
  };
  const found = await compare(() => operations(kernel, 'write', OPERATIONS), many, 7);
  report('operation of one run / of 64 runs at once', found, 'operation');
}

/** The cost of one operation, of opening and of resuming as the file grows; a million records only when asked for. */
async function benchGrowth(kernel, folder) {
  const sizes =
    process.env['MILLFORGE_BENCH_MILLION'] === undefined
      ? [1000, 20_000]
      : [1000, 100_000, 1_000_000];
  const path = join(folder, 'ours', 'trail.db');
  for (const size of sizes) {
    let records = countRecords(path);
    while (records < size) {
      await Promise.all(Array.from({ length: 64 }, () => operations(kernel, 'read', 100)));
      records = countRecords(path);
    }
    const costs = [];
    for (let round = 0; round < 5; round += 1) costs.push(await operations(kernel, 'write', 100));
    const opening = await timed(async () => {
      const other = await openBenchKernel(join(folder, 'ours'));
      await other[Symbol.asyncDispose]();
    }, 1000);
    const line = [
      `at ${records} records`.padEnd(44),
      `${median(costs).toFixed(1)} µs`.padStart(14),
      `  an operation, ${opening.toFixed(1)} ms to open and close a second kernel`,
    ];
    process.stdout.write(`${line.join('')}\n`);
  }
  const goalId = await recordThousand(kernel);
  const bytes = trailBytes(path, goalId);
  process.stdout.write(
    `${'trail bytes of an operation'.padEnd(44)}${String(bytes).padStart(11)} B\n`,
  );
}

function countRecords(path) {
  const database = new Database(path, { readonly: true });
  const count = database.prepare('SELECT count(*) FROM trail').pluck().get();
  database.close();
  return count;
}

async function recordThousand(kernel) {
  await operations(kernel, 'write', 1000);
  const [newest] = await kernel.listGoals(scope, { limit: 1 });
  return newest.goal_id;
}

/** Bytes of records of one goal of a thousand operations, each. */
function trailBytes(path, goalId) {
  const database = new Database(path, { readonly: true });
  const bytes = database
    .prepare(
      `SELECT sum(length(data) + length(type) + length(actor) + length(at) + 128) FROM trail JOIN goals USING (goal)
        WHERE goal_id = ?`,
    )
    .pluck()
    .get(goalId);
  database.close();
  return Math.round(bytes / 1000);
}

// One row per transaction, at the settings of the kernel's own connection. The row is smaller than what the kernel
// writes for one record.
function openBare(path) {
  const database = new Database(path);
  for (const pragma of SETTINGS) database.pragma(pragma);
  database.exec('CREATE TABLE row (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO row (body) VALUES (?)');
  const commit = database.transaction((body) => insert.run(body)).immediate;
  const body = 'x'.repeat(400);
  return {
    transactions: (each) =>
      timed(() => {
        for (let count = 0; count < OPERATIONS * each; count += 1) commit(body);
      }, OPERATIONS),
    close: () => database.close(),
  };
}

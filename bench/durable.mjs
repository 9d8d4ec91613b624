import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchGrowth } from './durable-growth.mjs';
import { openBenchKernel, operations } from './durable-run.mjs';
import { compare, report, timed } from './measure.mjs';

// The very driver that the kernel uses.
const Database = createRequire(new URL('../packages/kernel/package.json', import.meta.url))(
  'better-sqlite3',
);

const OPERATIONS = 300;
const WARM_UP_ROUNDS = 5;
const SETTINGS = [
  'busy_timeout = 0',
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'trusted_schema = OFF',
  'wal_autocheckpoint = 1000',
];
/** Durable operations against bare transactions of the same driver, same settings, same disk. */
export async function benchDurable() {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-bench-'));
  const kernel = await openBenchKernel(join(folder, 'ours'));
  const bare = openBare(join(folder, 'bare.db'));
  try {
    await warmUp(kernel, bare);
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
  } finally {
    await kernel[Symbol.asyncDispose]();
    bare.close();
  }
  try {
    await benchGrowth(join(folder, 'grown'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Node compiles what runs often, and a log that still grows makes each sync write its length: neither goes on for long.
async function warmUp(kernel, bare) {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await operations(kernel, 'write', OPERATIONS);
    await operations(kernel, 'read', OPERATIONS);
    bare.transactions(2);
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

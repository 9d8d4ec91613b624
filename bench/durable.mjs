import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ALL_PERMISSIONS, openKernel } from '../packages/kernel/dist/index.js';
import { compare, report, timed } from './measure.mjs';

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
const scope = { tenant: 'bench', resource: 'bench', actor: 'bench', permissions: ALL_PERMISSIONS };
const clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};
let names = 0;
const ids = { newId: (prefix) => `${prefix}_${process.pid}_${(names += 1)}` };

/** Durable operations against bare transactions of the same driver, same settings, same disk. */
export async function benchDurable() {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-bench-'));
  const kernel = await openKernel({ path: join(folder, 'ours', 'trail.db'), clock, ids });
  const bare = openBare(join(folder, 'bare.db'));
  try {
    report(
      'operation admitted first / two transactions',
      await compare(
        () => operations(kernel, 'write'),
        () => bare.transactions(2),
        15,
      ),
      'operation',
    );
    report(
      'operation recorded after / one transaction',
      await compare(
        () => operations(kernel, 'read'),
        () => bare.transactions(1),
        15,
      ),
      'operation',
    );
  } finally {
    await kernel[Symbol.asyncDispose]();
    bare.close();
    rmSync(folder, { recursive: true, force: true });
  }
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

async function operations(kernel, effect) {
  const goalId = ids.newId('goal');
  let took = 0;
  const adapter = {
    kind: 'model',
    name: 'bench',
    version: '1',
    parameters: null,
    async run(context) {
      took = await timed(async () => {
        for (let step = 1; step <= OPERATIONS; step += 1) {
          await context.perform(
            {
              key: `tool/${step}/0`,
              step,
              kind: 'tool',
              effect,
              repeat: 'safe',
              metered: false,
              input: { n: step },
              describe: 'bench',
            },
            async () => ({ value: { ok: true } }),
          );
        }
      }, OPERATIONS);
      return { kind: 'bench' };
    },
  };
  await kernel.admitGoal(scope, {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: goalId,
    objective: 'bench',
    unchecked: true,
    tasks: [
      {
        task_id: 'run',
        adapter: { kind: 'model', name: 'bench', version: '1', parameters: null },
        doubt: 'operation',
        effect: 'write',
      },
    ],
  });
  const goal = await kernel.runGoal(scope, goalId, { adapters: [adapter] }).done;
  if (goal.state !== 'completed') throw new Error(`the bench goal is ${goal.state}`);
  return took;
}

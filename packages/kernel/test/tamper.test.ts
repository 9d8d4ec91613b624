import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operationUncertain } from '@millforge/contracts';
import { openKernel, type TrailVerdict } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  outcome,
  randomIds,
  scope,
  systemClock,
  toolCall,
  unsafeCall,
} from './fixture.ts';

const GOALS = ['done', 'held', 'decided', 'cancelled'];
// Owners and leases say who is at work at this moment; they are no part of the record.
const UNTOLD = ['owners', 'leases', 'pins'];

let root = '';
let original = '';
let copies = 0;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'millforge-tamper-'));
  original = join(root, 'original', 'trail.db');
  const kernel = await openKernel({ path: original, clock: systemClock, ids: randomIds });
  const program = adapter(async (context) => {
    await context.perform(modelTurn(1), async () => ({
      // Long enough to lie beside the row that names it.
      value: { text: 'hi'.repeat(600) },
      usage: { input_tokens: 7, output_tokens: 1, cost_micros: 5, tool_calls: 1, wall_ms: 9 },
      after: { sha256: 'b' },
    }));
    context.log({ key: 'note', step: 1, type: 'reply-repaired', data: { quotes: 2 } });
    await context.saveArtifact(Buffer.from('patch'), { mediaType: 'text/plain', maxBytes: 10 });
    const looked = toolCall('tool/1/0', { before: async () => ({ sha256: 'a' }) });
    await context.perform(looked, acting('read').run);
    if (context.goalId !== 'done') {
      await context.perform(unsafeCall('tool/1/1', { extends: 'model/1' }), () =>
        Promise.reject(operationUncertain({ code: 'lost', message: 'Lost.' })),
      );
    }
    return outcome();
  });
  for (const goal of GOALS) {
    await kernel.admitGoal(scope, contract(goal));
    await kernel.runGoal(scope, goal, { adapters: [program] }).done;
    if (goal === 'done' || goal === 'held') continue;
    await kernel.decide(scope, goal, {
      holdId: 'hold-1',
      version: 1,
      decision: goal === 'decided' ? 'accept' : 'cancel',
      reason: 'Because.',
      ...(goal === 'decided' ? { outcome: 'seen' } : {}),
    });
  }
  await kernel[Symbol.asyncDispose]();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Changes a copy of the file by hand, and asks whether it still holds. */
async function verdictAfter(
  change: (connection: Database.Database) => void,
): Promise<TrailVerdict> {
  const path = join(root, `copy-${(copies += 1)}.db`);
  copyFileSync(original, path);
  const connection = new Database(path);
  connection.pragma('foreign_keys = OFF');
  change(connection);
  connection.close();
  const kernel = await openKernel({ path, clock: systemClock, ids: randomIds });
  try {
    return await kernel.verifyTrail(scope);
  } finally {
    await kernel[Symbol.asyncDispose]();
    rmSync(path, { force: true });
  }
}

test('finds nothing in a file that nobody changed', async () => {
  expect(await verdictAfter(() => undefined)).toMatchObject({ ok: true, goals: 4 });
});

test('finds every value of every row that was changed', async () => {
  const cells = listCells();
  expect(cells.length).toBeGreaterThan(1000);
  const path = join(root, 'changed.db');
  const missed: string[] = [];
  const kernel = await openKernelOn(path);
  const connection = new Database(path);
  connection.pragma('foreign_keys = OFF');
  for (const { table, column, rowid, value } of cells) {
    const update = connection.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
    const changed = otherThan(value, column);
    try {
      update.run(changed, rowid);
    } catch (error) {
      // A unique index or a check of the file itself refuses the change: that is found as well.
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT'))
        continue;
      throw error;
    }
    const verdict = await kernel.verifyTrail(scope);
    if (verdict.ok) missed.push(`${table}.${column} of row ${rowid}`);
    // The number of a row may be the changed column itself.
    connection
      .prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`)
      .run(value, table === 'goals' && column === 'goal' ? changed : rowid);
  }
  connection.close();
  expect(missed).toEqual([]);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
  await kernel[Symbol.asyncDispose]();
}, 120_000);

const changes: readonly (readonly [string, string])[] = [
  ['a record is dropped from the middle', 'DELETE FROM trail WHERE rowid = 3'],
  [
    'the last record of a goal is dropped',
    'DELETE FROM trail WHERE goal = 1 AND seq = (SELECT max(seq) FROM trail WHERE goal = 1)',
  ],
  [
    'a record is inserted',
    `INSERT INTO trail SELECT goal, tenant, seq + 100, at, type, actor, data, previous_sha256, record_sha256 FROM trail WHERE rowid = 3`,
  ],
  [
    'two records change places',
    'UPDATE trail SET seq = CASE seq WHEN 3 THEN 1000003 ELSE 1000004 END WHERE goal = 1 AND seq IN (3, 4); UPDATE trail SET seq = CASE seq WHEN 1000003 THEN 4 ELSE 3 END WHERE seq > 1000000',
  ],
  ['an operation is dropped', 'DELETE FROM operations WHERE rowid = 1'],
  [
    'a decision is undone',
    `UPDATE holds SET state = 'open', decision = NULL WHERE state = 'decided'`,
  ],
  ['a receipt is dropped', 'DELETE FROM receipts'],
  ['a payload is dropped', 'DELETE FROM payloads WHERE rowid = 2'],
  [
    'a payload is inserted',
    `INSERT INTO payloads (tenant, sha256, bytes) VALUES ('local', '${'0'.repeat(64)}', x'00')`,
  ],
  [
    'a row of a goal that is not there is inserted',
    `INSERT INTO notes (goal, tenant, task_id, key, note_sha256) VALUES (99, 'local', 'run', 'x', 'y')`,
  ],
  [
    'an operation is inserted',
    'INSERT INTO notes SELECT goal, tenant, task_id, key || 1, note_sha256 FROM notes LIMIT 1',
  ],
  [
    'a goal is marked as imported',
    `INSERT INTO imports (goal, tenant, export_sha256, records, imported_by, imported_at) VALUES (1, 'local', '', 1, '', '')`,
  ],
  ['a goal is dropped, its trail left', 'DELETE FROM goals WHERE goal = 1'],
];

for (const [what, sql] of changes) {
  test(`finds that ${what}`, async () => {
    const verdict = await verdictAfter((connection) => connection.exec(sql));
    expect(verdict).toMatchObject({ ok: false, what: expect.stringMatching(/./) });
  });
}

test('finds a payload in the row of an operation that names no digest of it', async () => {
  const verdict = await verdictAfter((connection) =>
    connection.exec(`UPDATE operations SET after_json = 'null' WHERE after_sha256 IS NULL`),
  );
  expect(verdict).toMatchObject({ ok: false, what: expect.stringMatching('after_json') });
});

test('finds a row that stands in its table and not in the index by which it is read', async () => {
  const verdict = verdictAfter((connection) => {
    connection.unsafeMode(true);
    const index = connection.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'notes_by_key'`);
    const sql = String(index.pluck().get());
    const defineIndex = (definition: string): void => {
      connection.pragma('writable_schema = ON');
      connection
        .prepare(`UPDATE sqlite_schema SET sql = ? WHERE name = 'notes_by_key'`)
        .run(definition);
      connection.pragma('writable_schema = RESET');
    };
    defineIndex(`${sql} WHERE goal < 0`);
    connection.exec(
      'INSERT INTO notes SELECT goal, tenant, task_id, key || 1, note_sha256 FROM notes LIMIT 1',
    );
    defineIndex(sql);
  });
  await expect(verdict).rejects.toMatchObject({
    code: 'kernel/corrupt',
    details: expect.objectContaining({ found: expect.stringMatching('notes_by_key') }),
  });
});

test('names goal and record of the first thing that does not hold', async () => {
  const verdict = await verdictAfter((connection) =>
    connection.exec(`UPDATE trail SET actor = 'eve@host' WHERE goal = 2 AND seq = 3`),
  );
  expect(verdict).toEqual({
    ok: false,
    goal: 'held',
    seq: 3,
    what: 'the digest of the record is not that of its content',
  });
});

test('finds a row in the name of a tenant that has no goals, when the whole file is examined', async () => {
  const path = join(root, 'nobody.db');
  const kernel = await openKernelOn(path);
  const connection = new Database(path);
  connection.exec(`INSERT INTO payloads (tenant, sha256, bytes) VALUES ('nobody', 'aa', x'00')`);
  connection.close();
  const { trails } = await kernel.examine();
  expect(trails).toMatchObject({ ok: false, what: expect.stringMatching('payload aa') });
  await kernel[Symbol.asyncDispose]();
});

interface Cell {
  readonly table: string;
  readonly column: string;
  readonly rowid: number;
  readonly value: string | number | Buffer | null;
}

function listCells(): readonly Cell[] {
  const connection = new Database(original, { readonly: true });
  const tables = connection
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
    .pluck()
    .all()
    .map(String)
    .filter((table) => !UNTOLD.includes(table));
  const cells = tables.flatMap((table) =>
    connection
      .prepare<[], Record<string, Cell['value']>>(`SELECT rowid AS row_number, * FROM ${table}`)
      .all()
      .flatMap(({ row_number, ...row }) =>
        Object.entries(row).map(([column, value]) => ({
          table,
          column,
          rowid: Number(row_number),
          value,
        })),
      ),
  );
  connection.close();
  return cells;
}

async function openKernelOn(path: string) {
  copyFileSync(original, path);
  return openKernel({ path, clock: systemClock, ids: randomIds });
}

function otherThan(value: Cell['value'], column: string): Cell['value'] {
  if (typeof value === 'number') return value + 1;
  if (Buffer.isBuffer(value)) return Buffer.concat([value, Buffer.from(' ')]);
  if (typeof value === 'string') return `${value} `;
  return /_at$|sha256|_by$|code|message|class|outcome|decision|extends|key|reason/.test(column)
    ? 'x'
    : 1;
}

test('notices that the last records of a trail are gone, wherever it was cut off, whether the goal names them or not', async () => {
  const cuts = GOALS.flatMap((goal) => [1, 2, 3, 4, 5].map((count) => ({ goal, count })));
  for (const { goal, count } of cuts) {
    const verdict = await verdictAfter((connection) => {
      connection
        .prepare(
          `DELETE FROM trail WHERE rowid IN (SELECT trail.rowid FROM trail JOIN goals USING (goal)
             WHERE goal_id = ? ORDER BY seq DESC LIMIT ?)`,
        )
        .run(goal, count);
    });
    expect({ goal, count, ok: verdict.ok }).toEqual({ goal, count, ok: false });
  }
});

test('finds a row of a goal that stands in the name of another tenant', async () => {
  const verdict = await verdictAfter((connection) => {
    const found: unknown = connection.prepare('SELECT * FROM tasks WHERE goal = 1').get();
    if (typeof found !== 'object' || found === null) throw new Error('There is no task.');
    const row = { ...found, tenant: 'other', task_id: 'more' };
    const columns = Object.keys(row);
    const places = columns.map((column) => `@${column}`);
    connection.prepare(`INSERT INTO tasks (${columns.join()}) VALUES (${places.join()})`).run(row);
  });
  expect(verdict).toMatchObject({ ok: false, what: expect.stringContaining('tasks') });
});

test('finds a late result that was changed, which only the record of it names', async () => {
  const path = join(root, 'late.db');
  const kernel = await openKernelOn(path);
  await kernel.admitGoal(scope, contract('late'));
  const program = adapter(async (context) => {
    await context.perform(unsafeCall('tool/1/0'), async () => {
      const { version } = await kernel.readGoal(scope, 'late');
      await kernel.cancelGoal(scope, 'late', { version, reason: 'No.' });
      return { value: 'too late'.repeat(600) };
    });
    return outcome();
  });
  await kernel.runGoal(scope, 'late', { adapters: [program] }).done;
  expect(await kernel.verifyTrail(scope, 'late')).toMatchObject({ ok: true });
  const connection = new Database(path);
  const changed = connection
    .prepare(`UPDATE payloads SET bytes = ? WHERE CAST(bytes AS TEXT) LIKE '"too late%'`)
    .run(Buffer.from('"in time"'));
  connection.close();
  expect(changed.changes).toBe(1);
  expect(await kernel.verifyTrail(scope, 'late')).toMatchObject({ ok: false });
  await kernel[Symbol.asyncDispose]();
});

/** @module-tag slow */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMillforge, MillforgeError, type TrailVerdict } from 'millforge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRunFixture, toolsWithBrokenCommand } from './run-fixture.ts';

let root = '';
let runId = '';
let original = Buffer.alloc(0);
let content = '';

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'millforge-tamper-'));
  await using fixture = await openRunFixture();
  const { places } = fixture;
  const millforge = fixture.open({ shippedTools: toolsWithBrokenCommand(places) });
  const run = await fixture.start(millforge, { onAmbiguous: 'retry' });
  runId = run.runId;
  expect((await run.result).status).toBe('success');
  await millforge[Symbol.asyncDispose]();
  original = readFileSync(join(places.data, 'trail.db'));
  content = await contentOf(original);
}, 60_000);

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

type Row = Readonly<Record<string, unknown>>;

interface Connection {
  prepare(sql: string): {
    all(...values: readonly unknown[]): readonly Row[];
    run(...values: readonly unknown[]): { readonly changes: number };
  };
  close(): void;
}

/** The driver of the kernel, which no other package may know. */
const Driver: new (file: string) => Connection = createRequire(
  join(import.meta.dirname, '../../../kernel/package.json'),
)('better-sqlite3');

/** A data directory of its own with these bytes as its trail; removed after its use. */
async function onCopy<T>(
  bytes: Buffer,
  use: (copy: { readonly dataDir: string; readonly file: string }) => T | Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(root, 'copy-'));
  const file = join(dataDir, 'trail.db');
  try {
    writeFileSync(file, bytes, { mode: 0o600 });
    return await use({ dataDir, file });
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

/** Changes a copy by SQL, and verifies it. */
function verdictAfter(change: (connection: Connection) => void): Promise<TrailVerdict> {
  return onCopy(original, async ({ dataDir, file }) => {
    const connection = new Driver(file);
    change(connection);
    connection.close();
    await using millforge = createMillforge({ dataDir });
    return millforge.verifyTrail();
  });
}

function query(bytes: Buffer, ...sql: readonly string[]): Promise<readonly (readonly Row[])[]> {
  return onCopy(bytes, ({ file }) => {
    const connection = new Driver(file);
    try {
      return sql.map((one) => connection.prepare(one).all());
    } finally {
      connection.close();
    }
  });
}

/** The same text with one character changed. */
function oneChanged(text: string, place: number): string {
  return `${text.slice(0, place)}${text[place] === 'x' ? 'y' : 'x'}${text.slice(place + 1)}`;
}

test('an untouched copy verifies', async () => {
  expect((await verdictAfter(() => undefined)).ok).toBe(true);
});

test('one character changed in any text of any record is found at that record', async () => {
  const [records = []] = await query(original, 'SELECT * FROM trail ORDER BY seq');
  expect(records.length).toBeGreaterThan(30);
  const columns = ['at', 'type', 'actor', 'data', 'previous_sha256', 'record_sha256'];
  const missed: unknown[] = [];
  for (const [place, record] of records.entries()) {
    // Every record once, every column often.
    const column = columns[place % columns.length] ?? 'data';
    const text = String(record[column]);
    const changed = oneChanged(text, (place * 7) % text.length);
    const verdict = await verdictAfter((connection) =>
      connection
        .prepare(`UPDATE trail SET ${column} = ? WHERE seq = ?`)
        .run(changed, record['seq']),
    );
    if (verdict.ok || verdict.goal !== runId || verdict.seq !== record['seq']) {
      missed.push({ seq: record['seq'], column, verdict });
    }
  }
  expect(missed).toEqual([]);
}, 120_000);

test('one byte changed in any payload is found, and named by its digest', async () => {
  const kept = ['part', 'before', 'outcome', 'after'].map(
    (name) =>
      `SELECT ${name}_sha256 AS sha256, ${name}_json AS text, '${name}_json' AS place, rowid AS number
         FROM operations WHERE ${name}_json IS NOT NULL ORDER BY rowid`,
  );
  const [payloads = [], ...inRows] = await query(
    original,
    'SELECT sha256, bytes FROM payloads ORDER BY sha256',
    ...kept,
  );
  expect(payloads.length + inRows.flat().length).toBeGreaterThan(30);
  const missed: unknown[] = [];
  for (const [place, { sha256, bytes }] of payloads.entries()) {
    const changed = Buffer.from(bytes instanceof Uint8Array ? bytes : []);
    const at = (place * 13) % changed.length;
    changed[at] = (changed[at] ?? 0) ^ 1;
    const verdict = await verdictAfter((connection) =>
      connection.prepare('UPDATE payloads SET bytes = ? WHERE sha256 = ?').run(changed, sha256),
    );
    if (verdict.ok || verdict.goal !== runId || !verdict.what.includes(String(sha256))) {
      missed.push({ sha256, verdict });
    }
  }
  for (const [index, { sha256, text, place, number }] of inRows.flat().entries()) {
    const changed = oneChanged(String(text), (index * 13) % String(text).length);
    const verdict = await verdictAfter((connection) =>
      connection
        .prepare(`UPDATE operations SET ${String(place)} = ? WHERE rowid = ?`)
        .run(changed, number),
    );
    if (verdict.ok || verdict.goal !== runId || !verdict.what.includes(String(sha256))) {
      missed.push({ sha256, place, verdict });
    }
  }
  expect(missed).toEqual([]);
}, 120_000);

test('a record that is dropped, doubled or moved is found', async () => {
  const changes: readonly (readonly [sql: string, seq: number])[] = [
    ['DELETE FROM trail WHERE seq = 5', 5],
    ['DELETE FROM trail WHERE seq = (SELECT max(seq) FROM trail)', -1],
    ['UPDATE trail SET seq = 1000 WHERE seq = 5', 5],
    ['UPDATE trail SET data = (SELECT data FROM trail WHERE seq = 6) WHERE seq = 7', 7],
  ];
  for (const [sql, seq] of changes) {
    const verdict = await verdictAfter((connection) => connection.prepare(sql).run());
    expect(verdict).toMatchObject({ ok: false, goal: runId, ...(seq < 0 ? {} : { seq }) });
  }
});

test('a stored plan with one changed byte is refused, and the run does not go on with it', async () => {
  await using fixture = await openRunFixture();
  const millforge = fixture.open();
  const run = await fixture.start(millforge, {
    onEvent(event) {
      if (event.kind === 'model-replied' && event.turn === 2) run.stop();
    },
  });
  expect((await run.result).status).toBe('interrupted');
  const [plan = ''] = readdirSync(join(fixture.places.data, 'artifacts'), {
    recursive: true,
    encoding: 'utf8',
  }).filter((name) => /[0-9a-f]{62}$/u.test(name));
  const file = join(fixture.places.data, 'artifacts', plan);
  const bytes = readFileSync(file);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await expect(millforge.resume(run.runId)).rejects.toMatchObject({ code: 'artifact/corrupt' });
  expect((await millforge.readRun(run.runId)).status).toBe('interrupted');
  expect(fixture.server.requestCount).toBe(2);
});

/** How a flipped bit comes to light: refused, found, or without any meaning. */
async function lookAt(bytes: Buffer): Promise<string> {
  const seen = await onCopy(bytes, async ({ dataDir }) => {
    try {
      await using millforge = createMillforge({ dataDir });
      const verdict = await millforge.verifyTrail();
      if (verdict.ok) return 'nothing';
      return verdict.goal === runId && verdict.seq > 0 ? 'found' : 'found elsewhere';
    } catch (error) {
      return MillforgeError.is(error) ? error.code : `threw ${String(error)}`;
    }
  });
  if (seen !== 'nothing') return seen;
  return (await contentOf(bytes)) === content ? 'without meaning' : 'missed';
}

/** All rows of all tables but those that only say which processes live, and whether the file is whole. */
async function contentOf(bytes: Buffer): Promise<string> {
  const tables = TABLES.map((table) => `SELECT * FROM ${table} NOT INDEXED ORDER BY rowid`);
  return JSON.stringify(await query(bytes, 'PRAGMA integrity_check', ...tables));
}

const TABLES = [
  'goals',
  'tasks',
  'attempts',
  'operations',
  'notes',
  'holds',
  'receipts',
  'artifacts',
  'trail',
  'payloads',
];

test('one bit flipped anywhere in the file is reported, or changed nothing that is kept', async () => {
  const ends = new Map<string, number>();
  const wrong: unknown[] = [];
  const step = Math.floor(original.length / FLIPS);
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const offset = flip * step + ((flip * 101) % step);
    const bytes = Buffer.from(original);
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 << (flip % 8));
    const end = await lookAt(bytes);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (!REPORTED.includes(end)) wrong.push({ offset, bit: flip % 8, end });
  }
  expect(wrong).toEqual([]);
  expect(ends.get('found') ?? 0).toBeGreaterThan(FLIPS / 5);
}, 300_000);

const FLIPS = 120;
const REPORTED = [
  'found',
  'without meaning',
  'kernel/corrupt',
  'kernel/not-a-trail',
  'kernel/newer-schema',
  // A letter of the schema itself: a statement names a column that is not there.
  'internal/sql',
];

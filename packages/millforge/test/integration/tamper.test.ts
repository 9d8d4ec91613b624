/** @module-tag slow */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMillforge, MillforgeError, type TrailVerdict } from 'millforge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRunFixture, toolsWithBrokenCommand } from './run-fixture.ts';

let root = '';
let runId = '';
let original = Buffer.alloc(0);

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
}, 60_000);

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Connection {
  prepare(sql: string): {
    all(...values: readonly unknown[]): readonly Readonly<Record<string, unknown>>[];
    run(...values: readonly unknown[]): { readonly changes: number };
  };
  close(): void;
}

/** The driver of the kernel, which no other package may know. */
const Driver: new (file: string) => Connection = createRequire(
  join(import.meta.dirname, '../../../kernel/package.json'),
)('better-sqlite3');

let copies = 0;

/** A data directory of its own with these bytes as its trail. */
function copyOf(bytes: Buffer): { readonly dataDir: string; readonly file: string } {
  copies += 1;
  const dataDir = join(root, String(copies));
  mkdirSync(dataDir, { mode: 0o700 });
  const file = join(dataDir, 'trail.db');
  writeFileSync(file, bytes, { mode: 0o600 });
  return { dataDir, file };
}

/** Changes a copy by SQL, and verifies it. */
async function verdictAfter(change: (connection: Connection) => void): Promise<TrailVerdict> {
  const { dataDir, file } = copyOf(original);
  const connection = new Driver(file);
  change(connection);
  connection.close();
  await using millforge = createMillforge({ dataDir });
  return millforge.verifyTrail();
}

function query(bytes: Buffer, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const connection = new Driver(copyOf(bytes).file);
  try {
    return connection.prepare(sql).all();
  } finally {
    connection.close();
  }
}

/** The same text with one character changed. */
function oneChanged(text: string, place: number): string {
  return `${text.slice(0, place)}${text[place] === 'x' ? 'y' : 'x'}${text.slice(place + 1)}`;
}

test('an untouched copy verifies', async () => {
  expect((await verdictAfter(() => undefined)).ok).toBe(true);
});

test('one character changed in any text of any record is found at that record', async () => {
  const records = query(original, 'SELECT * FROM trail ORDER BY seq');
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
  const payloads = query(original, 'SELECT sha256, bytes FROM payloads ORDER BY sha256');
  expect(payloads.length).toBeGreaterThan(30);
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

/** How a flipped bit comes to light: refused, found, or without any meaning. */
async function lookAt(bytes: Buffer): Promise<string> {
  const { dataDir } = copyOf(bytes);
  try {
    await using millforge = createMillforge({ dataDir });
    const verdict = await millforge.verifyTrail();
    if (!verdict.ok) return verdict.goal === runId && verdict.seq > 0 ? 'found' : 'found elsewhere';
  } catch (error) {
    if (MillforgeError.is(error)) return error.code;
    return `threw ${String(error)}`;
  }
  const isWhole = query(bytes, 'PRAGMA integrity_check')[0]?.['integrity_check'] === 'ok';
  return isWhole && contentOf(bytes) === contentOf(original) ? 'without meaning' : 'missed';
}

/** All rows of all tables but those that only say which processes live. */
function contentOf(bytes: Buffer): string {
  return JSON.stringify(
    TABLES.map((table) => query(bytes, `SELECT * FROM ${table} ORDER BY rowid`)),
  );
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
const REPORTED = ['found', 'without meaning', 'kernel/corrupt', 'kernel/not-a-trail'];

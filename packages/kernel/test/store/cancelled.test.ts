import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MillforgeError } from '@millforge/contracts';
import Database from 'better-sqlite3';
import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { existing, lawClock, SCOPE, storeHands, taskOf } from '../../src/testing/store-hands.ts';
import { volatileFolder } from '../crash/moments.ts';
import { makeTemplate } from '../proof/template.ts';
import { CALLS, type Known } from './any-call.ts';
import { openStore } from './open-store.ts';

let root = '';
let template = '';
let files = 0;

beforeAll(async () => {
  root = volatileFolder('millforge-cancelled-');
  template = await makeTemplate(root);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const steps = array(record({ call: constantFrom(...CALLS.keys()), draw: nat(1000) }), {
  minLength: 4,
  maxLength: 24,
});

test('keeps a cancelled goal as it is, whatever comes late, twice, or from elsewhere, and only tells of it', async () => {
  const refused = new Map<string, number>();
  let late = 0;
  await assert(
    asyncProperty(steps, steps, async (before, after) => {
      const path = join(root, `trail-${(files += 1)}.db`);
      copyFileSync(template, path);
      const known = await someGoals(path);
      for (const step of before) await perform(known, step);
      await known.hands.store.goals
        .cancel(SCOPE, 'goal', { version: null, reason: 'No.' })
        .catch(refusal);
      const { state } = await known.hands.view('goal');
      // What ended before is final as well, and another property's.
      if (state !== 'cancelled') return close(known, path);

      const rows = rowsOf(path);
      const told = (await known.hands.types('goal')).length;
      let kept = 0;
      for (const step of after) {
        const what = await perform(known, step);
        if (what === 'kept') kept += 1;
        else refused.set(step.call, (refused.get(step.call) ?? 0) + 1);
        expect(rowsOf(path)).toEqual(rows);
      }
      expect((await known.hands.types('goal')).slice(told)).toEqual(
        Array(kept).fill('result-refused'),
      );
      late += kept;
      await known.hands.assertSound();
      await close(known, path);
    }),
    { numRuns: Number(process.env['MILLFORGE_CANCELLED_RUNS'] ?? 60) },
  );
  expect(late).toBeGreaterThan(0);
  expect([...refused.keys()].length).toBeGreaterThan(10);
}, 300_000);

/** A goal of two tasks at work, and one of another name that lends its claims. */
async function someGoals(path: string): Promise<Known> {
  const clock = lawClock();
  const open = () => openStore(path, clock);
  const store = await open();
  const hands = storeHands(store, clock);
  const tasks = [
    taskOf('run', { max_attempts: 3 }),
    taskOf('whole', { doubt: 'attempt', max_attempts: 2 }),
  ];
  await hands.admit('goal', { tasks, limits: { units: 6 } });
  await hands.admit('foreign', { tasks });
  const claims = [
    (await hands.take('goal', 'run')).claim,
    (await hands.take('goal', 'whole')).claim,
    (await hands.take('foreign', 'run')).claim,
  ];
  const standings = [await hands.standing('goal', 'run'), await hands.standing('goal', 'whole')];
  return { hands, open, claims, standings, notes: 0 };
}

/** Makes one call; a refusal is an answer, anything else is not. */
async function perform(
  known: Known,
  { call, draw }: { readonly call: string; readonly draw: number },
): Promise<'done' | 'kept' | 'refused'> {
  try {
    const isForeign = await existing(CALLS.get(call))(known, draw);
    return call === 'keep late' && !isForeign ? 'kept' : 'done';
  } catch (error) {
    refusal(error);
    return 'refused';
  }
}

function refusal(error: unknown): void {
  const isRefusal =
    error instanceof MillforgeError &&
    /^(?:kernel|operation|testing)\//.test(error.code) &&
    !/damaged|unknown|closed/.test(error.code);
  if (!isRefusal) throw error;
}

/** Every row of the goal, but for its records, what it says of the last of them, and pins, which nobody reads as its state. */
function rowsOf(path: string): unknown {
  const database = new Database(path, { readonly: true });
  try {
    return TABLES.map((table) => ({
      table,
      rows: database
        .prepare<[], Record<string, unknown>>(
          `SELECT * FROM ${table} WHERE goal = (SELECT goal FROM goals WHERE goal_id = 'goal')`,
        )
        .all()
        .map((row) => Object.entries(row).filter(([column]) => !column.startsWith('head_'))),
    }));
  } finally {
    database.close();
  }
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
  'publications',
  'leases',
];

async function close({ hands }: Known, path: string): Promise<void> {
  await hands.store.close();
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

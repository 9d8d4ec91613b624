import { join } from 'node:path';
import { canonicalJson, type JsonObject, type JsonValue, sha256 } from '@millforge/contracts';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  scope,
  temporaryDirectory,
} from './fixture.ts';

type Fields = { [name: string]: JsonValue };
interface Told {
  at: string;
  type: string;
  actor: string;
  data: { [table: string]: Fields[] };
}

const program = adapter(async (context) => {
  const turn = modelTurn(1);
  await context.perform(turn, async () => ({ value: 'hi', usage: { input_tokens: 3 } }));
  await context.perform(modelTurn(2, { extends: turn.key }), acting('bye').run);
  return outcome();
});

async function exported(actor = scope.actor): Promise<readonly string[]> {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal({ ...scope, actor }, contract('goal'));
  await kernel.runGoal(scope, 'goal', { adapters: [program] }).done;
  const lines: string[] = [];
  for await (const line of kernel.exportTrail(scope, 'goal')) lines.push(line);
  return lines;
}

/** An export as somebody would make it who writes every digest anew. */
async function forged(
  change: (records: Told[]) => void,
  more: readonly string[] = [],
): Promise<readonly string[]> {
  const lines = (await exported()).map((line) => JSON.parse(line) as Fields); // Lines are objects.
  const [header] = lines;
  const records = lines.flatMap(({ record }) => {
    if (record === undefined) return [];
    const { at, type, actor, data } = record as unknown as Told & { data: string };
    return [{ at, type, actor, data: JSON.parse(data) as Told['data'] }];
  });
  change(records);
  const uid = records[0]?.data['goals']?.[0]?.['goal_uid'] ?? '';
  let previous = '0'.repeat(64);
  const told = records.map(({ data, ...record }, place): JsonObject => {
    const content = { ...record, seq: place + 1, previous_sha256: previous };
    const named = { ...content, data, goal_uid: uid, tenant: 'local' };
    previous = sha256(canonicalJson(named));
    const text = canonicalJson(data, { newline: false });
    return { record: { ...content, data: text, record_sha256: previous } };
  });
  const payloads = lines.filter(({ payload }) => payload !== undefined);
  const added = more.map((text) => ({ payload: { sha256: sha256(text), text } }));
  const body = [header ?? {}, ...told, ...payloads, ...added].map((line) => canonicalJson(line));
  const summary = {
    records: told.length,
    payloads: payloads.length + added.length,
    head_sha256: previous,
    export_sha256: sha256(body.join('')),
  };
  return [...body, canonicalJson({ summary })];
}

const each =
  (table: string, change: (row: Fields) => void) =>
  (records: Told[]): void => {
    for (const { data } of records) for (const row of data[table] ?? []) change(row);
  };
const set =
  (column: string, value: JsonValue) =>
  (row: Fields): void => {
    if (row[column] !== undefined) row[column] = value;
  };

test('imports an export that somebody wrote anew and changed nothing in', async () => {
  const kernel = await open(temporaryDirectory());
  const view = await kernel.importTrail(scope, await forged(() => undefined));
  expect(view).toMatchObject({ goal_id: 'goal', state: 'completed' });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

const forgeries: readonly (readonly [string, (records: Told[]) => void])[] = [
  ['a state of a goal that nobody knows', each('goals', set('state', 'perhaps'))],
  ['another name than its contract', each('goals', set('goal_id', '../../elsewhere'))],
  ['no contract', each('goals', set('contract_sha256', null))],
  [
    'a payload of another kind as contract',
    each('goals', set('contract_sha256', sha256('"hi"\n'))),
  ],
  ['a text where a number belongs', each('tasks', set('place', 'first'))],
  ['a number that no column can hold', each('operations', set('input_tokens', 9.3e18))],
  ['an effect that nobody knows', each('operations', set('effect', 'harmless'))],
  ['a state of an attempt that nobody knows', each('attempts', set('state', 'perhaps'))],
  [
    'an operation that continues itself',
    each('operations', (row) => set('extends', row['key'] ?? null)(row)),
  ],
  [
    'a time that is none',
    (records) => {
      for (const record of records) record.at = 'yesterday';
    },
  ],
  [
    'a hold of a reason that nobody knows',
    ([first]) => {
      if (first !== undefined)
        first.data['holds'] = [{ hold_id: 'hold-1', reason: 'x', state: 'open' }];
    },
  ],
  [
    'a publication that nobody intended',
    ([first]) => {
      if (first !== undefined)
        first.data['publications'] = [{ publication_id: 'p', state: 'sent' }];
    },
  ],
  [
    'two goals',
    ([first]) => {
      const goals = first?.data['goals'];
      goals?.push({ ...goals[0], goal_id: 'other' });
    },
  ],
];

test.each(forgeries)('imports nothing from an export that tells %s', async (_, change) => {
  const kernel = await open(temporaryDirectory());
  const lines = await forged(change);
  await expect(kernel.importTrail(scope, lines)).rejects.toMatchObject({
    code: 'kernel/export-invalid',
  });
  // A goal that cannot be read would be met by every list.
  expect(await kernel.listGoals(scope)).toEqual([]);
  expect(await kernel.verifyTrail(scope)).toEqual({ ok: true, goals: 0, records: 0 });
});

test('imports nothing from an export with a payload that no record names', async () => {
  const kernel = await open(temporaryDirectory());
  const lines = await forged(() => undefined, ['"more"\n']);
  await expect(kernel.importTrail(scope, lines)).rejects.toMatchObject({
    code: 'kernel/export-invalid',
    message: expect.stringMatching('no record names the payload'),
  });
});

test.each([
  ['a number', 5, 'kernel/argument-invalid'],
  ['a text, which gives characters', 'text', 'kernel/argument-invalid'],
  ['lines that are no texts', [1, 2], 'kernel/export-invalid'],
])('imports nothing from %s', async (_, lines, code) => {
  const kernel = await open(temporaryDirectory());
  const given = lines as Iterable<string>; // As a program without types would.
  await expect(kernel.importTrail(scope, given)).rejects.toMatchObject({ code });
});

test('reads no operation without end whose input was made to continue itself', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel.admitGoal(scope, contract('goal'));
  await kernel.runGoal(scope, 'goal', { adapters: [program] }).done;
  const connection = new Database(join(directory, 'trail.db'));
  connection.exec('UPDATE operations SET extends = key');
  connection.close();
  await expect(kernel.readOperation(scope, 'goal', { key: 'model/1' })).rejects.toMatchObject({
    code: 'kernel/corrupt',
  });
});

test('exports an actor of two lines so that it is imported as it was', async () => {
  const kernel = await open(temporaryDirectory());
  const view = await kernel.importTrail(scope, await exported('ann\nand bob'));
  expect(view.admitted_by).toBe('ann\nand bob');
});

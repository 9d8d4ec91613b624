import { deepFreeze, type JsonValue } from '@millforge/contracts';
import type { OperationView } from '../goal-view.ts';
import { kernelError, notFound } from '../kernel-error.ts';
import type { GoalRow } from './goal-row.ts';
import { type OperationRow, readOperation } from './operation-row.ts';
import { idempotencyKey } from './operation-rules.ts';
import { readKeptPayload } from './payloads.ts';
import { textOrNull } from './read-column.ts';
import { readHolds } from './read-goal-view.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Reads one operation with its payloads. */
export function readOperationView(
  tx: StoreTransaction,
  goal: GoalRow,
  which: { readonly taskId: string; readonly key: string },
): OperationView {
  const row = readOperation(tx, goal, which);
  if (row === null) throw notFound('operation');
  const payload = (sha256: string | null, json: string | null): JsonValue =>
    sha256 === null ? null : readKeptPayload(tx, goal.tenant, { sha256, json });
  return deepFreeze({
    task_id: which.taskId,
    key: row.key,
    step: row.step,
    kind: row.kind,
    effect: row.effect,
    repeat: row.repeat,
    state: row.state,
    describe: row.describe,
    tries: row.tries,
    idempotency_key: idempotencyKey({ goalUid: goal.goal_uid, taskId: which.taskId }, row),
    input_sha256: row.input_sha256,
    input: readInput(tx, goal, { taskId: which.taskId, row }),
    before: payload(row.before_sha256, row.before_json),
    outcome:
      row.outcome === null
        ? null
        : { kind: row.outcome, value: payload(row.outcome_sha256, row.outcome_json) },
    attested: row.attested_by !== null,
    outcome_template:
      doubtfulOutcome(tx, goal, row) ?? readTemplate(tx, goal, { taskId: which.taskId, row }),
  });
}

/** The parts of an input, the oldest first; null when one of them may not be shown. */
function readInput(
  tx: StoreTransaction,
  goal: GoalRow,
  { taskId, row }: { readonly taskId: string; readonly row: OperationRow },
): readonly JsonValue[] | null {
  const parts: JsonValue[] = [];
  const read = new Set([row.key]);
  for (let part: OperationRow | null = row; part !== null; ) {
    if (part.sensitive) return null;
    parts.push(
      readKeptPayload(tx, goal.tenant, { sha256: part.part_sha256, json: part.part_json }),
    );
    if (part.extends === null) break;
    if (read.has(part.extends)) throw damagedInput(row.key);
    read.add(part.extends);
    part = readOperation(tx, goal, { taskId, key: part.extends });
  }
  return parts.toReversed();
}

/** Parts that continue each other: only somebody else than the kernel writes that. */
function damagedInput(key: string): Error {
  return kernelError(
    'kernel/corrupt',
    `The input of the operation ${key.slice(0, 64)} continues itself; run \`millforge trail verify\`.`,
  );
}

/** What the operation itself told when it could not say how it ended. */
function doubtfulOutcome(tx: StoreTransaction, goal: GoalRow, { key }: OperationRow): JsonValue {
  const hold = readHolds(tx, goal).findLast(({ operation_key }) => operation_key === key);
  return hold?.facts.failure?.data ?? null;
}

/** The latest outcome of an operation of the same kind that was done. */
function readTemplate(
  tx: StoreTransaction,
  goal: GoalRow,
  { taskId, row }: { readonly taskId: string; readonly row: OperationRow },
): JsonValue {
  const found = tx.find(
    'operations',
    { goal: goal.goal, tenant: goal.tenant, task_id: taskId, kind: row.kind, outcome: 'done' },
    { orderBy: 'rowid', descending: true },
  );
  const digest = found?.['outcome_sha256'];
  if (typeof digest !== 'string') return null;
  return readKeptPayload(tx, goal.tenant, {
    sha256: digest,
    json: textOrNull(found?.['outcome_json']),
  });
}

import type { JsonObject, JsonValue, Operation, Usage } from '@millforge/contracts';
import { appendNotes, type Note } from './append-notes.ts';
import { added, appendRecord, changedFrom } from './append-record.ts';
import { beginning, type Claim, readClaimed } from './claim.ts';
import { type OperationRow, patchedRow } from './operation-row.ts';
import { keptText, type Payload } from './payloads.ts';
import { USAGE_NAMES } from './read-usage.ts';
import type { StoreTransaction } from './store-transaction.ts';
import { TABLES } from './tables.ts';

/** An operation on its way into the record. */
export interface OperationDraft {
  /** What the program asked for. */
  readonly operation: Operation;
  /** Redacted line for a person. */
  readonly describe: string;
  /** The part of the input that is its own. */
  readonly part: Payload;
  /** Digest over that part and all that it extends. */
  readonly inputSha256: string;
  /** The row, when the operation left a trace before. */
  readonly row: OperationRow | null;
  /** Part of its idempotency key. */
  readonly generation: number;
  /** What was seen before it. */
  readonly before: Payload | null;
}

/** What every write of an operation is given. */
export interface OperationWrite {
  /** The operation. */
  readonly draft: OperationDraft;
  /** Decisions that are told before it. */
  readonly notes: readonly Note[];
  /** Milliseconds of the attempt under a lease so far. */
  readonly elapsedMs: number;
  /** The clock of the process. */
  readonly now: number;
}

/** A recorded outcome. */
export interface RecordedOutcome {
  /** How it came out. */
  readonly kind: 'done' | 'failed' | 'refused';
  /** The value, failure or refusal. */
  readonly payload: Payload;
  /** What was seen after it. */
  readonly after: Payload | null;
  /** What it was observed to use. */
  readonly usage: Usage | null;
  /** How long it took. */
  readonly durationMs: number | null;
  /** What reconciliation found, when the outcome comes from looking. */
  readonly found: JsonValue;
  /** For a failure: whether no performance under this key can have had an effect, so that the next one gets another key. */
  readonly isClean: boolean;
}

/** Admits an operation before it is performed, or once more before it is repeated. */
export function admitOperation(
  tx: StoreTransaction,
  claim: Claim,
  write: OperationWrite & { readonly facts?: JsonObject },
): OperationRow {
  const { draft, elapsedMs, facts } = write;
  const written = writeOperation(tx, claim, {
    write,
    type: draft.row === null ? 'operation-admitted' : 'operation-readmitted',
    facts,
    tell(row) {
      row['state'] = 'admitted';
      tellPerformer(row, claim, draft.row);
      tellGeneration(row, draft);
      row['elapsed_ms'] = elapsedMs;
      if (draft.before !== null) row['before_sha256'] = draft.before.sha256;
      if (draft.row !== null) Object.assign(row, { tries: draft.row.tries + 1, ...UNSETTLED });
    },
  });
  return draft.row === null ? admittedRow(claim, { write, at: written.at }) : written.row();
}

/** The row of a first admission, put down as it is: to look its columns up one by one takes as long as to write them. */
function admittedRow(
  claim: Claim,
  { write, at }: { readonly write: OperationWrite; readonly at: string },
): OperationRow {
  const { operation, describe, part, inputSha256, generation, before } = write.draft;
  const sensitive = operation.sensitive === true;
  return {
    key: operation.key,
    step: operation.step,
    kind: operation.kind,
    effect: operation.effect,
    repeat: operation.repeat,
    metered: operation.metered,
    sensitive,
    describe,
    extends: operation.extends ?? null,
    input_sha256: inputSha256,
    part_sha256: part.sha256,
    key_ttl_ms: Math.round(operation.keyTtlMs ?? DEFAULT_KEY_TTL_MS),
    state: 'admitted',
    version: 1,
    attempt: claim.number,
    fence: claim.fence,
    owner_id: claim.ownerId,
    generation,
    tries: 1,
    first_at: at,
    elapsed_ms: write.elapsedMs,
    before_sha256: before?.sha256 ?? null,
    is_settled: false,
    is_absent: false,
    may_repeat: false,
    outcome: null,
    outcome_sha256: null,
    after_sha256: null,
    attested_by: null,
    part_json: sensitive ? null : keptText(part),
    before_json: before === null ? null : keptText(before),
    outcome_json: null,
  };
}

/** Records how an operation came out. */
export function recordOperation(
  tx: StoreTransaction,
  claim: Claim,
  write: OperationWrite & { readonly outcome: RecordedOutcome },
): void {
  const { draft, elapsedMs, outcome } = write;
  writeOperation(tx, claim, {
    write,
    type: outcome.found === null ? 'operation-recorded' : 'operation-reconciled',
    facts: outcome.found === null ? undefined : { reconciliation: outcome.found },
    tell(row, payloads) {
      row['state'] = 'recorded';
      tellPerformer(row, claim, draft.row);
      tellGeneration(row, draft);
      row['elapsed_ms'] = elapsedMs;
      row['is_settled'] = 1;
      if (outcome.kind === 'failed') row['is_absent'] = outcome.isClean ? 1 : 0;
      row['outcome'] = outcome.kind;
      row['outcome_sha256'] = outcome.payload.sha256;
      payloads['outcome_sha256'] = outcome.payload;
      if (draft.before !== null) row['before_sha256'] = draft.before.sha256;
      if (outcome.after !== null) {
        row['after_sha256'] = outcome.after.sha256;
        payloads['after_sha256'] = outcome.after;
      }
      if (outcome.durationMs !== null) row['duration_ms'] = Math.round(outcome.durationMs);
      if (outcome.usage !== null) tellUsage(row, outcome.usage);
    },
  });
}

/** Marks an operation whose outcome nobody knows. */
export function doubtOperation(
  tx: StoreTransaction,
  claim: Claim,
  write: OperationWrite & {
    readonly isSettled: boolean;
    readonly isAbsent: boolean;
    /** Performances that left no trace of their own. */
    readonly tries?: number;
  },
): OperationRow {
  const { draft, elapsedMs } = write;
  return writeOperation(tx, claim, {
    write,
    type: 'operation-doubted',
    facts: undefined,
    tell(row) {
      row['state'] = 'uncertain';
      row['elapsed_ms'] = elapsedMs;
      row['is_settled'] = write.isSettled ? 1 : 0;
      row['is_absent'] = write.isAbsent ? 1 : 0;
      if (draft.row !== null) return;
      if (write.tries !== undefined) row['tries'] = write.tries;
      tellPerformer(row, claim, null);
      if (draft.before !== null) row['before_sha256'] = draft.before.sha256;
    },
  }).row();
}

/** Proposes an operation that a person is asked about; nothing of it is performed. */
export function proposeOperation(tx: StoreTransaction, claim: Claim, write: OperationWrite): void {
  writeOperation(tx, claim, {
    write,
    type: 'operation-proposed',
    facts: undefined,
    tell(row) {
      row['state'] = 'proposed';
      row['elapsed_ms'] = write.elapsedMs;
      tellPerformer(row, claim, null);
      if (write.draft.row === null) row['tries'] = 0;
    },
  });
}

/** A patch while it is put together: assigning is many times as fast as spreading objects into each other. */
interface OpenPatch {
  [column: string]: JsonValue;
}

/** One record about an operation. */
interface OperationRecord {
  readonly write: OperationWrite;
  readonly type: string;
  readonly facts: JsonObject | undefined;
  /** Puts in what is new, and the payloads that it names. */
  readonly tell: (row: OpenPatch, payloads: { [column: string]: Payload }) => void;
}

function writeOperation(
  tx: StoreTransaction,
  claim: Claim,
  { write, type, facts, tell }: OperationRecord,
): { readonly row: () => OperationRow; readonly at: string } {
  const { draft } = write;
  const claimed = readClaimed(tx, claim, write.now);
  const goal = appendNotes(tx, claimed.goal, { claim, notes: write.notes });
  const row: OpenPatch = { task_id: claim.taskId, key: draft.operation.key };
  const payloads: { [column: string]: Payload } = {};
  if (draft.row === null) tellFirst(row, draft, goal.at);
  tell(row, payloads);
  if (draft.before !== null) payloads['before_sha256'] = draft.before;
  if (draft.row === null && draft.operation.sensitive !== true) {
    payloads['part_sha256'] = draft.part;
  }
  if (draft.row !== null) row['version'] = draft.row.version + 1;
  const change =
    draft.row === null
      ? added('operations', row, payloads)
      : changedFrom(draft.row, { table: 'operations', row, payloads });
  const begun = beginning(claim, claimed.attemptState);
  appendRecord(tx, goal, {
    type,
    actor: claim.actor,
    ...(facts === undefined ? {} : { facts }),
    changes: begun.length === 0 ? [change] : [...begun, change],
  });
  return { row: () => patchedRow(draft.row, row, payloads), at: goal.at };
}

function tellFirst(
  row: OpenPatch,
  { operation, describe, part, inputSha256 }: OperationDraft,
  at: string,
): void {
  row['step'] = operation.step;
  row['kind'] = operation.kind;
  row['effect'] = operation.effect;
  row['repeat'] = operation.repeat;
  row['describe'] = describe;
  row['input_sha256'] = inputSha256;
  row['part_sha256'] = part.sha256;
  row['first_at'] = at;
  if (operation.metered) row['metered'] = 1;
  if (operation.sensitive === true) row['sensitive'] = 1;
  if (operation.extends !== undefined) row['extends'] = operation.extends;
  if (operation.usageBound !== undefined) row['usage_bound'] = { ...operation.usageBound };
  if (operation.keyTtlMs !== undefined) row['key_ttl_ms'] = Math.round(operation.keyTtlMs);
}

/** Tells who performs it, as far as the row does not say so. */
function tellPerformer(row: OpenPatch, claim: Claim, before: OperationRow | null): void {
  if (before?.attempt !== claim.number) row['attempt'] = claim.number;
  if (before?.fence !== claim.fence) row['fence'] = claim.fence;
  if (before?.owner_id !== claim.ownerId) row['owner_id'] = claim.ownerId;
}

function tellGeneration(row: OpenPatch, { row: before, generation }: OperationDraft): void {
  if (before?.generation !== generation) row['generation'] = generation;
}

function tellUsage(row: OpenPatch, usage: Usage): void {
  for (const name of USAGE_NAMES) {
    const amount = usage[name];
    const whole = Math.round(amount ?? Number.NaN);
    // What no counter can have counted says nothing.
    if (Number.isSafeInteger(whole) && whole >= 0) row[name] = whole;
  }
}

const DEFAULT_KEY_TTL_MS = Number(TABLES.operations.defaults['key_ttl_ms']);
const UNSETTLED = {
  is_settled: 0,
  is_absent: 0,
  may_repeat: 0,
  outcome: null,
  outcome_sha256: null,
};

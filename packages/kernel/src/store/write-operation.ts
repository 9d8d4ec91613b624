import type { JsonObject, JsonValue, Operation, Usage } from '@millforge/contracts';
import type { Transaction } from '../sqlite/database.ts';
import { appendNotes, type Note } from './append-notes.ts';
import { added, appendRecord, changed, type RowPatch, type RowPayloads } from './append-record.ts';
import { beginning, type Claim, readClaimed } from './claim.ts';
import { type OperationRow, patchedRow } from './operation-row.ts';
import type { Payload } from './payloads.ts';
import { USAGE_NAMES } from './read-usage.ts';

/** An operation on its way into the record. */
export interface OperationDraft {
  readonly operation: Operation;
  /** Redacted line for a person. */
  readonly describe: string;
  /** The part of the input that is its own. */
  readonly part: Payload;
  /** Digest over that part and all that it extends. */
  readonly inputSha256: string;
  /** The row, when the operation left a trace before. */
  readonly row: OperationRow | null;
  readonly generation: number;
  readonly before: Payload | null;
}

/** What every write of an operation is given. */
export interface OperationWrite {
  readonly draft: OperationDraft;
  readonly notes: readonly Note[];
  readonly elapsedMs: number;
  readonly now: number;
}

/** A recorded outcome. */
export interface RecordedOutcome {
  readonly kind: 'done' | 'failed' | 'refused';
  readonly payload: Payload;
  readonly after: Payload | null;
  readonly usage: Usage | null;
  readonly durationMs: number | null;
  /** What reconciliation found, when the outcome comes from looking. */
  readonly found: JsonValue;
}

/** Admits an operation before it is performed, or once more before it is repeated. */
export function admitOperation(
  tx: Transaction,
  claim: Claim,
  write: OperationWrite & { readonly facts?: JsonObject },
): OperationRow {
  const { draft } = write;
  return writeOperation(tx, claim, {
    ...write,
    type: draft.row === null ? 'operation-admitted' : 'operation-readmitted',
    patch: {
      state: 'admitted',
      attempt: claim.number,
      fence: claim.fence,
      owner_id: claim.ownerId,
      generation: draft.generation,
      elapsed_ms: write.elapsedMs,
      ...(draft.before === null ? {} : { before_sha256: draft.before.sha256 }),
      ...(draft.row === null ? {} : { tries: draft.row.tries + 1, ...UNSETTLED }),
    },
  });
}

/** Records how an operation came out. */
export function recordOperation(
  tx: Transaction,
  claim: Claim,
  write: OperationWrite & { readonly outcome: RecordedOutcome },
): void {
  const { draft, outcome } = write;
  writeOperation(tx, claim, {
    ...write,
    type: outcome.found === null ? 'operation-recorded' : 'operation-reconciled',
    ...(outcome.found === null ? {} : { facts: { reconciliation: outcome.found } }),
    patch: {
      state: 'recorded',
      attempt: claim.number,
      fence: claim.fence,
      owner_id: claim.ownerId,
      generation: draft.generation,
      elapsed_ms: write.elapsedMs,
      is_settled: 1,
      outcome: outcome.kind,
      outcome_sha256: outcome.payload.sha256,
      ...(draft.before === null ? {} : { before_sha256: draft.before.sha256 }),
      ...(outcome.after === null ? {} : { after_sha256: outcome.after.sha256 }),
      ...(outcome.durationMs === null ? {} : { duration_ms: Math.round(outcome.durationMs) }),
      ...usagePatch(outcome.usage),
    },
    payloads: {
      outcome_sha256: outcome.payload,
      ...(outcome.after === null ? {} : { after_sha256: outcome.after }),
    },
  });
}

/** Marks an operation whose outcome nobody knows. */
export function doubtOperation(
  tx: Transaction,
  claim: Claim,
  write: OperationWrite & { readonly isSettled: boolean; readonly isAbsent: boolean },
): OperationRow {
  return writeOperation(tx, claim, {
    ...write,
    type: 'operation-doubted',
    patch: {
      state: 'uncertain',
      elapsed_ms: write.elapsedMs,
      is_settled: write.isSettled ? 1 : 0,
      is_absent: write.isAbsent ? 1 : 0,
      ...(write.draft.row === null
        ? {
            attempt: claim.number,
            fence: claim.fence,
            owner_id: claim.ownerId,
            ...(write.draft.before === null ? {} : { before_sha256: write.draft.before.sha256 }),
          }
        : {}),
    },
  });
}

function writeOperation(
  tx: Transaction,
  claim: Claim,
  write: OperationWrite & {
    readonly type: string;
    readonly patch: RowPatch;
    readonly payloads?: RowPayloads;
    readonly facts?: JsonObject;
  },
): OperationRow {
  const { draft, patch } = write;
  const claimed = readClaimed(tx, claim, write.now);
  const goal = appendNotes(tx, claimed.goal, { claim, notes: write.notes });
  const key = { task_id: claim.taskId, key: draft.operation.key };
  const first = draft.row === null ? firstPatch(draft, goal.at) : null;
  const payloads: RowPayloads = {
    ...write.payloads,
    ...(draft.before === null ? {} : { before_sha256: draft.before }),
    ...(first === null || draft.operation.sensitive === true ? {} : { part_sha256: draft.part }),
  };
  appendRecord(tx, goal, {
    type: write.type,
    actor: claim.actor,
    ...(write.facts === undefined ? {} : { facts: write.facts }),
    changes: [
      ...beginning(claim, claimed.attemptState),
      first === null
        ? changed('operations', { ...key, ...patch }, payloads)
        : added('operations', { ...key, ...first, ...patch }, payloads),
    ],
  });
  return patchedRow(draft.row, first === null ? patch : { ...key, ...first, ...patch }, payloads);
}

function firstPatch(
  { operation, describe, part, inputSha256 }: OperationDraft,
  at: string,
): RowPatch {
  return {
    step: operation.step,
    kind: operation.kind,
    effect: operation.effect,
    repeat: operation.repeat,
    describe,
    input_sha256: inputSha256,
    part_sha256: part.sha256,
    first_at: at,
    ...(operation.metered ? { metered: 1 } : {}),
    ...(operation.sensitive === true ? { sensitive: 1 } : {}),
    ...(operation.extends === undefined ? {} : { extends: operation.extends }),
    ...(operation.keyTtlMs === undefined ? {} : { key_ttl_ms: Math.round(operation.keyTtlMs) }),
  };
}

function usagePatch(usage: Usage | null): RowPatch {
  const patch: { [column: string]: number } = {};
  for (const name of USAGE_NAMES) {
    const amount = usage?.[name];
    if (typeof amount === 'number' && Number.isFinite(amount) && amount >= 0) {
      patch[name] = Math.round(amount);
    }
  }
  return patch;
}

const UNSETTLED = {
  is_settled: 0,
  is_absent: 0,
  may_repeat: 0,
  outcome: null,
  outcome_sha256: null,
};

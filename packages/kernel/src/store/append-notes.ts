import { digest, type JsonObject, type JsonValue } from '@millforge/contracts';
import { added, appendRecord } from './append-record.ts';
import type { Claim } from './claim.ts';
import type { GoalHead } from './goal-row.ts';
import { savePayload, toPayload } from './payloads.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** A decision of a run that is no operation. */
export interface Note {
  /** Names it in its task. */
  readonly key: string;
  /** Step of the program that appended it. */
  readonly step: number;
  /** Noun-verb. */
  readonly type: string;
  /** What was decided. */
  readonly data: JsonValue;
  /** What two appends under one key are compared by. */
  readonly sha256: string;
}

/** What two appends under one key are compared by. */
export function noteSha256({ step, type, data }: Pick<Note, 'step' | 'type' | 'data'>): string {
  return digest({ step, type, data });
}

/** Appends the decisions that wait, each as a record of its own. */
export function appendNotes<Goal extends GoalHead>(
  tx: StoreTransaction,
  goal: Goal,
  { claim, notes }: { readonly claim: Claim; readonly notes: readonly Note[] },
): Goal {
  let head = goal;
  for (const note of notes) {
    head = appendRecord(tx, head, {
      type: note.type,
      actor: claim.actor,
      changes: [added('notes', { task_id: claim.taskId, key: note.key, note_sha256: note.sha256 })],
      facts: { step: note.step, ...boundedData(tx, goal, note.data) },
    });
  }
  return head;
}

/** Keeps large data beside the trail, by digest. */
function boundedData(tx: StoreTransaction, goal: GoalHead, data: JsonValue): JsonObject {
  const payload = toPayload(data);
  if (payload.text.length <= MAX_DATA_BYTES) return { data };
  savePayload(tx, goal.tenant, payload);
  return { oversize: { bytes: payload.text.length, sha256: payload.sha256 } };
}

// A record holds at most 64 KiB; the rest of it, rows and names, stays far below 4 KiB.
const MAX_DATA_BYTES = 60 * 1024;

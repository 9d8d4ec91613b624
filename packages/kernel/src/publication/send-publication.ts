import { digest } from '@millforge/contracts';
import type { Transaction } from '../sqlite/database.ts';
import { appendRecord, changed } from '../store/append-record.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { refuseImported } from '../store/refuse-imported.ts';
import { expireIfDue, notAllowed } from './end-approval.ts';
import { refuseInFlight } from './intend-publication.ts';
import { type PublicationRow, readPublication } from './publication-row.ts';

/** A publication whose approval was consumed: it is sent once, now, by whoever got this. */
export interface Sending {
  readonly operationId: string;
  /** Wall-clock time after which nothing is sent any more, in milliseconds. */
  readonly sendByMs: number;
}

/** Consumes the approval; null when its time was over, which is recorded. */
export function sendPublication(
  tx: Transaction,
  goal: GoalRow,
  sending: { readonly publicationId: string; readonly actor: string; readonly ownerId: string },
): Sending | null {
  const { actor, ownerId } = sending;
  refuseImported(tx, goal);
  const publication = readPublication(tx, goal, sending.publicationId);
  if (expireIfDue(tx, goal, { publication, actor }).isExpired) return null;
  if (publication.state !== 'approved') {
    throw notAllowed(publication, 'only what is approved is sent, and only once');
  }
  refuseInFlight(tx, goal, publication);
  const operationId = operationIdOf(publication);
  const sendBy = sendByOf(publication, goal);
  appendRecord(tx, goal, {
    type: 'publication-dispatched',
    actor,
    changes: [
      changed('publications', {
        publication_id: publication.publication_id,
        state: 'sending',
        operation_id: operationId,
        owner_id: ownerId,
        sent_by: actor,
        sent_at: goal.at,
        send_by: sendBy,
      }),
    ],
  });
  return { operationId, sendByMs: Date.parse(sendBy) };
}

/** The same in every copy of the trail, so that a receiver knows it again wherever it comes from. */
function operationIdOf({ intent, intent_sha256 }: PublicationRow): string {
  return digest({ kind: 'publication_operation', goal_uid: intent.goal_uid, intent_sha256 });
}

function sendByOf({ expires_at }: PublicationRow, { at }: GoalRow): string {
  const sendBy = new Date(Date.parse(at) + SEND_WITHIN_MS).toISOString();
  return expires_at !== null && expires_at < sendBy ? expires_at : sendBy;
}

/** A process that was stopped for longer sends nothing when it goes on. */
export const SEND_WITHIN_MS = 30_000;

import { deepFreeze, type JsonValue } from '@millforge/contracts';
import type { OwnerView } from '../goal-view.ts';
import { notFound } from '../kernel-error.ts';
import type { Transaction } from '../sqlite/database.ts';
import type { GoalRow } from '../store/goal-row.ts';
import {
  oneOf,
  PUBLICATION_REASONS,
  PUBLICATION_STATES,
  textOrNull,
} from '../store/read-column.ts';
import type { SqlRow } from '../store/sql-row.ts';
import type { PublicationIntent } from './publication-intent.ts';
import type { PublicationState, PublicationView } from './publication-view.ts';

/** A publication inside a transaction. */
export interface PublicationRow {
  readonly publication_id: string;
  readonly round: number;
  readonly request_sha256: string;
  readonly intent: PublicationIntent;
  readonly intent_sha256: string;
  readonly action_sha256: string;
  readonly payload_sha256: string;
  readonly state: PublicationState;
  readonly version: number;
  readonly approved_by: string | null;
  readonly expires_at: string | null;
  readonly operation_id: string | null;
  readonly owner_id: string | null;
  /** When the sender was first known to be through with it. */
  readonly settled_at: string | null;
  /** Whether it was copied while somebody else could still send it. */
  readonly is_restored: boolean;
  readonly row: SqlRow;
}

type Goal = Pick<GoalRow, 'goal' | 'tenant'>;

/** Reads one publication; `kernel/not-found` otherwise. */
export function readPublication(
  tx: Transaction,
  { goal, tenant }: Goal,
  publicationId: string,
): PublicationRow {
  const row = tx.get(
    'SELECT * FROM publications WHERE goal = ? AND tenant = ? AND publication_id = ?',
    goal,
    tenant,
    publicationId,
  );
  if (row === undefined) throw notFound('publication');
  return toPublicationRow(row);
}

/** Reads all publications of a goal, in the order in which they were intended. */
export function readPublications(
  tx: Transaction,
  { goal, tenant }: Goal,
): readonly PublicationRow[] {
  return tx
    .all('SELECT * FROM publications WHERE goal = ? AND tenant = ? ORDER BY rowid', goal, tenant)
    .map(toPublicationRow);
}

/** Reads the last round of an equal request; null when there is none. */
export function readLastRound(
  tx: Transaction,
  { goal, tenant }: Goal,
  requestSha256: string,
): PublicationRow | null {
  const row = tx.get(
    'SELECT * FROM publications WHERE goal = ? AND tenant = ? AND request_sha256 = ? ORDER BY round DESC LIMIT 1',
    goal,
    tenant,
    requestSha256,
  );
  return row === undefined ? null : toPublicationRow(row);
}

/** The goal that has the same thing on its way to the same place, with no known end; null when none has. */
export function goalInFlight(
  tx: Transaction,
  { tenant }: Pick<GoalRow, 'tenant'>,
  what: Pick<PublicationRow, 'action_sha256' | 'payload_sha256'>,
): string | null {
  // What was imported stands elsewhere, and is settled there.
  const row = tx.get(
    `SELECT goals.goal_id FROM publications JOIN goals ON goals.goal = publications.goal
      WHERE publications.tenant = ? AND action_sha256 = ? AND payload_sha256 = ?
        AND publications.state IN ('sending', 'unknown')
        AND publications.goal NOT IN (SELECT goal FROM imports) LIMIT 1`,
    tenant,
    what.action_sha256,
    what.payload_sha256,
  );
  return row === undefined ? null : String(row['goal_id']);
}

/** A row as a frozen document. */
export function toPublicationView(
  { goal_id }: Pick<GoalRow, 'goal_id'>,
  {
    publication,
    sender,
  }: { readonly publication: PublicationRow; readonly sender: OwnerView | null },
): PublicationView {
  const { row, approved_by, operation_id, settled_at } = publication;
  const text = (column: string): string => String(row[column]);
  const reason = row['reason'] ?? null;
  return deepFreeze({
    kind: 'publication',
    schema_version: '1.0',
    goal_id,
    publication_id: publication.publication_id,
    state: publication.state,
    version: publication.version,
    intent: publication.intent,
    intent_sha256: publication.intent_sha256,
    intended_by: text('intended_by'),
    intended_at: text('intended_at'),
    approval:
      approved_by === null
        ? null
        : {
            by: approved_by,
            at: text('approved_at'),
            expires_at: text('expires_at'),
            reason: text('approval_reason'),
          },
    operation:
      operation_id === null
        ? null
        : {
            operation_id,
            sent_by: text('sent_by'),
            sent_at: text('sent_at'),
            send_by: text('send_by'),
            sender,
            settled_at,
          },
    reason: reason === null ? null : oneOf(PUBLICATION_REASONS, reason),
    message: textOrNull(row['message']),
    ended_by: textOrNull(row['ended_by']),
    ended_at: textOrNull(row['ended_at']),
    evidence: jsonOrNull(row['evidence']),
    is_restored: publication.is_restored,
    late_answer: jsonOrNull(row['late_answer']),
  });
}

/** Types a row of `publications`. */
export function toPublicationRow(row: SqlRow): PublicationRow {
  return {
    publication_id: String(row['publication_id']),
    round: Number(row['round']),
    request_sha256: String(row['request_sha256']),
    // The column holds what `intendPublication` encoded, and nothing else; `verifyTrail` compares it.
    intent: JSON.parse(String(row['intent'])) as PublicationIntent,
    intent_sha256: String(row['intent_sha256']),
    action_sha256: String(row['action_sha256']),
    payload_sha256: String(row['payload_sha256']),
    state: oneOf(PUBLICATION_STATES, row['state']),
    version: Number(row['version']),
    approved_by: textOrNull(row['approved_by']),
    expires_at: textOrNull(row['expires_at']),
    operation_id: textOrNull(row['operation_id']),
    owner_id: textOrNull(row['owner_id']),
    settled_at: textOrNull(row['settled_at']),
    is_restored: row['is_restored'] === 1,
    row,
  };
}

function jsonOrNull(value: unknown): JsonValue {
  // A column of canonical JSON, written by this package only.
  return typeof value === 'string' ? (JSON.parse(value) as JsonValue) : null;
}

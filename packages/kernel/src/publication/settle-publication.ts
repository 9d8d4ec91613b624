import type { JsonValue } from '@millforge/contracts';
import type { Transaction } from '../sqlite/database.ts';
import { appendRecord, changed, type RowPatch } from '../store/append-record.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { refuseImported } from '../store/refuse-imported.ts';
import { type PublicationRow, readPublication } from './publication-row.ts';
import type { PublicationReason } from './publication-view.ts';

/** What is found about a publication that was sent. */
export interface Finding {
  /** What it comes to. */
  readonly state: 'accepted' | 'rejected' | 'unknown';
  readonly reason: PublicationReason;
  /** One sentence, redacted. */
  readonly message: string;
  /** What the receiver said, redacted. */
  readonly evidence: JsonValue;
}

/** A finding about one publication, and who has it. */
interface Found {
  readonly publicationId: string;
  readonly finding: Finding;
  readonly actor: string;
  /** Whether the sender is known to be through with it, so that nothing more can be sent. */
  readonly isSettled: boolean;
}

/** Records what the sender itself learned; an end that others settled meanwhile stands, and the answer is kept beside it. */
export function recordAnswer(tx: Transaction, goal: GoalRow, found: Found): void {
  const publication = readPublication(tx, goal, found.publicationId);
  if (isOpen(publication)) {
    settle(tx, goal, { ...found, publication });
    return;
  }
  appendRecord(tx, goal, {
    type: 'publication-answered-late',
    actor: found.actor,
    changes: [
      changed('publications', {
        publication_id: publication.publication_id,
        late_answer: { ...found.finding },
        ...settledNow(publication, goal, found.isSettled),
      }),
    ],
  });
}

/** Records what somebody found by looking, unless the publication has changed since. */
export function recordFinding(
  tx: Transaction,
  goal: GoalRow,
  found: Found & { readonly version: number },
): void {
  refuseImported(tx, goal);
  const publication = readPublication(tx, goal, found.publicationId);
  if (publication.version !== found.version || !isOpen(publication)) return;
  settle(tx, goal, { ...found, publication });
}

/** Records what became of a publication. */
export function settle(
  tx: Transaction,
  goal: GoalRow,
  {
    publication,
    finding: { state, reason, message, evidence },
    actor,
    isSettled,
  }: Omit<Found, 'publicationId'> & { readonly publication: PublicationRow },
): void {
  appendRecord(tx, goal, {
    type: reason === 'attested' ? 'publication-attested' : `publication-${state}`,
    actor,
    changes: [
      changed('publications', {
        publication_id: publication.publication_id,
        state,
        reason,
        message,
        ended_by: actor,
        ended_at: goal.at,
        ...(evidence === null ? {} : { evidence }),
        ...settledNow(publication, goal, isSettled),
      }),
    ],
  });
}

function isOpen({ state }: PublicationRow): boolean {
  return state === 'sending' || state === 'unknown';
}

function settledNow({ settled_at }: PublicationRow, goal: GoalRow, isSettled: boolean): RowPatch {
  return isSettled && settled_at === null ? { settled_at: goal.at } : {};
}

import { kernelError } from '../kernel-error.ts';
import type { Transaction } from '../sqlite/database.ts';
import { appendRecord, changed } from '../store/append-record.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { refuseImported } from '../store/refuse-imported.ts';
import { type PublicationRow, readPublication } from './publication-row.ts';

/** Ends an approval whose time is over; gives the goal to go on with. */
export function expireIfDue(
  tx: Transaction,
  goal: GoalRow,
  { publication, actor }: { readonly publication: PublicationRow; readonly actor: string },
): { readonly goal: GoalRow; readonly isExpired: boolean } {
  if (!isOverdue(publication, goal)) return { goal, isExpired: publication.state === 'expired' };
  const expired = appendRecord(tx, goal, {
    type: 'publication-expired',
    actor,
    changes: [
      changed('publications', {
        publication_id: publication.publication_id,
        state: 'expired',
        reason: 'expired',
        message: `The approval was good until ${String(publication.expires_at)} and was not used.`,
        ended_by: actor,
        ended_at: goal.at,
      }),
    ],
  });
  return { goal: expired, isExpired: true };
}

/** Takes an approval back while it is unused, or withdraws what was only intended. */
export function revokePublication(
  tx: Transaction,
  goal: GoalRow,
  revocation: {
    readonly publicationId: string;
    readonly reason: string;
    readonly actor: string;
  },
): void {
  refuseImported(tx, goal);
  const publication = readPublication(tx, goal, revocation.publicationId);
  const { actor } = revocation;
  const { goal: current, isExpired } = expireIfDue(tx, goal, { publication, actor });
  // Whoever wants it not to happen has that already.
  if (isExpired || publication.state === 'revoked') return;
  if (publication.state !== 'intended' && publication.state !== 'approved') {
    throw notAllowed(publication, 'only what was not sent yet can be taken back');
  }
  appendRecord(tx, current, {
    type: 'publication-revoked',
    actor,
    changes: [
      changed('publications', {
        publication_id: publication.publication_id,
        state: 'revoked',
        reason: 'revoked',
        message: revocation.reason,
        ended_by: actor,
        ended_at: current.at,
      }),
    ],
  });
}

/** The refusal of a step that a publication's state does not take. */
export function notAllowed({ publication_id, state }: PublicationRow, why: string): Error {
  return kernelError(
    'kernel/publication-not-allowed',
    `The publication ${publication_id} is ${state}; ${why}.`,
    { state },
  );
}

/** Judged by the later of the clock and the trail, so that a clock that is set back revives no approval. */
function isOverdue({ state, expires_at }: PublicationRow, { at }: GoalRow): boolean {
  return state === 'approved' && expires_at !== null && expires_at <= at;
}

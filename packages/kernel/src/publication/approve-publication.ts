import { kernelError } from '../kernel-error.ts';
import type { Transaction } from '../sqlite/database.ts';
import { appendRecord, changed } from '../store/append-record.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { refuseImported } from '../store/refuse-imported.ts';
import { notAllowed } from './end-approval.ts';
import { readPublication } from './publication-row.ts';

/** An approval as a person gives it. */
export interface Approval {
  /** Digest of the intent that the person saw. */
  readonly intentSha256: string;
  /** How long it is good: 1 s to 7 days, in milliseconds. */
  readonly validForMs: number;
  /** Why. */
  readonly reason: string;
}

/** Records an approval of exactly one intent. */
export function approvePublication(
  tx: Transaction,
  goal: GoalRow,
  approval: Approval & { readonly publicationId: string; readonly actor: string },
): void {
  const { actor, reason, validForMs } = approval;
  refuseImported(tx, goal);
  const publication = readPublication(tx, goal, approval.publicationId);
  if (publication.intent_sha256 !== approval.intentSha256) {
    throw kernelError(
      'kernel/intent-mismatch',
      `The publication ${publication.publication_id} has the intent ${publication.intent_sha256}; read it, then approve that digest.`,
    );
  }
  if (publication.state !== 'intended') {
    throw notAllowed(
      publication,
      'an intent is approved once; intend it again for another approval',
    );
  }
  appendRecord(tx, goal, {
    type: 'publication-approved',
    actor,
    changes: [
      changed('publications', {
        publication_id: publication.publication_id,
        state: 'approved',
        approved_by: actor,
        approved_at: goal.at,
        approval_reason: reason,
        expires_at: new Date(Date.parse(goal.at) + validForMs).toISOString(),
      }),
    ],
  });
}

/** Refuses an approval that says nothing or too much. */
export function checkApproval({ validForMs, reason }: Approval): void {
  if (!Number.isSafeInteger(validForMs) || validForMs < 1000 || validForMs > 604_800_000) {
    throw kernelError(
      'kernel/intent-invalid',
      'An approval is good for 1 second to 7 days; expected 1,000 to 604,800,000 milliseconds.',
    );
  }
  checkReason(reason);
}

/** Refuses a decision without a reason. */
export function checkReason(reason: string): void {
  if (typeof reason === 'string' && reason.trim() !== '' && reason.length <= 2048) return;
  throw kernelError('kernel/intent-invalid', 'A decision needs a reason of 1 to 2,048 characters.');
}

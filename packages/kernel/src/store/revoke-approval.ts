import type { Decision } from '../decision.ts';
import type { HoldView } from '../goal-view.ts';
import { kernelError } from '../kernel-error.ts';
import { readLatestAttempt } from './attempt-row.ts';
import type { GoalRow } from './goal-row.ts';
import { readOperation } from './operation-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Whether a decision takes back an approval that was given before. */
export function revokesApproval(hold: HoldView, { decision }: Decision): boolean {
  return (
    hold.reason === 'approval-required' &&
    hold.decision?.decision === 'approve' &&
    decision === 'deny'
  );
}

/** Refuses to take back what was used already, or may be used at this moment. */
export function assertUnused(
  tx: StoreTransaction,
  goal: GoalRow,
  {
    hold,
    isOwnerAlive,
  }: { readonly hold: HoldView; readonly isOwnerAlive: (ownerId: string) => boolean },
): void {
  const subject = hold.facts.approval?.for ?? null;
  const used =
    subject === null ? null : readOperation(tx, goal, { taskId: hold.task_id, key: subject });
  if (used !== null) {
    throw kernelError(
      'kernel/hold-decided',
      `The approval was used: ${subject} was begun under it. It cannot be taken back any more.`,
    );
  }
  const attempt = readLatestAttempt(tx, goal, hold.task_id);
  if (attempt?.state === 'running' && isOwnerAlive(attempt.owner_id)) {
    throw kernelError(
      'kernel/decision-not-allowed',
      'The goal is running and may be using the approval at this moment; stop it first, then take the approval back.',
    );
  }
}

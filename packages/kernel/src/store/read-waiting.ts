import type { StoreTransaction } from './store-transaction.ts';

/** A goal that somebody could run. */
export interface WaitingGoal {
  /** Whose it is. */
  readonly tenant: string;
  /** Name in its tenant. */
  readonly goalId: string;
  /** What the host works on. */
  readonly resource: string;
  /** When it last changed itself: a claim, a new state. */
  readonly headAt: string;
  /** Number under which the store keeps it. */
  readonly goal: number;
}

/** Reads a page of goals that could go on, the longest waiting first. */
export function readWaiting(
  tx: StoreTransaction,
  after: WaitingGoal | null,
): readonly WaitingGoal[] {
  return tx.waiting(after, WAITING_PAGE).map((row) => ({
    tenant: String(row['tenant']),
    goalId: String(row['goal_id']),
    resource: String(row['resource']),
    headAt: String(row['head_at']),
    goal: Number(row['goal']),
  }));
}

/** Goals on a full page. */
export const WAITING_PAGE = 64;

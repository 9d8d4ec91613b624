import type { Transaction } from '../sqlite/database.ts';

/** A goal that somebody could run. */
export interface WaitingGoal {
  readonly tenant: string;
  readonly goalId: string;
  readonly resource: string;
  /** When its trail last grew. */
  readonly headAt: string;
  /** Number under which the store keeps it. */
  readonly goal: number;
}

/** Reads a page of goals that could go on, the longest waiting first. */
export function readWaiting(tx: Transaction, after: WaitingGoal | null): readonly WaitingGoal[] {
  return tx
    .all(
      `SELECT goal, tenant, goal_id, resource, head_at FROM goals
        WHERE goal IN (SELECT goal FROM tasks WHERE state IN ('ready', 'running')
                       UNION SELECT goal FROM goals WHERE state = 'checking')
          AND state IN ('ready', 'running', 'checking') AND goal NOT IN (SELECT goal FROM imports)
          AND (head_at > ? OR (head_at = ? AND goal > ?))
        ORDER BY head_at, goal LIMIT ${WAITING_PAGE}`,
      after?.headAt ?? '',
      after?.headAt ?? '',
      after?.goal ?? 0,
    )
    .map((row) => ({
      tenant: String(row['tenant']),
      goalId: String(row['goal_id']),
      resource: String(row['resource']),
      headAt: String(row['head_at']),
      goal: Number(row['goal']),
    }));
}

/** Goals on a full page. */
export const WAITING_PAGE = 64;

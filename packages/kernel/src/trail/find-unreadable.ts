import { MillforgeError } from '@millforge/contracts';
import { toPublicationRow, toPublicationView } from '../publication/publication-row.ts';
import { readTasks } from '../store/attempt-row.ts';
import { type GoalRow, readGoalRow } from '../store/goal-row.ts';
import { readOperations } from '../store/operation-row.ts';
import { readContract } from '../store/read-contract.ts';
import { readGoalView } from '../store/read-goal-view.ts';
import type { StoreTransaction } from '../store/store-transaction.ts';

/**
 * Reads a goal as every reader of the store does; says what cannot be read, or null.
 *
 * Digests show that nobody changed a trail after it was written, not that a kernel wrote it: one goal that cannot be
 * read would be met by every listing.
 */
export function findUnreadable(
  tx: StoreTransaction,
  {
    tenant,
    goalId,
    now,
  }: { readonly tenant: string; readonly goalId: string; readonly now: number },
): string | null {
  try {
    const goal = readGoalRow(tx, tenant, { goalId, now });
    if (readContract(tx, goal).goal_id !== goalId) return 'its contract is that of another goal';
    readGoalView(tx, tenant, { goalId, now, owners: NOBODY });
    for (const row of tx.list('publications', { goal: goal.goal, tenant })) {
      toPublicationView(goal, { publication: toPublicationRow(row), sender: null });
    }
    return readTasks(tx, goal).reduce<string | null>(
      (found, { task_id }) => found ?? findLooseInput(tx, goal, task_id),
      null,
    );
  } catch (error) {
    // A word or a shape that nobody writes; whatever else is thrown is a fault of the file.
    const isForeign =
      MillforgeError.is(error) || error instanceof TypeError || error instanceof RangeError;
    if (!isForeign) throw error;
    return 'its rows hold what no version writes';
  }
}

/** An operation continues the input of one before it, or there would be no end of reading it. */
function findLooseInput(tx: StoreTransaction, goal: GoalRow, taskId: string): string | null {
  const known = new Set<string>();
  for (const operation of readOperations(tx, goal, taskId)) {
    if (operation.extends !== null && !known.has(operation.extends)) {
      return `the operation ${operation.key.slice(0, 64)} continues none before it`;
    }
    known.add(operation.key);
  }
  return null;
}

/** What is imported was never run here. */
const NOBODY: Parameters<typeof readGoalView>[2]['owners'] = {
  isAlive: () => false,
  read: (_, ownerId) => ({ owner_id: ownerId, pid: 0, host: '', started_at: '' }),
};

import { type JsonObject, unreachable } from '@millforge/contracts';
import type { HoldView } from '../goal-view.ts';
import { isLegal } from '../states/transitions.ts';
import { added, appendRecord, changed, type RowChange } from './append-record.ts';
import { readTasks } from './attempt-row.ts';
import type { GoalHead } from './goal-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** A question to a person. */
export interface HoldDraft {
  /** Why a person is asked. */
  readonly reason: HoldView['reason'];
  /** The question, redacted. */
  readonly message: string;
  /** The task that waits. */
  readonly taskId: string;
  /** Its attempt, if it is about one. */
  readonly attempt: number | null;
  /** The operation, if it is about one. */
  readonly operationKey: string | null;
  /** What is known. */
  readonly facts: JsonObject;
}

/** Opens a hold: the goal and its task wait; running attempts go on, none starts. */
export function openHold(
  tx: StoreTransaction,
  goal: GoalHead,
  {
    hold,
    actor,
    changes,
    isDecided = false,
  }: {
    readonly hold: HoldDraft;
    readonly actor: string;
    readonly changes: readonly RowChange[];
    /** Whether the decision follows in the same transaction, so that nothing waits. */
    readonly isDecided?: boolean;
  },
): { readonly goal: GoalHead; readonly holdId: string } {
  const count = tx.count('holds', { goal: goal.goal, tenant: goal.tenant });
  const holdId = `hold-${count + 1}`;
  const task = readTasks(tx, goal).find(({ task_id }) => task_id === hold.taskId);
  const head = appendRecord(tx, goal, {
    type: 'hold-opened',
    actor,
    changes: [
      added('holds', {
        hold_id: holdId,
        task_id: hold.taskId,
        reason: hold.reason,
        message: hold.message,
        facts: hold.facts,
        state: 'open',
        opened_at: goal.at,
        ...(hold.attempt === null ? {} : { attempt: hold.attempt }),
        ...(hold.operationKey === null ? {} : { operation_key: hold.operationKey }),
      }),
      ...(isDecided || goal.state === 'held' ? [] : [changed('goals', { state: 'held' })]),
      // A check is asked about when its task has ended already.
      ...(isDecided || task === undefined || !isLegal('tasks', task.state, 'held')
        ? []
        : [changed('tasks', { task_id: hold.taskId, state: 'held' })]),
      ...changes,
    ],
  });
  return { goal: head, holdId };
}

/** The decisions that a hold takes. */
export function decisionsOf(reason: HoldView['reason']): HoldView['decisions'] {
  switch (reason) {
    case 'ambiguous-operation':
    case 'ambiguous-attempt':
      return ['retry', 'accept', 'cancel'];
    case 'approval-required':
      return ['approve', 'deny', 'cancel'];
    case 'check-unknown':
    case 'adapter-drift':
    case 'diverged':
    case 'resume-limit':
    case 'restored':
      return ['retry', 'cancel'];
    default:
      return unreachable(reason, 'reason');
  }
}

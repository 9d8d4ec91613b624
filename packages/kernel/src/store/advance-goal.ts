import type { CompleteContract } from '../contract/read-goal-contract.ts';
import { goalStanding, nextTaskStates, type TaskStanding } from '../states/next-task-states.ts';
import { changed, type RowChange, type RowPatch } from './append-record.ts';
import { readLatestAttempt, readTasks } from './attempt-row.ts';
import { openRows } from './cancel-goal.ts';
import type { GoalRow } from './goal-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** What follows for a goal from what became of one of its tasks, in the same record. */
export interface Advance {
  /** Columns of the goal, to be told together with its units; empty when it goes on as it is. */
  readonly goal: RowPatch;
  /** Other tasks, and what ends with a goal that failed. */
  readonly changes: readonly RowChange[];
}

/** What an event makes of one task. */
export interface TaskEvent extends TaskStanding {
  readonly taskId: string;
  /** Whether the task's own attempt has ended with it; otherwise it may still go on. */
  readonly endsAttempt: boolean;
  /** Why the attempt failed, when it did. */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** Readies and skips tasks, and ends a goal whose last task ended, unless a person is asked. */
export function advanceGoal(
  tx: StoreTransaction,
  goal: GoalRow,
  {
    contract,
    event,
    isHeld,
    units,
  }: {
    readonly contract: CompleteContract;
    readonly event: TaskEvent;
    /** Whether a hold is open after the event: such a goal neither completes nor fails. */
    readonly isHeld: boolean;
    /** Units after the event. */
    readonly units: { readonly reserved: number; readonly settled: number };
  },
): Advance {
  const standing = new Map<string, TaskStanding>(
    readTasks(tx, goal).map((task) => [task.task_id, task]),
  );
  standing.set(event.taskId, event);
  const next = nextTaskStates(contract.tasks, standing);
  const changes: RowChange[] = [];
  for (const [taskId, state] of next) {
    standing.set(taskId, { state, verdict: null });
    changes.push(changed('tasks', { task_id: taskId, state }));
  }
  const stays: Advance = {
    goal: { units_reserved: units.reserved, units_settled: units.settled },
    changes,
  };
  if (isHeld) return stays;
  switch (goalStanding(contract.tasks, standing)) {
    case 'open':
      return stays;
    case 'done':
      return { goal: { ...stays.goal, state: 'checking' }, changes };
    case 'failed':
      return isAnotherRunning(tx, goal, event)
        ? stays
        : failGoal(tx, goal, {
            contract,
            event,
            standing,
            units,
            skipped: changes.filter(({ row }) => row['state'] === 'skipped'),
          });
    default:
      return stays;
  }
}

/** Attempts stop first: whoever of them ends last ends the goal. */
function isAnotherRunning(
  tx: StoreTransaction,
  goal: GoalRow,
  { taskId, endsAttempt }: TaskEvent,
): boolean {
  return tx
    .list(
      'attempts',
      {
        goal: goal.goal,
        tenant: goal.tenant,
        state: ['admitted', 'running', 'ambiguous'],
      },
      { columns: ['task_id'] },
    )
    .some((row) => !endsAttempt || row['task_id'] !== taskId);
}

/** Ends a goal because a task failed that it needs; the rest is cancelled with it. */
function failGoal(
  tx: StoreTransaction,
  goal: GoalRow,
  {
    contract,
    event,
    standing,
    units,
    skipped,
  }: {
    readonly contract: CompleteContract;
    readonly event: TaskEvent;
    readonly standing: ReadonlyMap<string, TaskStanding>;
    readonly units: { readonly reserved: number; readonly settled: number };
    readonly skipped: readonly RowChange[];
  },
): Advance {
  const rest = [...standing]
    .filter(([, { state }]) => state === 'pending' || state === 'ready' || state === 'held')
    .map(([taskId]) => changed('tasks', { task_id: taskId, state: 'cancelled' }));
  const attempts = openRows(tx, goal, 'attempts').filter(
    ({ row }) => !event.endsAttempt || row['task_id'] !== event.taskId,
  );
  return {
    goal: {
      units_reserved: 0,
      units_settled: units.settled + units.reserved,
      state: 'failed',
      ...failureOf(tx, goal, { contract, event, standing }),
    },
    changes: [
      ...skipped,
      ...rest,
      ...attempts.map((change) => changed('attempts', { ...change.row, ended_at: goal.at })),
      ...openRows(tx, goal, 'operations'),
    ],
  };
}

/** The failure of the first task that the goal needed and did not get. */
function failureOf(
  tx: StoreTransaction,
  goal: GoalRow,
  {
    contract,
    event,
    standing,
  }: {
    readonly contract: CompleteContract;
    readonly event: TaskEvent;
    readonly standing: ReadonlyMap<string, TaskStanding>;
  },
): RowPatch {
  const task = contract.tasks.find(
    ({ task_id, optional }) => !optional && standing.get(task_id)?.state === 'failed',
  );
  if (task === undefined || task.task_id === event.taskId) {
    return {
      failure_code: event.failure?.code ?? 'unknown',
      failure_message: event.failure?.message ?? '',
    };
  }
  const attempt = readLatestAttempt(tx, goal, task.task_id);
  return {
    failure_code: attempt?.failure_code ?? 'unknown',
    failure_message: attempt?.failure_message ?? '',
  };
}

import type { CompleteTask } from '../contract/read-goal-contract.ts';
import type { TaskState } from './transitions.ts';

/** How a task stands, as far as others depend on it. */
export interface TaskStanding {
  readonly state: TaskState;
  readonly verdict: 'pass' | 'fail' | null;
}

/** The tasks that become ready or are skipped because of what others came to; dependencies are earlier tasks only. */
export function nextTaskStates(
  tasks: readonly CompleteTask[],
  standing: ReadonlyMap<string, TaskStanding>,
): ReadonlyMap<string, 'ready' | 'skipped'> {
  const next = new Map<string, 'ready' | 'skipped'>();
  const stateOf = (taskId: string): TaskState =>
    next.get(taskId) ?? standing.get(taskId)?.state ?? 'pending';
  for (const task of tasks) {
    if (stateOf(task.task_id) !== 'pending') continue;
    const states = task.depends_on.map(stateOf);
    const condition = task.only_after;
    const judged = condition === undefined ? null : stateOf(condition.task);
    const isPointless =
      states.some((state) => NEVER.has(state)) ||
      (condition !== undefined &&
        judged !== null &&
        (NEVER.has(judged) ||
          (judged === 'completed' && standing.get(condition.task)?.verdict !== condition.verdict)));
    if (isPointless) next.set(task.task_id, 'skipped');
    else if (states.every(isCompleted) && (judged === null || isCompleted(judged))) {
      next.set(task.task_id, 'ready');
    }
  }
  return next;
}

/** Whether a goal whose tasks stand so is done, has failed, or goes on. */
export function goalStanding(
  tasks: readonly CompleteTask[],
  standing: ReadonlyMap<string, TaskStanding>,
): 'done' | 'failed' | 'open' {
  let isOpen = false;
  for (const { task_id, optional } of tasks) {
    const state = standing.get(task_id)?.state ?? 'pending';
    if (state === 'failed' && !optional) return 'failed';
    isOpen ||= !ENDED.has(state);
  }
  return isOpen ? 'open' : 'done';
}

function isCompleted(state: TaskState): boolean {
  return state === 'completed';
}

const NEVER: ReadonlySet<TaskState> = new Set(['failed', 'skipped', 'cancelled']);
const ENDED: ReadonlySet<TaskState> = new Set(['completed', 'failed', 'skipped', 'cancelled']);

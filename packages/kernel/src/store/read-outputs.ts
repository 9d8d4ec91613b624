import { deepFreeze, type JsonObject, type JsonValue } from '@millforge/contracts';
import type { CompleteTask } from '../contract/read-goal-contract.ts';
import { readTasks } from './attempt-row.ts';
import type { GoalRow } from './goal-row.ts';
import { readPayload } from './payloads.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Reads what the tasks gave that a task depends on. */
export function readOutputs(
  tx: StoreTransaction,
  goal: Pick<GoalRow, 'goal' | 'tenant'>,
  task: CompleteTask,
): JsonObject {
  const outputs: { [taskId: string]: JsonValue } = {};
  if (task.depends_on.length === 0) return Object.freeze(outputs);
  for (const { task_id, output_sha256 } of readTasks(tx, goal)) {
    if (!task.depends_on.includes(task_id) || output_sha256 === null) continue;
    outputs[task_id] = readPayload(tx, goal.tenant, output_sha256);
  }
  return deepFreeze(outputs);
}

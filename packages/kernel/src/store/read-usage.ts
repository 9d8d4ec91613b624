import type { Usage } from '@millforge/contracts';
import type { Transaction } from '../sqlite/database.ts';

/** Sums what the recorded operations of a goal, or of one task, were observed to use; a sum of nothing is absent. */
export function readUsage(
  tx: Transaction,
  {
    goal,
    tenant,
    taskId = null,
  }: { readonly goal: number; readonly tenant: string; readonly taskId?: string | null },
): Usage {
  const row = tx.get(
    `SELECT sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cost_micros) AS cost_micros,
            sum(tool_calls) AS tool_calls, sum(wall_ms) AS wall_ms
       FROM operations WHERE goal = ? AND tenant = ? AND (? IS NULL OR task_id = ?)`,
    goal,
    tenant,
    taskId,
    taskId,
  );
  const usage: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  for (const name of USAGE_NAMES) {
    const sum = row?.[name];
    if (typeof sum === 'number') usage[name] = sum;
  }
  return usage;
}

/** Names of what is observed. */
export const USAGE_NAMES = [
  'input_tokens',
  'output_tokens',
  'cost_micros',
  'tool_calls',
  'wall_ms',
] as const;

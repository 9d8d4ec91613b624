import type { Usage } from '@millforge/contracts';
import type { StoreTransaction } from './store-transaction.ts';

/** Sums what the recorded operations of a goal, or of one task, were observed to use; a sum of nothing is absent. */
export function readUsage(
  tx: StoreTransaction,
  {
    goal,
    tenant,
    taskId = null,
  }: { readonly goal: number; readonly tenant: string; readonly taskId?: string | null },
): Usage {
  const where = { goal, tenant, ...(taskId === null ? {} : { task_id: taskId }) };
  const sums = tx.sum('operations', USAGE_NAMES, where);
  const usage: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  for (const name of USAGE_NAMES) {
    const sum = sums[name];
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

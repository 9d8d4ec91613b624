import type { LogParts } from './log-parts.ts';
import type { Difference } from './replay-index.ts';

/** Holds the goal where a replay leaves the record. */
export async function holdDivergence(
  { claim, store }: Pick<LogParts, 'claim' | 'store'>,
  { key, what, recorded, asked }: Difference,
): Promise<void> {
  await store.operations.diverge(claim, {
    reason: 'diverged',
    message: `The replay differs from the record at ${key}: ${what}.`,
    taskId: claim.taskId,
    attempt: claim.number,
    operationKey: key,
    facts: { difference: { what, recorded, asked } },
  });
}

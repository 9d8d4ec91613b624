import { readClaimed } from '../store/claim.ts';
import { openHold } from '../store/open-hold.ts';
import type { LogParts } from './log-parts.ts';
import type { Difference } from './replay-index.ts';

/** Holds the goal where a replay leaves the record. */
export async function holdDivergence(
  { db, clock, claim }: Pick<LogParts, 'db' | 'clock' | 'claim'>,
  { key, what, recorded, asked }: Difference,
): Promise<void> {
  await db.write('open-hold', (tx) => {
    const { goal } = readClaimed(tx, claim, clock.now());
    openHold(tx, goal, {
      hold: {
        reason: 'diverged',
        message: `The replay differs from the record at ${key}: ${what}.`,
        taskId: claim.taskId,
        attempt: claim.number,
        operationKey: key,
        facts: { difference: { what, recorded, asked } },
      },
      actor: claim.actor,
      changes: [],
    });
  });
}

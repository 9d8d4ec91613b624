import type { OperationLog } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from './support/builder-plan.ts';
import { runScript } from './support/scripted-run.ts';

test('what a run records of replies and calls is frozen to its leaves', async () => {
  const values: unknown[] = [];
  const { outcome } = await runScript(
    buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }]),
    [
      {
        content: 'First.',
        reasoning: 'Hm.',
        continuation: 'more',
        usage: USAGE,
        tool_calls: CALLS,
      },
      [['submit', { summary: 'Done.' }]],
    ],
    { operations: noting(values) },
  );
  expect(outcome.status).toBe('success');
  expect(values).toHaveLength(5);
  for (const value of values) expect(isFrozen(value)).toBe(true);
});

const USAGE = { input_tokens: 10, output_tokens: 5, cost_micros: 3 };
const CALLS = ['a', 'b'].map((path, at) => ({
  id: `call_${at}`,
  name: 'read',
  arguments: JSON.stringify({ path }),
}));

/** A log that keeps what comes out of it. */
function noting(values: unknown[]): OperationLog {
  const log = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  return {
    ...log,
    async perform(operation, act) {
      const outcome = await log.perform(operation, act);
      if (outcome.kind === 'done') values.push(outcome.value);
      return outcome;
    },
  };
}

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

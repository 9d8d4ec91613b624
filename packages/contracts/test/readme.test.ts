import { isSha256 } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import { expect, test } from 'vitest';
import { countWords, fault, sha256 } from './readme-example.ts';

test('the example of the README does what it says', async () => {
  expect([isSha256(sha256), fault]).toEqual([true, '$.text must be string']);
  const context = {
    runId: 'run_1',
    callId: 'c1',
    workspace: null,
    signal: new AbortController().signal,
    clock: manualClock(),
    idempotencyKey: 'k1',
  };
  const prepared = await countWords.implementation.prepare({ text: 'one  two\n' }, context);
  expect(prepared.kind === 'prepared' && (await prepared.run(context))).toEqual({
    kind: 'done',
    text: '2 words',
    data: { count: 2 },
  });
});

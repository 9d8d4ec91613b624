import { operationUncertain } from '@millforge/contracts';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  open,
  outcome,
  scope,
  temporaryDirectory,
  toolCall,
  unsafeCall,
} from './fixture.ts';

// What a cut at a fixed length leaves of an emoji.
const HALF = '\ud83d';

test('holds a trail whose program, host and person wrote half characters, here and where it is imported', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal', { objective: `Mend it ${HALF}.` }));
  const program = adapter(async (context) => {
    context.log({ key: 'note', step: 1, type: 'reply-repaired', data: { text: HALF } });
    const read = toolCall('tool/1/0', { describe: `read ${HALF}`, input: { path: HALF } });
    await context.perform(read, acting(HALF).run);
    await context.perform(unsafeCall('tool/1/1', { describe: HALF }), () =>
      Promise.reject(operationUncertain({ code: `lost${HALF}`, message: HALF })),
    );
    throw new Error(`half ${HALF}`);
  });
  await kernel.runGoal(scope, 'goal', { adapters: [program] }).done;
  const decision = { holdId: 'hold-1', version: 1, decision: 'accept', reason: HALF } as const;
  await kernel.decide(scope, 'goal', { ...decision, outcome: HALF });
  const view = await kernel.runGoal(scope, 'goal', { adapters: [program] }).done;
  expect(view.failure?.message).toBe('half \ufffd');
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });

  const lines: string[] = [];
  for await (const line of kernel.exportTrail(scope, 'goal')) lines.push(line);
  const elsewhere = await open(temporaryDirectory());
  await elsewhere.importTrail(scope, lines);
  expect(await elsewhere.verifyTrail(scope)).toMatchObject({ ok: true });
});

test.each(['tenant', 'actor', 'resource'] as const)(
  'refuses a scope whose %s ends in half a character, for two of them would be one in the file',
  async (name) => {
    const kernel = await open(temporaryDirectory());
    const admitting = kernel.admitGoal({ ...scope, [name]: `ann${HALF}` }, contract('goal'));
    await expect(admitting).rejects.toMatchObject({ code: 'kernel/scope-invalid' });
  },
);

test('refuses a decision of a program whose key ends in half a character', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal'));
  const program = adapter(async (context) => {
    context.log({ key: HALF, step: 1, type: 'reply-repaired', data: null });
    return outcome();
  });
  const view = await kernel.runGoal(scope, 'goal', { adapters: [program] }).done;
  expect(view.failure).toMatchObject({ code: 'kernel/operation-invalid' });
});

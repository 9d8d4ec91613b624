import type { OperationLog } from '@millforge/contracts';
import { manualClock, memoryTrail, sequentialIds } from '@millforge/contracts/testing';
import { findTranscriptProblems } from '@millforge/models/testing';
import {
  createSteeringQueue,
  memoryOperationLog,
  runPlan,
  type SteeringQueue,
} from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runOptions, runScript, type Scripted, scriptedClient } from '../support/scripted-run.ts';

/** A plan whose tool lets a person speak while it works. */
function planWith(speak: () => void) {
  return buildPlan([
    {
      id: 'read',
      tool: {
        run: async () => {
          speak();
          return { kind: 'done', text: 'read' };
        },
      },
    },
    { id: 'submit', terminal: 'COMPLETE' },
  ]);
}

const READ: Scripted = [['read', { path: 'a' }]];
const SUBMIT: Scripted = [['submit', { summary: 'Done.' }]];

/** Speaks once, in the middle of the first call. */
function speakOnce(queue: SteeringQueue, say: (queue: SteeringQueue) => void) {
  let spoken = false;
  return () => {
    if (!spoken) say(queue);
    spoken = true;
  };
}

test('what is said while a call goes on reaches the model at its next turn', async () => {
  const steering = createSteeringQueue();
  const speak = speakOnce(steering, (queue) => {
    queue.send('Leave the docs alone.');
    queue.send('And be quick.');
  });
  const { model, outcome, events } = await runScript(planWith(speak), [READ, READ, SUBMIT], {
    steering,
  });
  expect(outcome.status).toBe('success');
  const [, second, third] = model.requests;
  expect(second?.messages.at(-1)).toEqual({
    role: 'user',
    content: 'Leave the docs alone.\n\nAnd be quick.',
  });
  expect(findTranscriptProblems(third?.messages ?? [])).toEqual([]);
  expect(events.filter(({ kind }) => kind === 'run-steered')).toMatchObject([
    { turn: 2, messages: ['Leave the docs alone.', 'And be quick.'], stop: null },
  ]);
});

test('what is said before the first turn and after a re-ask breaks no roles', async () => {
  const steering = createSteeringQueue();
  steering.send('First of all.');
  const { model } = await runScript(
    planWith(() => undefined),
    ['text', SUBMIT],
    {
      steering,
      onEvent: (event) => {
        if (event.kind === 'model-re-asked') steering.send('Call something.');
      },
    },
  );
  expect(model.requests[0]?.messages[1]?.content).toBe('Mend the test.\n\nFirst of all.');
  expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/\n\nCall something\.$/);
  expect(findTranscriptProblems(model.requests[1]?.messages ?? [])).toEqual([]);
});

test('a request to stop ends the run before its next turn, as cancelled, with its work', async () => {
  const steering = createSteeringQueue();
  const speak = speakOnce(steering, (queue) => queue.requestStop('It is late.'));
  const { model, outcome } = await runScript(planWith(speak), [READ, SUBMIT], { steering });
  expect(model.requests).toHaveLength(1);
  expect(outcome).toMatchObject({
    status: 'cancelled',
    failure_class: 'cancelled',
    failure_message: 'The run was asked to end: It is late.',
    partial_work: { succeeded_node_ids: ['read'] },
  });
});

test('a replay hears the same at the same place, without anybody speaking', async () => {
  const steering = createSteeringQueue();
  const speak = speakOnce(steering, (queue) => queue.send('Leave the docs alone.'));
  const first = await runScript(planWith(speak), [READ, READ, SUBMIT], { steering });
  const built = planWith(() => undefined);
  const trail = memoryTrail();
  const outcome = await runPlan(built.reference, {
    ...runOptions(built, {
      clock: manualClock(),
      model: scriptedClient([]),
      operations: first.log.resume(),
    }),
    trail,
  });
  expect(outcome).toEqual(first.outcome);
  expect(trail.entries).toEqual(first.trail.entries);
});

test('a log that cannot say what it holds has the operation in every turn', async () => {
  const steering = createSteeringQueue();
  const inner = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  const keys: string[] = [];
  const blind = (log: OperationLog): OperationLog => ({
    signal: log.signal,
    newId: (key) => log.newId(key),
    perform: (operation, act) => {
      keys.push(operation.key);
      return log.perform(operation, act);
    },
  });
  const built = planWith(speakOnce(steering, (queue) => queue.send('Be quick.')));
  const run = (operations: OperationLog, script: readonly Scripted[]) =>
    runPlan(built.reference, {
      ...runOptions(built, { clock: manualClock(), model: scriptedClient(script), operations }),
      steering,
    });
  const outcome = await run(blind(inner), [READ, SUBMIT]);
  expect(keys).toEqual(['steer/1', 'model/1', 'tool/1/0', 'steer/2', 'model/2', 'tool/2/0']);
  expect(await run(blind(inner.resume()), [])).toEqual(outcome);
});

test('a run that nobody steers performs no further operation', async () => {
  const { trail, events } = await runScript(
    planWith(() => undefined),
    [READ, SUBMIT],
    {
      steering: createSteeringQueue(),
    },
  );
  expect(events.some(({ kind }) => kind === 'run-steered')).toBe(false);
  expect(trail.entries.map(({ type }) => type)).toEqual(['terminal-accepted']);
});

test.each([
  ['blank', ' \n'],
  ['too long', 'ä'.repeat(32_769)],
  ['half of a character', 'a\ud83d'],
])('a message that is %s is a mistake of the host', (_, message) => {
  const queue = createSteeringQueue();
  expect(() => queue.send(message)).toThrow('The message is not taken');
  expect(queue.take()).toBeNull();
});

test('a queue that is full says so', () => {
  const queue = createSteeringQueue();
  for (let at = 0; at < 100; at += 1) queue.send('x');
  expect(() => queue.send('x')).toThrow('100 messages wait already');
});

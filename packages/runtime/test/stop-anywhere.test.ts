import type { ModelClient, OperationLog } from '@millforge/contracts';
import { manualClock, memoryTrail, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog, runPlan } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from './support/builder-plan.ts';
import { runOptions, type Scripted, scriptedClient } from './support/scripted-run.ts';

const SCRIPT: readonly Scripted[] = [
  [['write', { path: 'a' }], ['nothing']],
  'text',
  [['submit', { summary: 'Done.' }]],
];

/** A plan whose tool passes a moment at each of its stages. */
function planWith(moment: () => void) {
  return buildPlan([
    {
      id: 'write',
      tool: {
        sideEffect: 'workspace_write',
        idempotency: 'non_idempotent',
        capabilities: ['workspace.write'],
        prepare: async () => {
          moment();
          return {
            kind: 'prepared',
            before: null,
            run: async () => {
              moment();
              return { kind: 'done', text: 'written' };
            },
            dispose: async () => moment(),
          };
        },
      },
    },
    { id: 'submit', terminal: 'COMPLETE' },
  ]);
}

/** Runs with a stop at the given moment; tells how it ended, and what came after its suspension. */
async function runStoppedAt(stopAt: number) {
  const stop = new AbortController();
  const clock = manualClock();
  const log = memoryOperationLog({ clock, ids: sequentialIds(), signal: stop.signal });
  const trail = memoryTrail();
  let [moments, isSuspended, afterwards] = [0, false, 0];
  const moment = (): void => {
    if (isSuspended) afterwards += 1;
    if (moments === stopAt) stop.abort();
    moments += 1;
  };
  const operations: OperationLog = {
    signal: log.signal,
    newId: (key) => log.newId(key),
    perform: async (operation, act) => {
      moment();
      try {
        return await log.perform(operation, act);
      } catch (error) {
        isSuspended = true;
        throw error;
      } finally {
        if (!isSuspended) moment();
      }
    },
  };
  const scripted = scriptedClient(SCRIPT);
  const model: ModelClient = {
    complete: async (request, options) => {
      moment();
      const completion = await scripted.complete(request, options);
      moment();
      return completion;
    },
  };
  const built = planWith(moment);
  const ended = await runPlan(built.reference, {
    ...runOptions(built, { clock, model, operations }),
    trail: {
      append: (entry) => {
        moment();
        trail.append(entry);
      },
    },
    onEvent: moment,
  }).then(
    (outcome) => outcome.status,
    (error: unknown) => error,
  );
  return { ended, afterwards, log, entries: trail.entries, reached: stop.signal.aborted };
}

test('a stop at any moment suspends the run, leaves nothing behind it, and the resumed run ends alike', async () => {
  const whole = await runStoppedAt(Number.POSITIVE_INFINITY);
  expect(whole.ended).toBe('success');
  let suspended = 0;
  for (let stopAt = 0; ; stopAt++) {
    const stopped = await runStoppedAt(stopAt);
    if (!stopped.reached) break;
    expect(stopped.afterwards).toBe(0);
    if (stopped.ended === 'success') continue;
    suspended += 1;
    expect(stopped.ended).toMatchObject({
      code: 'operation/suspended',
      details: { reason: 'stopped' },
    });
    const built = planWith(() => undefined);
    const trail = memoryTrail();
    const resumed = { clock: manualClock(), model: scriptedClient(SCRIPT) };
    const outcome = await runPlan(built.reference, {
      ...runOptions(built, { ...resumed, operations: stopped.log.resume() }),
      trail,
    });
    expect(outcome.status).toBe('success');
    expect(trail.entries).toEqual(whole.entries);
    expect(trail.entries.slice(0, stopped.entries.length)).toEqual(stopped.entries);
  }
  expect(suspended).toBeGreaterThan(20);
});

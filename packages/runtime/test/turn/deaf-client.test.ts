import type { ModelClient } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog, runPlan } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runOptions } from '../support/scripted-run.ts';

const BUILT = buildPlan([{ id: 'submit', terminal: 'COMPLETE' }]);

test('a run whose model client never listens ends five seconds after its deadline', async () => {
  const { clock, running, asked } = deafRun({ deadlineMs: 60_000 });
  await asked;
  clock.advance(60_000);
  await settled();
  clock.advance(4999);
  expect(await isPending(running)).toBe(true);
  clock.advance(1);
  await expect(running).resolves.toMatchObject({
    status: 'deadline',
    failure_message: 'The model did not answer before the deadline of the run.',
  });
  expect(clock.pendingDelays).toBe(0);
});

test('a run whose model client never listens is suspended five seconds after it was stopped', async () => {
  const stop = new AbortController();
  const { clock, running, asked } = deafRun({ signal: stop.signal });
  await asked;
  stop.abort();
  await settled();
  clock.advance(5000);
  await expect(running).rejects.toMatchObject({ details: { reason: 'stopped' } });
});

test('a client that answers after it was asked to stop, but in time, is heard', async () => {
  const stop = new AbortController();
  let answer: (() => void) | null = null;
  const { clock, running, asked } = deafRun(
    { signal: stop.signal },
    () => new Promise((_resolve, reject) => (answer = () => reject(new Error('Late.')))),
  );
  await asked;
  stop.abort();
  await settled();
  (answer as (() => void) | null)?.();
  await expect(running).rejects.toMatchObject({ details: { reason: 'stopped' } });
  expect(clock.pendingDelays).toBe(0);
});

/** A run whose client does not look at its signal. */
function deafRun(
  limits: { readonly deadlineMs?: number; readonly signal?: AbortSignal },
  complete: ModelClient['complete'] = () => new Promise(() => undefined),
) {
  const clock = manualClock();
  const operations = memoryOperationLog({ clock, ids: sequentialIds(), ...limits });
  const begun = new EventTarget();
  const asked = new Promise((resolve) => begun.addEventListener('asked', resolve, { once: true }));
  const model: ModelClient = {
    complete(request, context) {
      begun.dispatchEvent(new Event('asked'));
      return complete(request, context);
    },
  };
  const running = runPlan(BUILT.reference, runOptions(BUILT, { clock, model, operations }));
  running.catch(() => undefined);
  return { clock, running, asked };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function isPending(work: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await settled();
  return (await Promise.race([work, Promise.resolve(pending)])) === pending;
}

/** @module-tag slow */
import type { RunResult } from 'millforge';
import { MillforgeError } from 'millforge';
import { expect, test } from 'vitest';
import { BASH_KEY } from '../crash/scripted-run.ts';
import {
  collectEvents,
  createRunFixture,
  type RunFixture,
  toolsWithBrokenCommand,
  trailOf,
} from './run-fixture.ts';

/** Runs until the shell command has happened and nobody knows how it ended. */
async function heldRun(onAmbiguous?: 'hold' | 'retry') {
  const fixture = await createRunFixture();
  const millforge = fixture.open({ shippedTools: toolsWithBrokenCommand(fixture.places) });
  const { onEvent, events } = collectEvents();
  const run = await fixture.start(millforge, {
    onEvent,
    ...(onAmbiguous === undefined ? {} : { onAmbiguous }),
  });
  return { ...fixture, millforge, runId: run.runId, result: await run.result, events };
}

/** What the model was shown as the result of the command. */
function shownToModel({ server }: Pick<RunFixture, 'server'>): string {
  return server.requests.at(-1)?.text ?? '';
}

function theHold({ holds }: RunResult): RunResult['holds'][number] {
  const [hold, ...more] = holds;
  if (hold === undefined || more.length > 0) throw new Error(`There are ${holds.length} holds.`);
  return hold;
}

test('a call of unknown outcome is held, and the run names it with its input', async () => {
  const { millforge, runId, result, commands, places } = await heldRun();
  expect(result.status).toBe('held');
  expect(commands()).toBe(1);
  const hold = theHold(await millforge.readRun(runId));
  expect(hold).toEqual(theHold(result));
  expect(hold).toMatchObject({
    reason: 'ambiguous-operation',
    operation: BASH_KEY,
    decisions: ['retry', 'accept', 'cancel'],
    input: {
      tool: 'bash',
      arguments: { command: `echo ran >> '${places.counter}'; echo counted` },
    },
    reconciliation: { kind: 'unknown', evidence: { processes_alive: false } },
  });
  expect(hold.describe).toContain('bash');
  expect((await millforge.verifyTrail(runId)).ok).toBe(true);
});

test('a held run stays held however often it is resumed, and repeats nothing', async () => {
  const { millforge, runId, result, server, commands } = await heldRun();
  for (const _ of [1, 2]) {
    const again = await (await millforge.resume(runId)).result;
    expect(again).toEqual(result);
  }
  expect(commands()).toBe(1);
  expect(server.requestCount).toBe(4);
});

test('retry performs the call once more, and never again', async () => {
  const { millforge, runId, commands } = await heldRun();
  const decided = await millforge.decide(runId, {
    holdId: null,
    decision: 'retry',
    reason: 'It is harmless.',
  });
  expect(decided).toMatchObject({ status: 'interrupted', holds: [] });
  expect(commands()).toBe(1);
  const { onEvent, replayed } = collectEvents();
  const result = await (await millforge.resume(runId, { onEvent })).result;
  expect(result).toMatchObject({ status: 'success', terminal_result: 'COMPLETE' });
  expect(commands()).toBe(2);
  expect(replayed('model-replied')).toEqual([true, true, true, true, false, false]);
  await (await millforge.resume(runId)).result;
  expect(commands()).toBe(2);
  const records = await trailOf(millforge, runId);
  const decisions = records.filter(({ type }) => type === 'hold-decided');
  expect(decisions.map(({ actor }) => actor)).toEqual(['ann@host']);
  expect(JSON.stringify(decisions)).toContain('It is harmless.');
});

test('accept records the outcome that a person attests, and the model sees it', async () => {
  const { millforge, runId, commands, ...fixture } = await heldRun();
  const hold = theHold(await millforge.readRun(runId));
  const outcome = {
    ...Object(hold.outcome_template),
    outcome: {
      status: 'success',
      error_code: null,
      text: 'I saw that it counted one run.',
      data: {},
      certainty: 'confirmed_complete',
      truncated: false,
      artifact_ids: [],
    },
  };
  await millforge.decide(runId, {
    holdId: hold.hold_id,
    decision: 'accept',
    reason: 'I looked.',
    outcome,
  });
  const { onEvent, events } = collectEvents();
  const result = await (await millforge.resume(runId, { onEvent })).result;
  expect(result.status).toBe('success');
  expect(commands()).toBe(1);
  expect(shownToModel(fixture)).toContain('I saw that it counted one run.');
  expect(
    events.find((event) => event.kind === 'call-ended' && event.tool === 'bash'),
  ).toMatchObject({ replayed: true, text: 'I saw that it counted one run.' });
  const types = (await trailOf(millforge, runId)).map(({ type }) => type);
  expect(types.filter((type) => type === 'operation-attested')).toHaveLength(1);
  expect((await millforge.verifyTrail(runId)).ok).toBe(true);
});

test('accept without an outcome tells the model that nobody saw what came out', async () => {
  const { millforge, runId, commands, ...fixture } = await heldRun();
  await millforge.decide(runId, { holdId: null, decision: 'accept', reason: 'I looked.' });
  const result = await (await millforge.resume(runId)).result;
  expect(result.status).toBe('success');
  expect(commands()).toBe(1);
  expect(shownToModel(fixture)).toContain('its output was not observed');
});

test('cancel ends the run for good', async () => {
  const { millforge, runId, server, commands } = await heldRun();
  const decided = await millforge.decide(runId, {
    holdId: null,
    decision: 'cancel',
    reason: 'It is not worth it.',
  });
  expect(decided).toMatchObject({ status: 'cancelled', failure_class: 'cancelled', holds: [] });
  const again = await (await millforge.resume(runId)).result;
  expect(again.status).toBe('cancelled');
  expect(commands()).toBe(1);
  expect(server.requestCount).toBe(4);
  const late = millforge.decide(runId, { holdId: null, decision: 'retry', reason: 'I was wrong.' });
  await expect(late).rejects.toSatisfy((error) => MillforgeError.is(error));
  expect((await millforge.readRun(runId)).status).toBe('cancelled');
});

test('a hold is decided once; whoever comes second is told', async () => {
  const { millforge, runId } = await heldRun();
  const { hold_id: holdId } = theHold(await millforge.readRun(runId));
  await millforge.decide(runId, { holdId, decision: 'accept', reason: 'I looked.' });
  const second = millforge.decide(runId, { holdId, decision: 'retry', reason: 'I did not.' });
  await expect(second).rejects.toSatisfy((error) => MillforgeError.is(error));
  expect((await (await millforge.resume(runId)).result).status).toBe('success');
});

test('a run that was told to retry repeats without asking, and its trail says who allowed that', async () => {
  const { millforge, runId, result, commands, events } = await heldRun('retry');
  expect(result).toMatchObject({ status: 'success', holds: [] });
  expect(commands()).toBe(2);
  expect(
    events.filter((event) => event.kind === 'call-ended' && event.tool === 'bash'),
  ).toHaveLength(1);
  const decisions = (await trailOf(millforge, runId)).filter(({ type }) => type === 'hold-decided');
  expect(decisions.map(({ actor }) => actor)).toEqual(['ann@host']);
  expect(JSON.stringify(decisions)).toContain('The contract says on_ambiguous: retry.');
  expect((await millforge.verifyTrail(runId)).ok).toBe(true);
});

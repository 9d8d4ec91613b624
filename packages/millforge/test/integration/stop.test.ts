/** @module-tag slow */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunHandle, runTask } from 'millforge';
import { expect, test } from 'vitest';
import { GRANTS, HARNESS, type RunPlaces } from '../crash/scripted-run.ts';
import { collectEvents, createRunFixture, until } from './run-fixture.ts';

const FOREVER = ({ counter }: RunPlaces): string =>
  `echo $$ > '${counter}.pid'; echo ran >> '${counter}'; sleep 600 & sleep 600`;
const SHORT = ({ counter }: RunPlaces): string =>
  `echo ran >> '${counter}'; sleep 0.4; echo ended >> '${counter}.ended'`;

/** Starts the run, and gives it back when its command is under way. */
async function inCommand(command: (places: RunPlaces) => string) {
  const fixture = await createRunFixture({ command });
  const millforge = fixture.open();
  const run = await fixture.start(millforge);
  await until('the command runs', () => fixture.commands() === 1);
  return { ...fixture, millforge, run };
}

/** Whether the group of that process has a member that still runs; one that waits to be reaped does not. */
function livingMembers(pidFile: string): boolean {
  const group = readFileSync(pidFile, 'utf8').trim();
  const processes = execFileSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' });
  return processes
    .split('\n')
    .map((line) => line.trim().split(/\s+/u))
    .some(([pgid, state = 'Z']) => pgid === group && !state.startsWith('Z'));
}

test('stop suspends after the current call, and the resumed run goes on behind it', async () => {
  const { millforge, run, places, commands, server } = await inCommand(SHORT);
  run.stop();
  expect(await run.result).toMatchObject({ status: 'interrupted', failure_class: null, holds: [] });
  expect(existsSync(`${places.counter}.ended`)).toBe(true);
  expect(server.requestCount).toBe(4);
  expect((await millforge.readRun(run.runId)).status).toBe('interrupted');

  const { onEvent, replayed } = collectEvents();
  const resumed = await (await millforge.resume(run.runId, { onEvent })).result;
  expect(resumed.status).toBe('success');
  expect(commands()).toBe(1);
  expect(server.requestCount).toBe(6);
  expect(replayed('model-replied')).toEqual([true, true, true, true, false, false]);
  expect((await millforge.verifyTrail(run.runId)).ok).toBe(true);
});

test('stop at once kills the command with all its processes, and the resumed run tells the model', async () => {
  const { millforge, run, places, commands, server } = await inCommand(FOREVER);
  await until('the command names its process', () => existsSync(`${places.counter}.pid`));
  const stoppedAt = performance.now();
  run.stop({ now: true });
  expect(await run.result).toMatchObject({ status: 'interrupted', holds: [] });
  expect(performance.now() - stoppedAt).toBeLessThan(9000);
  expect(livingMembers(`${places.counter}.pid`)).toBe(false);

  const resumed = await (await millforge.resume(run.runId)).result;
  expect(resumed.status).toBe('success');
  expect(commands()).toBe(1);
  expect(server.requests[4]?.text).toContain('Command aborted');
});

test('stop at once abandons the request to the model, and the resumed run asks again', async () => {
  const fixture = await createRunFixture({ faults: { 3: { kind: 'hang' } } });
  const millforge = fixture.open();
  const run = await fixture.start(millforge);
  await fixture.server.arrived(3);
  run.stop({ now: true });
  expect(await run.result).toMatchObject({ status: 'interrupted', failure_class: null });
  await fixture.server.abandoned(3);
  const resumed = await (await millforge.resume(run.runId)).result;
  expect(resumed.status).toBe('success');
  expect(fixture.server.requestCount).toBe(7);
});

test('a stop before the first step leaves a run that can be resumed', async () => {
  const fixture = await createRunFixture();
  const millforge = fixture.open();
  const run = await fixture.start(millforge);
  run.stop();
  expect((await run.result).status).toBe('interrupted');
  expect((await (await millforge.resume(run.runId)).result).status).toBe('success');
});

test('cancel ends the run for good, and kills its command', async () => {
  const { millforge, run, places, server } = await inCommand(FOREVER);
  await until('the command names its process', () => existsSync(`${places.counter}.pid`));
  await run.cancel('not wanted any more');
  expect(await run.result).toMatchObject({ status: 'cancelled', failure_class: 'cancelled' });
  await until('the command is gone', () => !livingMembers(`${places.counter}.pid`));
  const again: RunHandle = await millforge.resume(run.runId);
  expect((await again.result).status).toBe('cancelled');
  expect(server.requestCount).toBe(4);
  expect((await millforge.verifyTrail(run.runId)).ok).toBe(true);
});

/** Runs the script as a task, with a signal that is aborted once the command runs. */
async function abortedTask(reason?: unknown) {
  const fixture = await createRunFixture({ command: SHORT });
  const controller = new AbortController();
  const task = runTask({
    dataDir: fixture.places.data,
    actor: 'ann@host',
    task: 'Do it all.',
    cwd: fixture.places.workspace,
    model: fixture.model,
    harness: HARNESS,
    grants: GRANTS,
    signal: controller.signal,
  });
  await until('the command runs', () => fixture.commands() === 1);
  controller.abort(reason);
  return { ...fixture, result: await task, millforge: fixture.open() };
}

test('a signal suspends a task, and its run can be resumed', async () => {
  const { result, millforge, commands, server } = await abortedTask();
  expect(result).toMatchObject({ status: 'interrupted', holds: [] });
  const resumed = await (await millforge.resume(result.run_id)).result;
  expect(resumed.status).toBe('success');
  expect(commands()).toBe(1);
  expect(server.requestCount).toBe(6);
});

test('a signal that says cancel ends a task for good', async () => {
  const { result, millforge, commands, server } = await abortedTask({ cancel: true });
  expect(result.status).toBe('cancelled');
  expect((await (await millforge.resume(result.run_id)).result).status).toBe('cancelled');
  expect(commands()).toBe(1);
  expect(server.requestCount).toBe(4);
});

test('a signal that was aborted beforehand keeps a task from leaving anything behind', async () => {
  const { directory, places, model, server } = await createRunFixture();
  const task = runTask({
    dataDir: join(directory, 'data'),
    task: 'Do it all.',
    cwd: places.workspace,
    model,
    harness: HARNESS,
    grants: GRANTS,
    signal: AbortSignal.abort(),
  });
  await expect(task).rejects.toMatchObject({ code: 'millforge/aborted' });
  expect(server.requestCount).toBe(0);
  expect(existsSync(places.data)).toBe(false);
});

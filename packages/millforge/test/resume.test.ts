import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { createMillforge, runTask, type Tool } from 'millforge';
import { expect, test } from 'vitest';
import {
  GREET_AND_FINISH,
  GREETER,
  GREETER_GRANTS,
  greeterRequest,
  greetTool,
  SCRIPTED,
  testFolder,
} from './support/greeter.ts';

test('goes on after a suspension from the trail alone, and repeats nothing', async () => {
  const { runId, data, tool, greeted } = await suspendedRun();
  await using millforge = createMillforge({ dataDir: data, tools: [tool] });
  const replayed: string[] = [];
  const run = await millforge.resume(runId, {
    onEvent(event) {
      if (event.replayed) replayed.push(event.kind);
    },
  });
  expect(await run.result).toMatchObject({ status: 'success' });
  expect(greeted).toEqual(['Ada']);
  expect(replayed).toContain('call-ended');
});

test('holds a run whose tools are not what they were: adapter-drift', async () => {
  const { runId, data, greeted, tool } = await suspendedRun();
  for (const tools of [[], [greetTool({ description: 'Greets otherwise.' }).tool]]) {
    await using millforge = createMillforge({ dataDir: data, tools });
    const result = await (await millforge.resume(runId)).result;
    expect(result).toMatchObject({ status: 'held', holds: [{ reason: 'adapter-drift' }] });
  }
  await using millforge = createMillforge({ dataDir: data, tools: [tool] });
  await millforge.decide(runId, {
    holdId: null,
    decision: 'retry',
    reason: 'the old tool is back',
  });
  expect(await (await millforge.resume(runId)).result).toMatchObject({ status: 'success' });
  expect(greeted).toEqual(['Ada']);
});

test('refuses a decision on a version of the hold that is not the latest', async () => {
  const { runId, data } = await suspendedRun();
  await using millforge = createMillforge({ dataDir: data });
  await (await millforge.resume(runId)).result;
  const decision = { holdId: null, decision: 'retry', reason: 'x', version: 99 } as const;
  await expect(millforge.decide(runId, decision)).rejects.toMatchObject({
    code: 'kernel/stale-version',
  });
});

test('gives the result of a run that has ended again, with tools or without', async () => {
  const { runId, data, tool } = await suspendedRun();
  await using first = createMillforge({ dataDir: data, tools: [tool] });
  const result = await (await first.resume(runId)).result;
  await using second = createMillforge({ dataDir: data });
  const run = await second.resume(runId);
  run.stop();
  expect(await run.result).toEqual(result);
});

test('lists a run as interrupted, running and completed', async () => {
  const { runId, data, tool } = await suspendedRun();
  await using millforge = createMillforge({ dataDir: data, tools: [tool] });
  const listed = async () => (await millforge.listRuns()).map(({ status }) => status);
  expect(await listed()).toEqual(['interrupted']);
  const during: Promise<readonly string[]>[] = [];
  const run = await millforge.resume(runId, {
    onEvent(event) {
      if (event.kind === 'turn-started' && !event.replayed) during.push(listed());
    },
  });
  await run.result;
  expect(await Promise.all(during)).toEqual([['running']]);
  expect(await listed()).toEqual(['completed']);
});

test('refuses to run one run twice at once', async () => {
  const folder = testFolder();
  let runId = '';
  const { tool, greeted } = greetTool({
    async act() {
      const second = millforge.resume(runId).then((run) => run.result);
      await expect(second).rejects.toMatchObject({ code: 'kernel/run-active' });
    },
  });
  await using millforge = createMillforge({ dataDir: join(folder, 'data'), tools: [tool] });
  const run = await millforge.run(greeterRequest(millforge, folder));
  ({ runId } = run);
  expect(await run.result).toMatchObject({ status: 'success' });
  expect(greeted).toEqual(['Ada']);
});

test('exports one ended run from several resumes at once', async () => {
  const { runId, data, tool } = await suspendedRun();
  await using millforge = createMillforge({ dataDir: data, tools: [tool] });
  await (await millforge.resume(runId)).result;
  const again = async () => (await millforge.resume(runId)).result;
  const results = await Promise.all([again(), again(), again()]);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['success']));
});

test('refuses a resume without the key of the model, and goes on with it', async () => {
  const folder = testFolder();
  const data = join(folder, 'data');
  const { tool } = greetTool();
  await using server = await startScriptedServer({
    replies: GREET_AND_FINISH,
    faults: { 1: { kind: 'status', status: 401 } },
  });
  const result = await runTask({
    ...options(folder, tool),
    env: { TEST_KEY: 'first-key-0123456789' },
    model: {
      kind: 'endpoint',
      profile: {
        profile_id: 'test.model',
        base_url: server.url,
        model: 'm',
        max_retries: 0,
        auth: { scheme: 'bearer' },
        api_key_env: 'TEST_KEY',
      },
    },
  });
  expect(result).toMatchObject({ status: 'failed', failure_class: 'model_unavailable' });
  await using keyless = createMillforge({ dataDir: data, tools: [tool], env: {} });
  await expect(keyless.resume(result.run_id)).rejects.toMatchObject({
    code: 'millforge/key-missing',
  });
  await using keyed = createMillforge({
    dataDir: data,
    tools: [tool],
    env: { TEST_KEY: 'second-key-0123456789' },
  });
  expect(await (await keyed.resume(result.run_id)).result).toMatchObject({ status: 'success' });
});

async function suspendedRun() {
  const folder = testFolder();
  const aborting = new AbortController();
  const { tool, greeted } = greetTool({ act: async () => aborting.abort() });
  const result = await runTask({ ...options(folder, tool), signal: aborting.signal });
  expect(result.status).toBe('interrupted');
  return { runId: result.run_id, data: join(folder, 'data'), tool, greeted };
}

function options(folder: string, tool: Tool) {
  return {
    harness: GREETER,
    task: 'Greet Ada.',
    cwd: folder,
    dataDir: join(folder, 'data'),
    model: SCRIPTED,
    grants: GREETER_GRANTS,
    tools: [tool],
  };
}

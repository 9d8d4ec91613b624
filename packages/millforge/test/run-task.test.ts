import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { createMillforge, type RunEvent, type RunTaskOptions, runTask } from 'millforge';
import { expect, test } from 'vitest';
import {
  filesBelow,
  GREET_AND_FINISH,
  GREETER,
  GREETER_GRANTS,
  greeterRequest,
  greetTool,
  SCRIPTED,
  testFolder,
} from './support/greeter.ts';

test('runs a task durably: with a trail, an export and a result that can be read again', async () => {
  const { options, data, greeted } = layOut();
  const events: RunEvent[] = [];
  const result = await runTask({ ...options, onEvent: (event) => events.push(event) });
  expect(result).toMatchObject({
    kind: 'run_result',
    status: 'success',
    terminal_result: 'COMPLETE',
    summary: 'Ada is greeted.',
    failure_class: null,
    trail_path: join(data, 'trail.db'),
    budget: { limit: 6, used: 2 },
    holds: [],
  });
  expect(greeted).toEqual(['Ada']);
  expect(events.at(-1)).toMatchObject({ kind: 'run-ended', replayed: false });

  await using millforge = createMillforge({ dataDir: data });
  expect(await millforge.readRun(result.run_id)).toEqual(result);
  expect(await millforge.listRuns()).toMatchObject([
    { runId: result.run_id, status: 'completed', task: 'Greet Ada.' },
  ]);
  expect(await millforge.verifyTrail(result.run_id)).toMatchObject({ ok: true, goals: 1 });
  const types: string[] = [];
  for await (const record of millforge.readTrail(result.run_id)) types.push(record.type);
  expect(types.length).toBeGreaterThan(4);
  expect(readdirSync(join(data, 'runs', result.run_id)).toSorted()).toEqual([
    'artifact_manifest.json',
    'events.jsonl',
    'run_evidence.json',
    'terminal_result.json',
    'tool_trace.jsonl',
  ]);
});

test('runs a task in memory, and writes nothing', async () => {
  const { options, folder, greeted } = layOut();
  const result = await runTask({ ...options, dataDir: null });
  expect(result).toMatchObject({
    status: 'success',
    trail_path: null,
    budget: { limit: 6, reserved: 0, used: 2 },
  });
  expect(greeted).toEqual(['Ada']);
  expect(readdirSync(folder)).toEqual([]);
});

test('takes a harness as text, bytes or document', async () => {
  const { options } = layOut();
  const bytes = new TextEncoder().encode(GREETER);
  const results = [
    await runTask({ ...options, dataDir: null }),
    await runTask({ ...options, dataDir: null, harness: bytes }),
  ];
  expect(new Set(results.map((result) => result.plan_sha256)).size).toBe(1);
});

test.each<[string, Partial<RunTaskOptions>, string, string]>([
  ['a missing grant', { grants: ['terminal.intent'] }, 'millforge/grants-missing', 'test.greeting'],
  ['a harness that is wrong', { harness: `${GREETER}more: 1\n` }, 'millforge/document', 'MF-S021'],
  ['no workspace', { cwd: '/nowhere/at/all' }, 'millforge/usage', '/nowhere/at/all'],
  ['an empty task', { task: ' ' }, 'millforge/usage', 'empty'],
  ['a time that is none', { timeoutMs: 0.5 }, 'millforge/usage', '0.5'],
  ['a wrong model', { model: wrongModel() }, 'millforge/document', '/base_url'],
  [
    'a missing key',
    { model: keyedModel('http://127.0.0.1:9/v1') },
    'millforge/key-missing',
    'TEST_KEY',
  ],
  ['a task that is too large', { task: 'x'.repeat(1_100_000) }, 'millforge/document', 'shorten'],
])('refuses %s and leaves nothing behind', async (...row) => {
  const [, changes, code, words] = row;
  const { options, data, greeted } = layOut();
  const run = runTask({ ...options, ...changes });
  await expect(run).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  expect(greeted).toEqual([]);
  expect(filesBelow(data).filter((file) => !file.includes('trail.db'))).toEqual([]);
  await using millforge = createMillforge({ dataDir: data });
  expect(await millforge.listRuns()).toEqual([]);
});

test('refuses a plan whose tools are not here in that form', async () => {
  const { options, folder } = layOut();
  await using other = createMillforge({ dataDir: null, tools: options.tools ?? [] });
  const request = greeterRequest(other, folder);
  for (const tools of [[], [greetTool({ description: 'Greets otherwise.' }).tool]]) {
    await using millforge = createMillforge({ dataDir: null, tools });
    await expect(millforge.run(request)).rejects.toMatchObject({
      code: 'millforge/tools-missing',
      message: expect.stringContaining('test.greet@1'),
    });
  }
  const changed = { ...request, plan: { ...request.plan, sha256: '0'.repeat(64) } };
  await expect(other.run(changed)).rejects.toMatchObject({ code: 'millforge/document' });
});

test('refuses a signal that was aborted beforehand, before anything happens', async () => {
  const { options, folder, greeted } = layOut();
  const run = runTask({ ...options, signal: AbortSignal.abort() });
  await expect(run).rejects.toMatchObject({ code: 'millforge/aborted' });
  expect([greeted, readdirSync(folder)]).toEqual([[], []]);
});

test.each([
  ['suspends a run, which goes on when it is resumed', undefined],
  ['cancels a run for good when the reason says so', { cancel: true }],
] as const)('an abort %s', async (_name, reason) => {
  const aborting = new AbortController();
  const { options, data, greeted } = layOut({ act: async () => aborting.abort(reason) });
  const result = await runTask({ ...options, signal: aborting.signal });
  await using millforge = createMillforge({ dataDir: data, tools: options.tools ?? [] });
  const resumed = await (await millforge.resume(result.run_id)).result;
  if (reason === undefined) {
    expect(result).toMatchObject({ status: 'interrupted', failure_class: null });
    expect(resumed).toMatchObject({ status: 'success' });
    expect(greeted).toEqual(['Ada']);
  } else {
    expect(result).toMatchObject({ status: 'cancelled', failure_class: 'cancelled' });
    expect(resumed).toEqual(result);
  }
});

test.each([
  ['interrupted', undefined],
  ['cancelled', { cancel: true }],
] as const)('an abort in memory ends a run as %s', async (status, reason) => {
  const aborting = new AbortController();
  const { options } = layOut({ act: async () => aborting.abort(reason) });
  const result = await runTask({ ...options, dataDir: null, signal: aborting.signal });
  expect(result.status).toBe(status);
});

test('an abort after the end changes nothing', async () => {
  const aborting = new AbortController();
  const { options } = layOut();
  const result = await runTask({ ...options, signal: aborting.signal });
  aborting.abort({ cancel: true });
  expect(result.status).toBe('success');
});

test('sends the key from the environment to the server, and writes it nowhere', async () => {
  const { options, folder, data } = layOut();
  const key = 'k-0123456789-abcdefghij';
  await using server = await startScriptedServer({
    replies: [{ content: `The key is ${key}.` }, ...GREET_AND_FINISH],
  });
  const shown: string[] = [];
  const result = await runTask({
    ...options,
    model: keyedModel(server.url),
    env: { TEST_KEY: key },
    onEvent: (event) => shown.push(JSON.stringify(event)),
  });
  expect(result.status).toBe('success');
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
  expect(JSON.stringify(result) + shown.join('')).not.toContain(key);
  const files = filesBelow(folder);
  expect(files).toContain(join(data, 'trail.db'));
  for (const file of files) {
    expect(readFileSync(file, 'latin1').includes(key), file).toBe(false);
  }
});

test('a server that is down leaves a run that can be resumed; in memory it only fails', async () => {
  const { options } = layOut();
  const down = { ...options, model: endpoint({ base_url: 'http://127.0.0.1:1042/v1' }) };
  const failed = { status: 'failed', failure_class: 'model_unavailable' };
  expect(await runTask(down)).toMatchObject(failed);
  expect(await runTask({ ...down, dataDir: null })).toMatchObject(failed);
});

function layOut(tool: Parameters<typeof greetTool>[0] = {}) {
  const folder = testFolder();
  const data = join(folder, 'data');
  const greeter = greetTool(tool);
  const options: RunTaskOptions = {
    harness: GREETER,
    task: 'Greet Ada.',
    cwd: folder,
    dataDir: data,
    model: SCRIPTED,
    grants: GREETER_GRANTS,
    tools: [greeter.tool],
    env: {},
  };
  return { folder, data, options, greeted: greeter.greeted };
}

function endpoint(fields: { readonly base_url: string; readonly api_key_env?: string }) {
  const profile = { profile_id: 'test.model', model: 'm', max_retries: 0, ...fields };
  return { kind: 'endpoint', profile } as const;
}

function keyedModel(baseUrl: string) {
  const model = endpoint({ base_url: baseUrl, api_key_env: 'TEST_KEY' });
  return { ...model, profile: { ...model.profile, auth: { scheme: 'bearer' } as const } };
}

function wrongModel() {
  return endpoint({ base_url: 'not a url' });
}

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from '@millforge/contracts';
import { createMillforge, type RunEvent, type RunTaskOptions, runTask } from 'millforge';
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

function layOut(tool: Parameters<typeof greetTool>[0] = {}) {
  const folder = testFolder();
  const data = join(folder, 'data');
  const options: RunTaskOptions = {
    harness: GREETER,
    task: 'Greet Ada.',
    cwd: folder,
    dataDir: data,
    model: SCRIPTED,
    grants: GREETER_GRANTS,
    tools: [greetTool(tool).tool],
    env: {},
  };
  return { data, options };
}

async function kindsOf(events: AsyncIterable<RunEvent>) {
  const kinds: string[] = [];
  for await (const event of events) kinds.push(event.kind);
  return kinds;
}

test('a task is iterated for its events and awaited for its result', async () => {
  const { options } = layOut();
  const task = runTask({ ...options, dataDir: null });
  const kinds = await kindsOf(task);
  expect(kinds[0]).toBe('turn-started');
  expect(kinds.at(-1)).toBe('run-ended');
  expect(kinds.filter((kind) => kind === 'model-replied')).toHaveLength(2);
  expect((await task).status).toBe('success');
  expect(await kindsOf(task)).toEqual([]);
});

test('a task that is refused tells it to whoever iterates', async () => {
  const { options } = layOut();
  const task = runTask({ ...options, grants: [] });
  await expect(kindsOf(task)).rejects.toMatchObject({ code: 'millforge/grants-missing' });
});

test('to stop iterating does not stop the run', async () => {
  const { options } = layOut();
  const task = runTask({ ...options, dataDir: null });
  for await (const event of task) {
    expect(event.kind).toBe('turn-started');
    break;
  }
  expect((await task).status).toBe('success');
});

test('what is said to a durable task stands in its trail, and is heard again by whoever resumes it', async () => {
  const aborting = new AbortController();
  const { options, data } = layOut();
  const task = runTask({
    ...options,
    signal: aborting.signal,
    onEvent: (event) => {
      if (event.kind === 'run-steered') aborting.abort();
    },
  });
  expect(task.send('Be kind.')).toBe(true);
  const { run_id, status } = await task;
  expect(status).toBe('interrupted');
  expect(task.send('Too late.')).toBe(false);

  await using millforge = createMillforge({ dataDir: data, tools: options.tools ?? [] });
  const events: RunEvent[] = [];
  const resumed = await millforge.resume(run_id, { onEvent: (event) => events.push(event) });
  expect((await resumed.result).status).toBe('success');
  expect(events.filter(({ kind }) => kind === 'run-steered')).toMatchObject([
    { turn: 1, replayed: true, messages: ['Be kind.'] },
  ]);
  expect(await millforge.verifyTrail(run_id)).toMatchObject({ ok: true });
  expect(resumed.send('Too late.')).toBe(false);
});

test('a request to stop ends a durable run, and it stays ended', async () => {
  const { options, data } = layOut({ act: async () => void task.requestStop('Enough.') });
  const task = runTask(options);
  const result = await task;
  expect(result).toMatchObject({
    status: 'cancelled',
    failure_message: 'The run was asked to end: Enough.',
    partial_work: { succeeded_node_ids: ['greet'] },
  });
  await using millforge = createMillforge({ dataDir: data, tools: options.tools ?? [] });
  expect(await (await millforge.resume(result.run_id)).result).toEqual(result);
});

const FINISH_WITH = (candidate: unknown) => ({
  kind: 'scripted' as const,
  script: {
    kind: 'model_script' as const,
    schema_version: '1.0' as const,
    replies: [
      ...GREET_AND_FINISH.slice(0, 1),
      {
        tool_calls: [
          {
            name: 'submit',
            arguments: JSON.stringify({ terminal_result: 'COMPLETE', summary: 'Done.', candidate }),
          },
        ],
      },
    ],
  },
});

const GREETED = {
  type: 'object',
  additionalProperties: false,
  properties: { greeted: { type: 'string' } },
  required: ['greeted'],
};
/** As the libraries of schemas give theirs. */
const STANDARD = {
  '~standard': {
    version: 1,
    vendor: 'test',
    jsonSchema: { input: () => GREETED, output: () => GREETED },
  },
};

test.each([
  ['a schema of a library', STANDARD],
  ['JSON Schema', GREETED],
])('a terminal brings the result that %s asks for, also in its file (D-13)', async (_, output) => {
  const { options, data } = layOut();
  const result = await runTask({ ...options, output, model: FINISH_WITH({ greeted: 'Ada' }) });
  expect(result).toMatchObject({
    status: 'success',
    terminal_node_id: 'finish',
    disposition: 'success',
    summary: 'Done.',
    selected_output: { present: true, value: { greeted: 'Ada' } },
  });
  const file = join(data, 'runs', result.run_id, 'terminal_result.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(result);
});

test('a run that is resumed still asks for its result', async () => {
  const aborting = new AbortController();
  const { options, data } = layOut({ act: async () => aborting.abort() });
  const { run_id } = await runTask({
    ...options,
    output: GREETED,
    model: FINISH_WITH({ greeted: 'Ada' }),
    signal: aborting.signal,
  });
  await using millforge = createMillforge({ dataDir: data, tools: options.tools ?? [] });
  expect(await (await millforge.resume(run_id)).result).toMatchObject({
    status: 'success',
    selected_output: { present: true, value: { greeted: 'Ada' } },
  });
});

test('a schema that cannot be asked for is refused before anything happens', async () => {
  const { options, data } = layOut();
  const output = { type: 'string', pattern: '(?=x)' };
  await expect(runTask({ ...options, output })).rejects.toMatchObject({
    code: 'millforge/document',
  });
  await using millforge = createMillforge({ dataDir: data });
  expect(await millforge.listRuns()).toEqual([]);
});

test('beside the result stands what it rests on, by digest, and where its trail ends', async () => {
  const { options, data } = layOut();
  const { run_id, plan_sha256 } = await runTask(options);
  const file = join(data, 'runs', run_id, 'run_evidence.json');
  const evidence: unknown = JSON.parse(readFileSync(file, 'utf8'));
  await using millforge = createMillforge({ dataDir: data, tools: options.tools ?? [] });
  const records: string[] = [];
  for await (const record of millforge.readTrail(run_id)) records.push(record.record_sha256);
  expect(evidence).toMatchObject({
    kind: 'run_evidence',
    run_id,
    status: 'success',
    plan_sha256,
    task_sha256: digest('Greet Ada.'),
    grants: GREETER_GRANTS,
    outputs_sha256: null,
    trail: { records: records.length, last_record_sha256: records.at(-1) },
  });
  expect(JSON.stringify(evidence)).not.toContain('Greet Ada');
});

test('a run that ends without a terminal leaves no terminal result of another in its folder (D-12)', async () => {
  const { options, data } = layOut();
  const folder = join(data, 'runs', 'run_again');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'terminal_result.json'), '{"status":"success"}');
  await using millforge = createMillforge({ ...options });
  const request = greeterRequest(millforge, options.cwd);
  const model = scriptedTexts(['I would rather talk.', 'Still.', 'Again.', 'No.']);
  const run = await millforge.run({ ...request, model, runId: 'run_again' });
  expect(await run.result).toMatchObject({ status: 'budget_exhausted', terminal_result: null });
  expect(existsSync(join(folder, 'terminal_result.json'))).toBe(false);
});

function scriptedTexts(texts: readonly string[]) {
  return {
    kind: 'scripted' as const,
    script: {
      kind: 'model_script' as const,
      schema_version: '1.0' as const,
      replies: texts.map((content) => ({ content })),
    },
  };
}

test('what is said too early is refused where it is said, and the task goes on', async () => {
  const { options } = layOut();
  const task = runTask({ ...options, dataDir: null });
  expect(() => task.send('  ')).toThrow('blank');
  expect(() => task.requestStop('')).toThrow('blank');
  for (let count = 0; count < 100; count += 1) task.send('Be kind.');
  expect(() => task.send('Be kind.')).toThrow('100 messages wait');
  expect((await task).status).toBe('success');
});

test('a task that is asked to end before it has begun ends before its first turn', async () => {
  const { options } = layOut();
  const task = runTask({ ...options, dataDir: null });
  expect(task.requestStop('Not today.')).toBe(true);
  expect(await task).toMatchObject({ status: 'cancelled', budget: { used: 0 } });
});

test('whoever asks for several events at once gets as many, and none once they leave', async () => {
  const { options } = layOut();
  const task = runTask({ ...options, dataDir: null });
  const events = task[Symbol.asyncIterator]();
  const first = await Promise.all([events.next(), events.next(), events.next()]);
  expect(first.map(({ value }) => value?.kind)).toEqual([
    'turn-started',
    'model-replied',
    'call-started',
  ]);
  const rest = await Promise.all(Array.from({ length: 20 }, () => events.next()));
  expect(rest.at(-1)).toEqual({ done: true, value: undefined });

  const again = runTask({ ...options, dataDir: null });
  const leaving = again[Symbol.asyncIterator]();
  const asked = leaving.next();
  await leaving.return?.();
  expect(await asked).toEqual({ done: true, value: undefined });
  expect((await again).status).toBe('success');
});

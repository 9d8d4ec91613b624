import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, onTestFinished, test } from 'vitest';
import { allJson, lastJson, runCli, testFolder } from './run-cli.ts';
import {
  GRANT_FLAGS,
  PROFILES,
  scriptText,
  testHarness,
  WRITE_AND_FINISH,
} from './test-harness.ts';

test('init writes a project whose example runs offline at once', async () => {
  const cwd = testFolder();
  const made = await runCli(['init', 'agent', '--data', 'data'], { cwd });
  expect(made.code).toBe(0);
  const project = join(cwd, 'agent');
  const data = join(cwd, 'data');
  const end = await runCli(['run', 'harness.yaml', '--task', 'Greet.', '--data', data, '--json'], {
    cwd: project,
  });
  expect(end.code).toBe(0);
  expect(lastJson(end)).toMatchObject({ kind: 'run_result', status: 'success' });
  expect(existsSync(join(project, 'greeting.txt'))).toBe(true);

  const again = await runCli(['init', 'agent', '--data', 'data'], { cwd });
  expect(again.code).toBe(64);
  expect(again.stderr).toContain('Nothing was written');
});

test('a run is listed, shown, verified and exported', async () => {
  const { cwd, argv } = layOut();
  const end = await runCli([...argv, '--json'], { cwd });
  expect(end.code).toBe(0);
  const result = lastJson(end);
  const runId = String(result['run_id']);
  expect(result).toMatchObject({
    status: 'success',
    failure_class: null,
    terminal_result: 'COMPLETE',
    disposition: 'success',
    summary: 'out.txt is made',
    holds: [],
  });
  const lines = end.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(4);

  const list = await runCli(['runs', '--data', 'data'], { cwd });
  expect(list.stdout).toContain(runId);
  expect(list.stdout).toContain('Make out.txt.');
  const one = await runCli(['runs', runId, '--data', 'data', '--json'], { cwd });
  expect(lastJson(one)).toEqual(result);

  const trail = await runCli(['trail', 'show', runId, '--data', 'data', '--json'], { cwd });
  const records = trail.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.map((record) => record.seq)).toEqual(records.map((_, index) => index + 1));
  const verified = await runCli(['trail', 'verify', '--data', 'data'], { cwd });
  expect(verified).toMatchObject({ code: 0, stderr: '' });

  const exported = join(cwd, 'data', 'runs', runId);
  expect(JSON.parse(readFileSync(join(exported, 'terminal_result.json'), 'utf8'))).toEqual(result);
  const events = readFileSync(join(exported, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  expect(events).toHaveLength(records.length);
  const traces = readFileSync(join(exported, 'tool_trace.jsonl'), 'utf8').trimEnd().split('\n');
  expect(traces.map((line) => JSON.parse(line).tool_name)).toEqual(['write', 'submit']);
});

test('a trail is followed to its end, exported, and imported elsewhere to be read only', async () => {
  const { cwd, argv } = layOut();
  const runId = String(lastJson(await runCli([...argv, '--json'], { cwd }))['run_id']);
  const shown = await runCli(['trail', 'show', runId, '--data', 'data', '--json'], { cwd });
  const followed = await runCli(['trail', 'follow', runId, '--data', 'data', '--json'], { cwd });
  expect(followed).toEqual({ ...shown, code: 0 });

  const out = ['trail', 'export', runId, '--data', 'data', '--out', 'run.jsonl'];
  expect(await runCli(out, { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
  const printed = await runCli(['trail', 'export', runId, '--data', 'data'], { cwd });
  const written = readFileSync(join(cwd, 'run.jsonl'), 'utf8');
  expect(printed.stdout).toBe(written);

  const imported = await runCli(['trail', 'import', 'run.jsonl', '--data', 'other'], { cwd });
  expect(imported).toMatchObject({ code: 0, stdout: `The trail holds and is kept as ${runId}.\n` });
  expect(await runCli(['trail', 'verify', runId, '--data', 'other'], { cwd })).toMatchObject({
    code: 0,
  });
  const again = await runCli(['trail', 'import', 'run.jsonl', '--data', 'other'], { cwd });
  expect(again).toMatchObject({ code: 64, stderr: expect.stringContaining(runId) });

  writeFileSync(join(cwd, 'changed.jsonl'), written.replace('out.txt', 'in.txt'));
  const changed = await runCli(['trail', 'import', 'changed.jsonl', '--data', 'third'], { cwd });
  expect(changed).toMatchObject({ code: 65, stderr: expect.stringContaining('line') });
  const missing = await runCli(['trail', 'import', 'no.jsonl', '--data', 'third'], { cwd });
  expect(missing).toMatchObject({ code: 64, stderr: expect.stringContaining('no.jsonl') });
});

test('progress goes to stderr, one line per turn and call', async () => {
  const { cwd, argv } = layOut();
  const end = await runCli(argv, { cwd });
  const lines = end.stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatch(/^run run_\w+$/);
  expect(lines[1]).toMatch(/turn 1: write \(.*s\)$/);
  expect(lines[2]).toMatch(/ok {2}write \(.*s\)$/);
  expect(end.stdout.split('\n')[0]).toBe('success: COMPLETE');
});

test.each([
  ['blocked', 2, [{ tool_calls: [terminal('block', 'BLOCKED')] }]],
  ['failed', 1, []],
  ['budget_exhausted', 4, Array.from({ length: 9 }, () => ({ content: 'I would rather talk.' }))],
])('%s ends with %i', async (status, code, replies) => {
  const { cwd, argv } = layOut(replies);
  const end = await runCli([...argv, '--json'], { cwd });
  expect(lastJson(end)).toMatchObject({ status });
  expect(end.code).toBe(code);
});

test('a plan runs after everything that it was made from is gone', async () => {
  const { cwd } = layOut();
  const compiled = await runCli(
    [
      'compile',
      'harness.yaml',
      '--data',
      'data',
      '--out',
      '.',
      '--json',
      '--profiles',
      'profiles.json',
      ...GRANT_FLAGS,
    ],
    { cwd },
  );
  expect(compiled.code).toBe(0);
  const plan = String(lastJson(compiled)['compiled_plan_path']).split('/').at(-1) ?? '';
  writeFileSync(join(cwd, 'harness.yaml'), 'gone');
  const end = await runCli(
    [
      'run',
      plan,
      '--task',
      'Make out.txt.',
      '--data',
      'data',
      '--model',
      'scripted:script.json',
      ...GRANT_FLAGS,
    ],
    { cwd },
  );
  expect(end.code).toBe(0);
});

test('the same harness compiles to the same plan, which is not written twice', async () => {
  const { cwd } = layOut();
  const argv = [
    'compile',
    'harness.yaml',
    '--data',
    'data',
    '--profiles',
    'profiles.json',
    ...GRANT_FLAGS,
  ];
  expect((await runCli(argv, { cwd })).stdout).toContain('compiled:');
  expect((await runCli(argv, { cwd })).stdout).toContain('is already there:');
});

test('a task comes from a file or from standard input', async () => {
  const { cwd } = layOut();
  writeFileSync(join(cwd, 'task.txt'), 'From a file.');
  const argv = [
    'run',
    'harness.yaml',
    '--data',
    'data',
    '--model',
    'scripted:script.json',
    ...GRANT_FLAGS,
  ];
  expect((await runCli([...argv, '--task', '@task.txt'], { cwd })).code).toBe(0);
  expect((await runCli([...argv, '--task', '-'], { cwd, stdin: 'From outside.' })).code).toBe(0);
  const list = await runCli(['runs', '--data', 'data'], { cwd });
  expect(list.stdout).toContain('From a file.');
  expect(list.stdout).toContain('From outside.');
});

test('documents for machines have exactly the fields that are promised', async () => {
  const { cwd, argv } = layOut();
  await runCli(argv, { cwd });
  const linesOf = async (...command: readonly string[]) =>
    allJson(await runCli([...command, '--data', 'data', '--json'], { cwd }));
  const head = ['kind', 'schema_version'];
  const [run] = await linesOf('runs');
  expect(Object.keys(run ?? {})).toEqual([...head, 'run_id', 'state', 'task', 'created_at']);
  const [finding] = await linesOf('doctor');
  expect(Object.keys(finding ?? {})).toEqual([...head, 'subject', 'is_right', 'message']);
  const [verdict] = await linesOf('trail', 'verify');
  expect(verdict).toEqual({
    kind: 'trail_verdict',
    schema_version: '1.0',
    ok: true,
    runs: 1,
    records: expect.any(Number),
    run_id: null,
    seq: null,
    what: null,
  });
  const [record] = await linesOf('trail', 'show', String(run?.['run_id']));
  expect(Object.keys(record ?? {}).toSorted()).toEqual([
    'actor',
    'at',
    'data',
    'previous_sha256',
    'record_sha256',
    'seq',
    'type',
  ]);
});

test('doctor finds a machine in order, and makes nothing that stays', async () => {
  const cwd = testFolder();
  const doctor = ['doctor', '--data', 'none/yet'];
  const end = await runCli(doctor, { cwd });
  expect(end.code).toBe(0);
  expect(end.stdout).toContain('sqlite driver');
  expect(end.stdout).toContain('None yet; the first run makes it.');
  expect(readdirSync(cwd)).toEqual([]);

  mkdirSync(join(cwd, 'none', 'yet'), { recursive: true, mode: 0o700 });
  expect(await runCli(doctor, { cwd })).toMatchObject({ code: 0 });
  expect(readdirSync(join(cwd, 'none', 'yet'))).toEqual([]);
});

test('Ctrl-C suspends a run after the current operation, and resume goes on', async () => {
  const { cwd, argv } = layOut([
    { tool_calls: [{ name: 'write', arguments: { path: 'out.txt', content: 'made\n' } }] },
    { tool_calls: [{ name: 'bash', arguments: { command: 'echo once >> ran.txt; sleep 0.4' } }] },
    { tool_calls: [terminal('submit', 'COMPLETE')] },
  ]);
  let interrupt: (() => void) | null = null;
  const end = await runCli([...argv, '--json'], {
    cwd,
    onStart(press) {
      interrupt = press;
    },
    onStderr(text) {
      if (text.includes('turn 2')) interrupt?.();
    },
  });
  expect(end.code).toBe(130);
  const result = lastJson(end);
  expect(result).toMatchObject({ status: 'interrupted' });
  const resumed = await runCli(['resume', String(result['run_id']), '--data', 'data', '--json'], {
    cwd,
  });
  expect(lastJson(resumed)).toMatchObject({ status: 'success' });
  expect(readFileSync(join(cwd, 'ran.txt'), 'utf8')).toBe('once\n');
});

test('Ctrl-C on a model that does not answer suspends at once, and the model is asked again', async () => {
  const { cwd, argv } = layOut();
  const replies = WRITE_AND_FINISH;
  const server = await startScriptedServer({ replies, faults: { 1: { kind: 'hang' } } });
  onTestFinished(() => server.close());
  const presses: (() => void)[] = [];
  const asking = argv.map((part) => (part.startsWith('scripted:') ? `${server.url}#m` : part));
  const running = runCli([...asking, '--json'], {
    cwd,
    onStart: (press) => presses.push(press),
  });
  await server.arrived(1);
  presses[0]?.();
  const end = await running;
  expect([end.code, lastJson(end)['status']]).toEqual([130, 'interrupted']);
  expect(end.stderr).toContain('Suspending; the model is asked again when it goes on.');
  const runId = String(lastJson(end)['run_id']);
  const resumed = await runCli(['resume', runId, '--data', 'data'], { cwd });
  expect([resumed.code, server.requestCount]).toEqual([0, 3]);
});

function layOut(replies: readonly object[] = WRITE_AND_FINISH) {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  writeFileSync(join(cwd, 'script.json'), scriptText(replies));
  const argv = [
    'run',
    'harness.yaml',
    '--task',
    'Make out.txt.',
    '--data',
    'data',
    '--model',
    'scripted:script.json',
    ...GRANT_FLAGS,
  ];
  return { cwd, argv };
}

function terminal(name: string, result: string) {
  return { name, arguments: { terminal_result: result, summary: `ended with ${result}` } };
}

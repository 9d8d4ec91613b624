import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { allJson, overriding, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, scriptText, testHarness, WRITE_AND_FINISH } from './test-harness.ts';

test('prints events as documents in snake case, the type first and the result last', async () => {
  const { cwd, argv } = layOut();
  const end = await runCli([...argv, '--json'], { cwd });
  const lines = allJson(end);
  expect(lines.map((line) => line['type'] ?? line['kind'])).toEqual([
    'run-started',
    'turn-started',
    'model-replied',
    'call-started',
    'call-ended',
    'turn-started',
    'model-replied',
    'call-started',
    'call-ended',
    'run-ended',
    'run_result',
  ]);
  const [started, , , , ended] = lines;
  expect(started).toEqual({ type: 'run-started', run_id: lines.at(-1)?.['run_id'] });
  expect(ended).toEqual({
    type: 'call-ended',
    turn: 1,
    replayed: false,
    index: 0,
    call_id: expect.any(String),
    tool: 'write',
    status: 'success',
    error_code: null,
    text: expect.any(String),
    elapsed_ms: expect.any(Number),
  });
  expect(end.stdout).not.toMatch(/"[a-z]+[A-Z]\w*":/);
  expect(end.stdout).toMatch(/^\{"type":/);
});

test('prints JSON Lines in ASCII whatever a model writes', async () => {
  const { cwd, argv } = layOut();
  await using server = await startScriptedServer({
    replies: [{ content: 'Grüße\u2028\u009b2J' }, ...WRITE_AND_FINISH],
  });
  const end = await runCli(overriding(argv, ['--json', '--model', `${server.url}#m`]), { cwd });
  expect(end.stdout).toMatch(/^[\n\x20-\x7e]*$/);
  expect(allJson(end)).toContainEqual(
    expect.objectContaining({ type: 'model-replied', content: 'Grüße\u2028\u009b2J' }),
  );
});

test('keeps a terminal from what a model writes', async () => {
  const finish = {
    name: 'submit',
    arguments: { terminal_result: 'COMPLETE', summary: 'done\u001b[2J\u202e' },
  };
  const { cwd, argv } = layOut();
  await using server = await startScriptedServer({
    replies: [
      { tool_calls: [{ name: 'write', arguments: { path: 'a\u001b]0;x\u0007', content: '' } }] },
      { tool_calls: [finish] },
    ],
  });
  const end = await runCli(overriding(argv, ['--model', `${server.url}#m`]), { cwd });
  expect(end.code).toBe(0);
  for (const mark of ['\u001b', '\u0007', '\u202e']) {
    expect(end.stdout + end.stderr).not.toContain(mark);
  }
  expect(end.stdout).toContain('done\ufffd[2J\ufffd');
});

test('shows on a terminal what is waited for and for how long, and leaves nothing behind', async () => {
  const { cwd, argv } = layOut();
  const columns = 60;
  let tick: (() => void) | null = null;
  let ticks = 0;
  await using server = await startScriptedServer({ replies: WRITE_AND_FINISH });
  const end = await runCli(overriding(argv, ['--model', `${server.url}#m`]), {
    cwd,
    columns,
    onClock(pass) {
      tick = pass;
    },
    onStderr(text) {
      if (!text.includes('turn 1: waiting for the model') || ticks >= 2) return;
      ticks += 1;
      queueMicrotask(() => tick?.());
    },
  });
  expect(end.code).toBe(0);
  expect(end.stderr).toContain('turn 1: waiting for the model, 0 s');
  expect(end.stderr).toContain('turn 1: waiting for the model, 1 s');
  expect(end.stderr).toContain('turn 1: waiting for the model, 2 s');
  expect(end.stderr).toContain('running write out.txt, 0 s');
  const parts = end.stderr.split(ERASE);
  for (const part of parts) {
    const shown = part.split('\n').at(-1) ?? '';
    expect(shown.length).toBeLessThan(columns);
  }
  expect(parts.at(-1)?.split('\n').at(-1)).toBe('');
});

test('writes no control sequence into a pipe', async () => {
  const { cwd, argv } = layOut();
  const end = await runCli(argv, { cwd });
  for (const mark of ['\r', '\u001b']) expect(end.stderr + end.stdout).not.toContain(mark);
});

function layOut() {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'script.json'), scriptText(WRITE_AND_FINISH));
  const flags = ['--task', 'Make out.txt.', '--data', 'data', '--model', 'scripted:script.json'];
  return { cwd, argv: ['run', 'harness.yaml', ...flags, ...GRANT_FLAGS] };
}

const ERASE = '\r\u001b[2K';

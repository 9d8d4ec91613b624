import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, testFolder } from './run-cli.ts';
import { testHarness } from './test-harness.ts';

const NODES = `    check:
      tool_ref: builtin.shell.run_tests@1
      required: true
    write:
      tool_ref: builtin.workspace.write_file@1
    done:
      tool_ref: builtin.terminal.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: check
`;
const CONFIG = {
  kind: 'millforge_config',
  schema_version: '1.0',
  grants: ['process.test', 'workspace.write', 'terminal.intent'],
  commands: {
    tests: {
      unit: { argv: ['sh', '-c', 'echo $GREETING > ran'], environment: { GREETING: 'hello' } },
    },
  },
  protected_paths: ['.env'],
};

test('commands and protected paths of a trusted project reach the tools', async () => {
  const { cwd, run } = layOut(CONFIG);
  const untrusted = await run();
  expect(untrusted.stderr).toContain('run as tests (unit): ["sh","-c","echo $GREETING > ran"]');
  expect(untrusted.stderr).toContain('write nothing to .env');
  expect((await runCli(['trust', '.', '--data', 'data'], { cwd })).code).toBe(0);
  const trusted = await run();
  expect([trusted.code, trusted.stderr]).toEqual([0, expect.not.stringContaining('is not used')]);
  expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe('hello\n');
  expect(trusted.stdout).toContain('"status":"success"');
  expect(trusted.stdout).toContain('protected: .env is protected by the operator');
});

test.each([
  [{ commands: { tests: { unit: { argv: [] } } } }, '/commands/tests/unit/argv'],
  [{ commands: { tests: { unit: { argv: ['x'], shell: true } } } }, '/commands/tests/unit'],
  [
    { commands: { tests: { unit: { argv: ['x'], timeout_seconds: 0 } } } },
    '/commands/tests/unit/timeout_seconds',
  ],
  [{ commands: { tests: { 'a b': { argv: ['x'] } } } }, '/commands/tests'],
  [{ commands: { other: {} } }, '/commands'],
  [{ protected_paths: [1] }, '/protected_paths'],
])('%j is refused by its place', async (wrong, place) => {
  const { run } = layOut({ ...CONFIG, ...wrong }, ['--trust-project']);
  const end = await run();
  expect(end.code).toBe(65);
  expect(end.stderr).toContain(`is wrong at ${place}: expected `);
});

function layOut(config: object, flags: readonly string[] = []) {
  const cwd = testFolder();
  mkdirSync(join(cwd, '.millforge'));
  writeFileSync(join(cwd, '.millforge/config.json'), JSON.stringify(config));
  writeFileSync(join(cwd, 'harness.yaml'), testHarness({ nodes: NODES }));
  const calls = [
    ['run_test_profile', { profile: 'unit' }],
    ['write_workspace_file', { path: '.env', content: 'x' }],
    ['submit_terminal_intent', { terminal_result: 'COMPLETE', summary: 'Done.' }],
  ] as const;
  const script = {
    kind: 'model_script',
    schema_version: '1.0',
    replies: calls.map(([name, input]) => ({ tool_calls: [{ name, arguments: input }] })),
  };
  writeFileSync(join(cwd, 'script.json'), JSON.stringify(script));
  const argv = ['run', 'harness.yaml', '--task', 'hi', '--data', 'data', '--json'];
  const run = () =>
    runCli([...argv, '--model', 'scripted:script.json', ...flags], {
      cwd,
      env: { HOME: cwd, PATH: process.env['PATH'] },
    });
  return { cwd, run };
}

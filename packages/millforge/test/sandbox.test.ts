import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolTester } from '@millforge/registry/testing';
import {
  createHostSandbox,
  createMillforge,
  type ModelScript,
  piTools,
  runTask,
  sandboxedCommands,
  type Tool,
} from 'millforge';
import { compileCustomTools } from 'millforge/custom-tools';
import { createCustomToolImplementations } from 'millforge/custom-tools/run';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { testFolder } from './support/greeter.ts';

function hostSandbox(home: string) {
  const sandbox = createHostSandbox({ env: { HOME: home } });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  return sandbox;
}

async function need({ skip }: TestContext, sandbox: ReturnType<typeof hostSandbox>): Promise<void> {
  const report = (await sandbox.report()).at(-1);
  if (report?.isAvailable === true) return;
  expect((process.env['MILLFORGE_REQUIRE'] ?? '').split(',')).not.toContain('sandbox');
  skip(report?.detail);
}

test('the shell of a run works in the sandbox that the program gives', async (context) => {
  const home = testFolder();
  const sandbox = hostSandbox(home);
  await need(context, sandbox);
  const workspace = join(home, 'project');
  mkdirSync(workspace);
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh', 'id_rsa'), 'secret');
  writeFileSync(join(workspace, 'a'), 'content\n');
  await using millforge = createMillforge({ dataDir: null, sandbox });
  const call = async (command: string, folder = workspace) => {
    const request = { toolId: 'builtin.pi_compat.bash', toolVersion: 1, workspace: folder };
    return (await millforge.tryTool({ ...request, input: { command } }))?.outcome;
  };
  expect(await call('cat a; echo $0; echo out >&2; echo new >b; exit 0')).toMatchObject({
    status: 'success',
    text: 'content\n/bin/bash\nout\n',
  });
  expect((await call('cat b'))?.text).toBe('new\n');
  expect((await call(`cat ${home}/.ssh/id_rsa; ls ${home}`))?.text).not.toContain('secret');
  expect(await call('exit 3')).toMatchObject({ error_code: 'process_exit_nonzero' });
  // Keys stay hidden where the workspace is the home.
  expect((await call('cat .ssh/id_rsa; ls .ssh', home))?.text).not.toMatch(/secret|id_rsa$/mu);
});

function piBash(sandbox: ReturnType<typeof hostSandbox>): Tool {
  const tools = piTools({
    runCommand: sandboxedCommands(sandbox, { limits: { outputBytes: 4096 } }),
  });
  const found = tools.find(({ descriptor }) => descriptor.model_tool_name === 'bash');
  if (found === undefined) throw new Error('no bash');
  return found;
}

test('the commands of profiles run in the sandbox that the program gives', {
  tags: ['slow'],
}, async (context) => {
  const home = testFolder();
  const sandbox = hostSandbox(home);
  await need(context, sandbox);
  const workspace = join(home, 'project');
  mkdirSync(workspace);
  writeFileSync(join(home, 'outside'), 'secret');
  const argv = ['sh', '-c', 'echo $HOME; cat ../outside; echo new >made; ls; exit 5'];
  const slow = { argv: ['sleep', '60'], timeoutSeconds: 1 };
  await using millforge = createMillforge({
    dataDir: null,
    sandbox,
    builtinTools: { testProfiles: { unit: { argv }, slow, missing: { argv: ['no-such'] } } },
  });
  const call = async (profile: string) => {
    const request = { toolId: 'builtin.shell.run_tests', toolVersion: 1, workspace };
    return (await millforge.tryTool({ ...request, input: { profile } }))?.outcome;
  };
  const outcome = await call('unit');
  expect(outcome).toMatchObject({ error_code: 'process_exit_nonzero', data: { exit_code: 5 } });
  expect(outcome?.text).toContain('/tmp\n');
  expect(outcome?.text).toContain('made');
  expect(outcome?.text).not.toContain('secret');
  expect(await call('slow')).toMatchObject({ error_code: 'timeout' });
  expect(await call('missing')).toMatchObject({ data: { exit_code: 127 } });
});

test('a limit that ends a command is told, and a sandbox that is not there starts nothing', async (context) => {
  const sandbox = hostSandbox(testFolder());
  await need(context, sandbox);
  const loud = await createToolTester(piBash(sandbox), { workspace: testFolder() }).call({
    command: 'yes',
  });
  expect(loud.outcome.text).toContain('[The sandbox ended it: limit of output.]');
  const none = createHostSandbox({ commandTier: { kind: 'bubblewrap', program: '/no/bwrap' } });
  const nothing = await createToolTester(piBash(none), { workspace: testFolder() }).call({
    command: 'ls',
  });
  expect(nothing.outcome).toMatchObject({
    error_code: 'process_launch_error',
    certainty: 'not_attempted',
  });
});

const HARNESS = `schema_version: "1.1"
kind: millforge_harness
harness_id: test.mixed.v1
harness_version: 1
stage_scope:
  stage_kind_ids: ["task"]
model_profile_id: test.model
prompt:
  policy_id: test.policy
  system_instructions: Count.
  include_request_context: false
budgets:
  max_iterations: 12
  max_validation_retries: 3
  max_tool_errors: 6
  max_prerequisite_violations: 3
  max_premature_terminal_attempts: 3
context:
  strategy_id: forge.tiered.v1
  budget_tokens: 8000
  keep_recent_iterations: 2
  phase_thresholds: [0.65, 0.8, 1]
graph:
  nodes:
    list:
      tool_ref: builtin.workspace.list_files@1
    write:
      tool_ref: builtin.pi_compat.write@1
    count:
      tool_ref: test.count@1
      required: true
    contract:
      tool_ref: test.contract@1
    guarded:
      tool_ref: test.guarded@1
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: count
artifacts:
`;

test('one harness takes built-in, Pi and custom tools from one registry, and each is refused by its own rule', async () => {
  const home = testFolder();
  const sandbox = hostSandbox(home);
  const code = 'export default ({ text }) => ({ count: text.split(" ").length })';
  const compiled = compileCustomTools(
    {
      value: manifestOf([
        { name: 'count', runtime_kind: 'sandboxed_js', implementation: { source: code } },
        { name: 'contract' },
        {
          name: 'guarded',
          runtime_kind: 'sandboxed_js',
          implementation: { source: code },
          approval_policy: 'millrace_explicit',
        },
        { name: 'unselected', runtime_kind: 'sandboxed_js', implementation: { source: code } },
      ]),
    },
    { allowed_capability_ids: [], allowed_runtime_kinds: ['contract_only', 'sandboxed_js'] },
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  const tools = createCustomToolImplementations({ tools: compiled.value.tools, sandbox });
  const calls = ['contract', 'guarded', 'unselected', 'count'].map((name) => ({
    name,
    arguments: { text: 'a b c' },
  }));
  const script: ModelScript = {
    kind: 'model_script',
    schema_version: '1.0',
    replies: [
      { tool_calls: [{ name: 'list_workspace_files', arguments: { root: '.' } }] },
      { tool_calls: [{ name: 'write', arguments: { path: 'a', content: 'b' } }] },
      ...calls.map((call) => ({ tool_calls: [call] })),
      {
        tool_calls: [
          { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'Counted.' } },
        ],
      },
    ],
  };
  const seen: string[] = [];
  const workspace = join(home, 'project');
  mkdirSync(workspace);
  const result = await runTask({
    harness: HARNESS,
    task: 'Count.',
    cwd: workspace,
    dataDir: join(home, 'data'),
    model: { kind: 'scripted', script },
    tools,
    grants: ['workspace.read', 'unrestricted.filesystem.write', 'terminal.intent'],
    onEvent(event) {
      if (event.kind === 'call-ended') seen.push(`${event.tool} ${event.status}`);
      if (event.kind === 'call-refused') seen.push(`${event.tool} ${event.code}`);
    },
  });
  expect(result).toMatchObject({ status: 'success', summary: 'Counted.' });
  expect(seen).toEqual([
    'list_workspace_files success',
    'write success',
    'contract not_executed',
    'guarded policy_denied',
    'unselected not_found',
    'count success',
    'submit success',
  ]);
  await using millforge = createMillforge({ dataDir: join(home, 'data'), tools });
  expect(await millforge.verifyTrail(result.run_id)).toMatchObject({ ok: true });
});

interface Declared {
  readonly name: string;
  readonly [field: string]: unknown;
}

function manifestOf(tools: readonly Declared[]): object {
  return {
    schema_version: 'millforge.custom_tool.source',
    kind: 'custom_tool_source',
    version: '1.1',
    package_id: 'test.package',
    package_version: 1,
    created_at: '2026-01-02T03:04:05Z',
    tools: tools.map(({ name, ...rest }) => ({
      tool_id: `test.${name}`,
      tool_version: 1,
      implementation_id: `impl.test.${name}.v1`,
      model_tool_name: name,
      description: 'Counts the words of a text.',
      description_policy: 'operator_supplied',
      input_schema: objectOf('text', 'string'),
      output_schema: objectOf('count', 'integer'),
      side_effect_class: 'read_only',
      idempotency: 'idempotent',
      timeout_policy: { timeout_seconds: 5, cancellation_grace_seconds: 1 },
      output_policy: { max_output_bytes: 4096, max_summary_utf8: 1024, redact_secrets: true },
      approval_policy: 'none',
      ...rest,
    })),
  };
}

function objectOf(name: string, type: string): object {
  return {
    type: 'object',
    properties: { [name]: { type } },
    required: [name],
    additionalProperties: false,
  };
}

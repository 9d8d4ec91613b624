import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMillforge, type MillforgeOptions, type ModelSetting, runTask } from 'millforge';
import { readManifest } from 'millforge/kernel/artifacts';
import { expect, test } from 'vitest';
import { testFolder } from '../support/greeter.ts';

const HARNESS = `schema_version: "1.0"
kind: millforge_harness
harness_id: test.mender.v1
harness_version: 1
stage_scope:
  stage_kind_ids: ["mend"]
model_profile_id: test.model
prompt:
  policy_id: test.policy
  system_instructions: Mend it.
  include_request_context: false
budgets:
  max_iterations: 12
  max_validation_retries: 2
  max_tool_errors: 2
  max_prerequisite_violations: 2
  max_premature_terminal_attempts: 2
context:
  strategy_id: forge.tiered.v1
  budget_tokens: 8000
  keep_recent_iterations: 2
  phase_thresholds: [0.65, 0.8, 1]
graph:
  nodes:
    inspect:
      tool_ref: builtin.request.inspect@1
    read:
      tool_ref: builtin.workspace.read_file@1
      required: true
    patch:
      tool_ref: builtin.workspace.apply_patch@1
    check:
      tool_ref: builtin.shell.run_tests@1
      required: true
      prerequisites:
        - node_id: read
    keep_diff:
      tool_ref: builtin.artifact.write_workspace_diff@1
      produces: ["workspace_diff"]
      prerequisites:
        - node_id: check
    summarise:
      tool_ref: builtin.artifact.write_patch_summary@1
      produces: ["patch_summary"]
      prerequisites:
        - node_id: check
    done:
      tool_ref: builtin.terminal.submit@1
      terminal_result: MENDED
      prerequisites:
        - node_id: keep_diff
        - node_id: summarise
    stuck:
      tool_ref: builtin.terminal.escalate@1
      terminal_result: STUCK
      prerequisites:
        - node_id: check
artifacts:
  declared_artifact_ids: ["patch_summary", "workspace_diff"]
  required_by_terminal:
    MENDED: ["patch_summary", "workspace_diff"]
`;

const GRANTS = [
  'request.read',
  'workspace.read',
  'workspace.write',
  'workspace.diff.read',
  'process.test',
  'artifact.write',
  'terminal.intent',
];

const PATCH =
  '--- a/sum.sh\n+++ b/sum.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo $(($1 - $2))\n+echo $(($1 + $2))\n';

const MENDING: readonly (readonly [string, object])[] = [
  ['inspect_request', {}],
  ['read_workspace_file', { path: 'sum.sh' }],
  ['read_workspace_file', { path: '../outside' }],
  ['submit_terminal_intent', { terminal_result: 'MENDED', summary: 'Too early.' }],
  ['apply_workspace_patch', { patch: PATCH }],
  ['run_test_profile', { profile: 'unit' }],
  ['write_workspace_diff_artifact', {}],
  ['write_patch_summary_artifact', { summary: 'Adds instead of taking away.' }],
  ['submit_terminal_intent', { terminal_result: 'MENDED', summary: 'The sum is right.' }],
];

function layOut() {
  const folder = testFolder();
  const workspace = join(folder, 'workspace');
  const data = join(folder, 'data');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'sum.sh'), '#!/bin/sh\necho $(($1 - $2))\n');
  const host: MillforgeOptions = {
    dataDir: data,
    env: { PATH: process.env['PATH'] },
    builtinTools: {
      testProfiles: { unit: { argv: ['sh', '-c', 'test "$(sh sum.sh 2 3)" = 5 && echo passed'] } },
    },
  };
  return { folder, workspace, data, host };
}

function scripted(calls: typeof MENDING): ModelSetting {
  const replies = calls.map(([name, input]) => ({
    tool_calls: [{ name, arguments: { ...input } }],
  }));
  return {
    kind: 'scripted',
    script: { kind: 'model_script', schema_version: '1.0', replies },
  };
}

test('a harness of built-in tools is compiled and run to its terminal, with its artifacts', async () => {
  const { workspace, data, host } = layOut();
  const result = await runTask({
    ...host,
    harness: HARNESS,
    task: 'Make the sum right.',
    cwd: workspace,
    model: scripted(MENDING),
    grants: GRANTS,
  });
  expect(result).toMatchObject({
    status: 'success',
    terminal_result: 'MENDED',
    disposition: 'success',
    summary: 'The sum is right.',
  });
  expect(readFileSync(join(workspace, 'sum.sh'), 'utf8')).toContain('$1 + $2');

  const folder = join(data, 'runs', result.run_id);
  expect(readFileSync(join(folder, 'workspace_diff.md'), 'utf8')).toBe(
    `diff --git a/sum.sh b/sum.sh\n${PATCH}`,
  );
  expect(readFileSync(join(folder, 'patch_summary.md'), 'utf8')).toBe(
    'Adds instead of taking away.',
  );
  const manifest = readManifest(readFileSync(join(folder, 'artifact_manifest.json'), 'utf8'));
  expect(manifest.artifacts.map(({ path, producer }) => `${producer} ${path}`)).toEqual([
    'millforge.export events.jsonl',
    'builtin.artifact.write_patch_summary patch_summary.md',
    'millforge.export run_evidence.json',
    'millforge.export terminal_result.json',
    'millforge.export tool_trace.jsonl',
    'builtin.artifact.write_workspace_diff workspace_diff.md',
  ]);
  const traces = readFileSync(join(folder, 'tool_trace.jsonl'), 'utf8');
  expect(traces).not.toContain(workspace);
  expect(traces).toContain('parent: ../outside');
});

test('a run that was stopped in the middle goes on with its own beginning and artifacts', async () => {
  const { workspace, data, host } = layOut();
  const aborting = new AbortController();
  const options = {
    ...host,
    harness: HARNESS,
    task: 'Make the sum right.',
    cwd: workspace,
    model: scripted(MENDING),
    grants: GRANTS,
  };
  const stopped = await runTask({
    ...options,
    signal: aborting.signal,
    onEvent(event) {
      if (event.kind === 'call-ended' && event.tool === 'run_test_profile') aborting.abort();
    },
  });
  expect(stopped.status).toBe('interrupted');
  await using millforge = createMillforge(host);
  const resumed = await millforge.resume(stopped.run_id);
  expect((await resumed.result).status).toBe('success');
  const folder = join(data, 'runs', stopped.run_id);
  expect(readFileSync(join(folder, 'workspace_diff.md'), 'utf8')).toContain('-echo $(($1 - $2))');
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  expect(await millforge.verifyTrail(stopped.run_id)).toMatchObject({ ok: true });
});

test('a run that nothing is kept of has its artifacts and its beginning in memory', async () => {
  const { workspace, host } = layOut();
  const result = await runTask({
    ...host,
    dataDir: null,
    harness: HARNESS,
    task: 'Make the sum right.',
    cwd: workspace,
    model: scripted(MENDING),
    grants: GRANTS,
  });
  expect([result.status, result.terminal_result]).toEqual(['success', 'MENDED']);
});

test('a run that escalates names what keeps it from going on (B-20)', async () => {
  const { workspace, host } = layOut();
  const result = await runTask({
    ...host,
    harness: HARNESS,
    task: 'Make the sum right.',
    cwd: workspace,
    model: scripted([
      ['read_workspace_file', { path: 'sum.sh' }],
      ['run_test_profile', { profile: 'unit' }],
      ['apply_workspace_patch', { patch: PATCH }],
      ['run_test_profile', { profile: 'unit' }],
      [
        'escalate_terminal_intent',
        { terminal_result: 'STUCK', summary: 'Half done.', blocker: 'No access to the server.' },
      ],
    ]),
    grants: GRANTS,
  });
  expect(result).toMatchObject({
    status: 'blocked',
    disposition: 'escalated',
    terminal_result: 'STUCK',
    summary: 'Half done.\nblocker: No access to the server.',
  });
});

import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliEnd, runCli, testFolder } from './run-cli.ts';

/** A project that declares one tool, whose code stands in its manifest. */
function project(): string {
  const cwd = testFolder();
  mkdirSync(join(cwd, '.millforge', 'tools'), { recursive: true });
  writeFileSync(join(cwd, '.millforge', 'tools', 'text.yaml'), MANIFEST);
  writeFileSync(
    join(cwd, '.millforge', 'tools', 'policy.json'),
    JSON.stringify({ allowed_capability_ids: [], allowed_runtime_kinds: ['sandboxed_js'] }),
  );
  writeFileSync(join(cwd, 'harness.yaml'), HARNESS);
  writeFileSync(join(cwd, 'script.json'), JSON.stringify(SCRIPT));
  return cwd;
}

const RUN =
  'run harness.yaml --task Turn --model scripted:script.json --grant terminal.intent'.split(' ');

test('custom tools of a project are used once somebody accepted them, and no longer when they change', {
  tags: ['slow'],
}, async () => {
  const cwd = project();
  const run = (...argv: string[]): Promise<CliEnd> => runCli(argv, { cwd });
  const unseen = await run('tools', 'ls');
  expect(unseen.stdout).not.toContain('example.text.turn');
  expect(unseen.stderr).toContain('nobody has accepted them');

  const trusted = await run('trust');
  expect(trusted).toMatchObject({ code: 0 });
  expect(trusted.stdout).toContain(
    'custom tool example.text.turn@1 (sandboxed_js, read_only, asks nobody)',
  );
  expect((await run('tools', 'ls')).stdout).toMatch(/^example\.text\.turn@1 +custom +read_only/mu);
  const shown = await run('tools', 'show', 'example.text.turn');
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain('origin    custom');

  const ended = await run(...RUN, '--json');
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toContain('{\\"word\\":\\"llim\\"}');

  appendFileSync(join(cwd, '.millforge', 'tools', 'text.yaml'), '# changed\n');
  expect(await run(...RUN)).toMatchObject({ code: 65 });
  expect(await run(...RUN, '--trust-project')).toMatchObject({ code: 0 });
});

test.each<[string, (folder: string) => void, string]>([
  [
    'a manifest that is wrong',
    (folder) => writeFileSync(join(folder, 'text.yaml'), MANIFEST.replace('sandboxed_js', 'wasm')),
    'text.yaml:11 is wrong at /tools/0/runtime_kind: MF-CT003',
  ],
  [
    'a kind of code that the policy does not have',
    (folder) => {
      const policy = { allowed_capability_ids: [], allowed_runtime_kinds: ['contract_only'] };
      writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
    },
    'MF-CT003',
  ],
  ['no policy', (folder) => rmSync(join(folder, 'policy.json')), 'There is no policy at'],
])('%s is told in one sentence', async (_, change, told) => {
  const cwd = project();
  change(join(cwd, '.millforge', 'tools'));
  const end = await runCli([...RUN, '--trust-project'], { cwd });
  expect([64, 65]).toContain(end.code);
  expect(end.stderr).toContain(told);
  expect(end.stderr.trim().split('\n')).toHaveLength(1);
});

test('what cannot be used is described before it is accepted', async () => {
  const cwd = project();
  const file = join(cwd, '.millforge', 'tools', 'text.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('read_only', 'everything'));
  const end = await runCli(['trust'], { cwd, answers: ['n'] });
  expect(end.stdout).toContain('custom tools that cannot be used');
  const listed = await runCli(['tools', 'ls', '--trust-project'], { cwd });
  expect(listed).toMatchObject({ code: 65, stderr: expect.stringContaining('MF-CT001') });
  expect(listed.stdout).toContain('builtin.pi_compat.read@1');
  const forced = await runCli(['trust'], { cwd });
  expect(forced).toMatchObject({ code: 65 });
  expect(forced.stderr).toContain('The custom tools were not accepted: ');
  expect(forced.stdout).not.toContain('Accepted');
  expect(await runCli(['trust'], { cwd })).toMatchObject({ code: 65 });
});

test('a tool whose code is a function of a program is left out, and the others are used', async () => {
  const cwd = project();
  const folder = join(cwd, '.millforge', 'tools');
  const text = MANIFEST.replaceAll('text.turn', 'text.post')
    .replaceAll('text_tools', 'post_tools')
    .replace('model_tool_name: turn', 'model_tool_name: post')
    .replace('sandboxed_js', 'host_function');
  writeFileSync(join(folder, 'post.yaml'), text.slice(0, text.indexOf('    implementation:')));
  const kinds = ['sandboxed_js', 'host_function'];
  writeFileSync(
    join(folder, 'policy.json'),
    JSON.stringify({ allowed_capability_ids: [], allowed_runtime_kinds: kinds }),
  );
  const told =
    'example.text.post@1 is left out: its code is the function impl.example.text.post.v1';
  const trusted = await runCli(['trust'], { cwd });
  expect(trusted).toMatchObject({ code: 0 });
  expect(trusted.stdout).toContain(told);
  const listed = await runCli(['tools', 'ls'], { cwd });
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.stderr).toContain(told);
  expect(listed.stdout).toMatch(/^example\.text\.turn@1 /mu);
  expect(listed.stdout).not.toContain('example.text.post');
});

test('the tools that the guide shows are usable as they stand', async () => {
  const cwd = testFolder();
  const shown = new URL('../../../../examples/05-custom-tool/project/', import.meta.url);
  cpSync(shown, cwd, { recursive: true });
  expect(await runCli(['trust'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  const listed = await runCli(['tools', 'ls'], { cwd });
  expect(listed.stdout).toMatch(/^example\.words\.count@1 +custom +read_only/mu);
});

const MANIFEST = `schema_version: millforge.custom_tool.source
kind: custom_tool_source
version: "1.1"
package_id: example.text_tools
package_version: 1
created_at: "2026-01-02T03:04:05Z"
tools:
  - tool_id: example.text.turn
    tool_version: 1
    implementation_id: impl.example.text.turn.v1
    runtime_kind: sandboxed_js
    model_tool_name: turn
    description: Turns a word around.
    description_policy: operator_supplied
    input_schema:
      type: object
      properties:
        word:
          type: string
      required: ["word"]
      additionalProperties: false
    output_schema:
      type: object
      properties:
        word:
          type: string
      required: ["word"]
      additionalProperties: false
    side_effect_class: read_only
    idempotency: idempotent
    timeout_policy:
      timeout_seconds: 5
      cancellation_grace_seconds: 1
    output_policy:
      max_output_bytes: 4096
      max_summary_utf8: 1024
      redact_secrets: true
    approval_policy: none
    implementation:
      entry: turn
      source: |
        export const turn = ({ word }) => ({ word: [...word].reverse().join('') });
`;
const HARNESS = `
schema_version: "1.1"
kind: millforge_harness
harness_id: test.custom.v1
harness_version: 1
stage_scope:
  stage_kind_ids:
    - call
model_profile_id: test.small
prompt:
  policy_id: test.custom.policy
  system_instructions: |
    Turn it, then submit.
  include_request_context: false
budgets:
  max_iterations: 4
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
    turn_it:
      tool_ref: example.text.turn@1
      required: true
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: turn_it
artifacts:
`;
const SCRIPT = {
  kind: 'model_script',
  schema_version: '1.0',
  replies: [
    { tool_calls: [{ name: 'turn', arguments: { word: 'mill' } }] },
    {
      tool_calls: [
        { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'Turned.' } },
      ],
    },
  ],
};

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMillforge, type ModelScript, runTask } from 'millforge';

const harness = `
schema_version: "1.1"
kind: millforge_harness
harness_id: example.greeter.v1
harness_version: 1
stage_scope:
  stage_kind_ids:
    - greet
model_profile_id: example.small
prompt:
  policy_id: example.greeter.policy
  system_instructions: |
    Write the greeting into a file, read it back, then submit.
  include_request_context: false
budgets:
  max_iterations: 8
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
    write_file:
      tool_ref: builtin.pi_compat.write@1
      required: true
    read_back:
      tool_ref: builtin.pi_compat.read@1
      prerequisites:
        - node_id: write_file
          argument_matches:
            path: path
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: read_back
artifacts:
`;

// A model that is written down. The first reply is prose, the second wants to finish too early: both
// are put right by the guard, and the work gets done.
const script: ModelScript = {
  kind: 'model_script',
  schema_version: '1.0',
  replies: [
    { content: 'Sure, I can write a greeting for you!' },
    { tool_calls: [submit('Done.')] },
    {
      tool_calls: [
        { name: 'write', arguments: { path: 'greeting.txt', content: 'Hello from the mill.\n' } },
      ],
    },
    { tool_calls: [{ name: 'read', arguments: { path: 'greeting.txt' } }] },
    { tool_calls: [submit('greeting.txt holds the greeting.')] },
  ],
};

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-02-'));
try {
  const dataDir = join(folder, 'data');
  // #region run-task
  const result = await runTask({
    harness,
    task: 'Greet the reader in greeting.txt.',
    cwd: folder,
    model: { kind: 'scripted', script },
    grants: ['unrestricted.filesystem.read', 'unrestricted.filesystem.write', 'terminal.intent'],
    dataDir,
    onEvent(event) {
      if (event.kind === 'model-replied') {
        console.log(`turn ${event.turn}: ${event.calls.join(', ') || 'text'}`);
      }
      if (event.kind === 'model-re-asked') console.log('  asked again');
      if (event.kind === 'call-refused') console.log(`  ${event.tool} refused`);
      if (event.kind === 'call-ended') console.log(`  ${event.tool}: ${event.status}`);
    },
  });
  console.log(`${result.status} ${result.terminal_result}: ${result.summary}`);
  // #endregion
  console.log(`greeting.txt: ${(await readFile(join(folder, 'greeting.txt'), 'utf8')).trim()}`);

  await using millforge = createMillforge({ dataDir });
  const verdict = await millforge.verifyTrail(result.run_id);
  console.log(verdict.ok ? 'the trail verifies' : verdict.what);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function submit(summary: string) {
  return { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary } };
}

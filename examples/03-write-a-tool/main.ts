import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelScript, runTask } from 'millforge';
import { createToolTester } from 'millforge/registry/testing';
import { countWords } from './tool.ts';

// #region try
const tester = createToolTester(countWords);
const { outcome, trace } = await tester.call({ text: 'The quick brown fox' });
console.log(`${outcome.status}: ${outcome.text}`);
console.log(`recorded: ${trace.tool_name}, result ${trace.output_sha256?.slice(0, 12)}`);
console.log((await tester.call({ text: 4 })).outcome.text);
// #endregion

const harness = `
schema_version: "1.1"
kind: millforge_harness
harness_id: example.counter.v1
harness_version: 1
stage_scope:
  stage_kind_ids:
    - count
model_profile_id: example.small
prompt:
  policy_id: example.counter.policy
  system_instructions: |
    Count the words of the text, then submit the number.
  include_request_context: false
budgets:
  max_iterations: 6
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
    count:
      tool_ref: example.count_words@1
      required: true
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: count
artifacts:
`;

// A model that is written down: its first call has a wrong argument, and it reads why.
const script: ModelScript = {
  kind: 'model_script',
  schema_version: '1.0',
  replies: [
    { tool_calls: [{ name: 'count_words', arguments: { words: 'To be or not to be' } }] },
    { tool_calls: [{ name: 'count_words', arguments: { text: 'To be or not to be' } }] },
    {
      tool_calls: [
        { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'Six words.' } },
      ],
    },
  ],
};

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-03-'));
try {
  // #region use
  const result = await runTask({
    harness,
    tools: [countWords],
    task: 'How many words has "To be or not to be"?',
    cwd: folder,
    model: { kind: 'scripted', script },
    grants: ['terminal.intent'],
    dataDir: join(folder, 'data'),
    onEvent(event) {
      if (event.kind === 'call-refused') console.log(`  refused: ${event.message}`);
      if (event.kind === 'call-ended') console.log(`  ${event.tool}: ${event.text}`);
    },
  });
  console.log(`${result.status} ${result.terminal_result}: ${result.summary}`);
  // #endregion
} finally {
  await rm(folder, { recursive: true, force: true });
}

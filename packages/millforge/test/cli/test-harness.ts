/** A small harness in YAML: one writing step, one shell step, a success and a blocked terminal. */
export function testHarness(
  changes: { readonly nodes?: string; readonly top?: string } = {},
): string {
  return `schema_version: "1.0"
kind: millforge_harness
harness_id: test.small.v1
harness_version: 1
stage_scope:
  stage_kind_ids: ["task"]
model_profile_id: test.model
prompt:
  policy_id: test.policy
  system_instructions: Work.
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
${changes.nodes ?? NODES}artifacts:
${changes.top ?? ''}`;
}

/** The capabilities that the harness needs, as flags. */
export const GRANT_FLAGS: readonly string[] = [
  '--grant',
  'unrestricted.filesystem.write',
  '--grant',
  'unrestricted.process.execute',
  '--grant',
  'terminal.intent',
];

/** Replies that write a file and finish. */
export const WRITE_AND_FINISH = [
  { tool_calls: [{ name: 'write', arguments: { path: 'out.txt', content: 'made\n' } }] },
  {
    tool_calls: [
      { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'out.txt is made' } },
    ],
  },
];

/** A model script document. */
export function scriptText(replies: readonly object[]): string {
  return JSON.stringify({ kind: 'model_script', schema_version: '1.0', replies });
}

const NODES = `    write_file:
      tool_ref: builtin.pi_compat.write@1
    shell:
      tool_ref: builtin.pi_compat.bash@1
      prerequisites:
        - node_id: write_file
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: write_file
    give_up:
      tool_ref: builtin.pi_compat.block@1
      terminal_result: BLOCKED
`;

/** A profile catalog that knows the model of the harness. */
export const PROFILES = JSON.stringify({
  kind: 'model_profile_catalog',
  schema_version: '1.0',
  profiles: [{ profile_id: 'test.model' }],
});

import type { ModelScript } from 'millforge';

/** One tool of a server, and the end. */
export const HARNESS = `
schema_version: "1.1"
kind: millforge_harness
harness_id: example.tickets.v1
harness_version: 1
stage_scope:
  stage_kind_ids:
    - report
model_profile_id: example.small
prompt:
  policy_id: example.tickets.policy
  system_instructions: |
    Open the ticket, then submit.
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
    open_ticket:
      tool_ref: connector.tickets.open_ticket@1
      required: true
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: open_ticket
artifacts:
`;

/** A model that is written down. */
export const SCRIPT: ModelScript = {
  kind: 'model_script',
  schema_version: '1.0',
  replies: [
    { tool_calls: [{ name: 'tickets_open_ticket', arguments: { title: 'The gate is broken' } }] },
    {
      tool_calls: [
        {
          name: 'submit',
          arguments: { terminal_result: 'COMPLETE', summary: 'Ticket 1 is open.' },
        },
      ],
    },
  ],
};

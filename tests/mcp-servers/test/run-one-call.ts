import type { JsonObject, Tool } from '@millforge/contracts';
import { runTask } from 'millforge';

/** Runs a harness whose model calls the first of some tools and submits; gives what the call came to. */
export async function runOneCall(
  tools: readonly Tool[],
  call: { readonly input: JsonObject; readonly cwd: string; readonly dataDir?: string },
) {
  const { tool_id: id, model_tool_name: name } = tools[0]?.descriptor ?? {
    tool_id: '',
    model_tool_name: '',
  };
  let ended: { status: string; code: string | null; text: string } | null = null;
  const submit = { terminal_result: 'COMPLETE', summary: 'Called.' };
  const replies = [
    { name, arguments: call.input },
    { name: 'submit', arguments: submit },
  ];
  const { status: run } = await runTask({
    harness: harnessOf(id),
    task: 'Call the tool.',
    cwd: call.cwd,
    dataDir: call.dataDir ?? null,
    tools,
    model: {
      kind: 'scripted',
      script: {
        kind: 'model_script',
        schema_version: '1.0',
        replies: replies.map((one) => ({ tool_calls: [one] })),
      },
    },
    grants: ['connector.real.call', 'terminal.intent'],
    approvals: { kind: 'approval_policy', schema_version: '1.0', rules: [{ verdict: 'approve' }] },
    onEvent(event) {
      if (event.kind !== 'call-ended' && event.kind !== 'call-refused') return;
      if (ended !== null || event.tool !== name) return;
      ended =
        event.kind === 'call-ended'
          ? { status: event.status, code: event.errorCode, text: event.text }
          : { status: 'refused', code: event.code, text: event.message };
    },
  });
  return { run, ...(ended ?? { status: 'never', code: null, text: '' }) };
}

function harnessOf(toolId: string): string {
  return `
schema_version: "1.1"
kind: millforge_harness
harness_id: test.connector.v1
harness_version: 1
stage_scope:
  stage_kind_ids:
    - call
model_profile_id: test.small
prompt:
  policy_id: test.connector.policy
  system_instructions: |
    Call the tool, then submit.
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
    call_tool:
      tool_ref: ${toolId}@1
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
artifacts:
`;
}

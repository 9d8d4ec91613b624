import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createHostSandbox,
  createMillforge,
  type ModelSetting,
  type RunTaskOptions,
  runTask,
} from 'millforge';
import { compileHarness } from 'millforge/compiler';
import {
  admitConnectorTools,
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
  createDiscoverySnapshot,
  draftManifest,
} from 'millforge/connectors';
import { fakeTransport } from 'millforge/connectors/testing';
import type { ToolCatalog } from 'millforge/contracts';
import { compileCustomTools } from 'millforge/custom-tools';
import { createCustomToolImplementations } from 'millforge/custom-tools/run';
import { expect, test } from 'vitest';
import { testFolder } from '../support/greeter.ts';

test('one harness has tools of every origin from one registry, and refuses what is not its own', {
  tags: ['slow'],
}, async () => {
  const cwd = testFolder();
  const dataDir = testFolder();
  writeFileSync(join(cwd, 'note.txt'), 'a note\n');
  await using sandbox = createHostSandbox();
  const { tools: connected, transport } = await connectedTools();
  const tools = [...connected, ...customTools(sandbox)];

  const calls = new Map<string, string>();
  const options = {
    task: 'Use all of them.',
    cwd,
    tools,
    dataDir,
    grants: [
      'connector.demo.call',
      'example.declared',
      'request.read',
      'terminal.intent',
      'unrestricted.filesystem.read',
    ],
    approvals: { kind: 'approval_policy', schema_version: '1.0', rules: [{ verdict: 'approve' }] },
    onEvent(event) {
      if (event.kind === 'call-ended') calls.set(event.tool, event.errorCode ?? event.status);
      if (event.kind === 'call-refused') calls.set(event.tool, event.code);
    },
  } satisfies Partial<RunTaskOptions>;

  const result = await runTask({ ...options, harness: HARNESS, model: script(ALL) });
  expect(Object.fromEntries(calls)).toEqual({
    inspect_request: 'success',
    read: 'success',
    demo_say: 'success',
    shout: 'success',
    declared: 'not_found',
    demo_hidden: 'not_found',
    submit: 'success',
  });
  expect(result.status).toBe('success');
  await using millforge = createMillforge({ dataDir });
  expect(await millforge.verifyTrail(result.run_id)).toMatchObject({ ok: true });

  // Denied and not admitted: no harness can name it.
  await expect(
    runTask({
      ...options,
      harness: HARNESS.replace('demo.say@1', 'demo.hidden@1'),
      model: script(ALL),
    }),
  ).rejects.toMatchObject({ code: 'millforge/document' });

  // Changed since it was admitted.
  transport.replaceTools([{ ...SAY, provider_description: 'Says something else.' }]);
  calls.clear();
  await runTask({ ...options, harness: HARNESS, model: script(ALL) });
  expect(calls.get('demo_say')).toBe('binding_mismatch');
});

test('a discovery is no catalog, whatever its shape is taken for', async () => {
  const { snapshot } = await connectedTools();
  const compiled = compileHarness(HARNESS, {
    // Handed over by plain JavaScript, where no type stands against it.
    catalog: snapshot as object as ToolCatalog,
    profiles: {
      snapshotId: ZEROS,
      snapshotSha256: ZEROS,
      resolveExact: () => ({ classification: 'missing' }),
    },
    request: { grants: [] },
  });
  expect(compiled.ok).toBe(false);
  expect(compiled.diagnostics.map(({ code }) => code)).toContain('MF-C001_DISCOVERY_NOT_CATALOG');
});

const ZEROS = '0'.repeat(64);
const SAY = {
  provider_tool_name: 'say',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    properties: { text: { type: 'string' } },
  },
};

async function connectedTools() {
  const transport = fakeTransport({
    tools: [
      {
        ...SAY,
        answer: () => ({ kind: 'answered', isError: false, text: 'said', structured: null }),
      },
      { provider_tool_name: 'hidden' },
    ],
  });
  const found = await transport.discover({ signal: new AbortController().signal });
  if (found.kind === 'failed') throw new Error(found.message);
  const at = '2026-01-01T00:00:00Z';
  const snapshot = createDiscoverySnapshot({
    connector_identity: { connector_id: 'demo', discovered_at: at, ...found.identity },
    created_at: at,
    provider_tools: found.tools,
    provider_prompts: [],
    provider_resources: [],
    provider_metadata: {},
  });
  if (!snapshot.ok) throw new Error(snapshot.diagnostics[0]?.message ?? '');
  const { manifest, proposals } = draftManifest(snapshot.value, { modelToolNames: [] });
  const { descriptors, records, diagnostics } = admitConnectorTools({
    snapshot: snapshot.value,
    manifest: {
      ...manifest,
      selected_tools: proposals.flatMap(({ selection }) =>
        selection?.provider_tool_name === 'say'
          ? [{ ...selection, description: 'Says a text back.' }]
          : [],
      ),
      denied_tools: manifest.denied_tools.filter((one) => one.provider_tool_name === 'hidden'),
    },
    policy: { allowed_capability_ids: ['connector.demo.call'], max_description_utf8: 512 },
  });
  expect(diagnostics).toEqual([]);
  const broker = createConnectorBroker({
    clock: { monotonicMs: () => performance.now() },
    connectors: [{ discovery: snapshot.value, transport }],
  });
  const admission = createAdmissionSnapshot(records, descriptors);
  return {
    transport,
    snapshot: snapshot.value,
    tools: createConnectorTools({ admission, descriptors, broker }),
  };
}

function customTools(sandbox: ReturnType<typeof createHostSandbox>) {
  const compiled = compileCustomTools(
    { content: CUSTOM, logicalPath: 'tools.yaml' },
    {
      allowed_capability_ids: ['example.declared'],
      allowed_runtime_kinds: ['sandboxed_js', 'contract_only'],
    },
  );
  if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message ?? '');
  return createCustomToolImplementations({ tools: compiled.value.tools, sandbox });
}

function script(
  calls: readonly { readonly name: string; readonly arguments: object }[],
): ModelSetting {
  return {
    kind: 'scripted',
    script: {
      kind: 'model_script',
      schema_version: '1.0',
      replies: calls.map((call) => ({
        tool_calls: [{ ...call, arguments: { ...call.arguments } }],
      })),
    },
  };
}

const ALL = [
  { name: 'inspect_request', arguments: {} },
  { name: 'read', arguments: { path: 'note.txt' } },
  { name: 'demo_say', arguments: { text: 'x' } },
  { name: 'shout', arguments: { text: 'x' } },
  { name: 'declared', arguments: {} },
  { name: 'demo_hidden', arguments: {} },
  { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'Used.' } },
];

const CUSTOM = `schema_version: millforge.custom_tool.source
kind: custom_tool_source
version: "1.1"
package_id: example.tools
package_version: 1
created_at: "2026-01-02T03:04:05Z"
tools:
  - tool_id: example.shout
    tool_version: 1
    implementation_id: impl.example.shout.v1
    runtime_kind: sandboxed_js
    model_tool_name: shout
    description: Says a text loudly.
    description_policy: operator_supplied
    input_schema: {"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}
    output_schema: {"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}
    side_effect_class: read_only
    idempotency: idempotent
    timeout_policy: {"timeout_seconds":5,"cancellation_grace_seconds":1}
    output_policy: {"max_output_bytes":4096,"max_summary_utf8":1024,"redact_secrets":true}
    approval_policy: none
    implementation:
      source: |
        export default ({ text }) => ({ text: text.toUpperCase() });
  - tool_id: example.declared
    tool_version: 1
    implementation_id: impl.example.declared.v1
    runtime_kind: contract_only
    model_tool_name: declared
    description: Exists on paper.
    description_policy: operator_supplied
    input_schema: {"type":"object","properties":{},"required":[],"additionalProperties":false}
    output_schema: {"type":"object","properties":{},"required":[],"additionalProperties":false}
    required_capabilities: ["example.declared"]
    side_effect_class: network_write
    idempotency: unknown
    timeout_policy: {"timeout_seconds":5,"cancellation_grace_seconds":1}
    output_policy: {"max_output_bytes":4096,"max_summary_utf8":1024,"redact_secrets":true}
    approval_policy: millrace_explicit
`;

const HARNESS = `schema_version: "1.1"
kind: millforge_harness
harness_id: test.all.v1
harness_version: 1
stage_scope:
  stage_kind_ids: ["use"]
model_profile_id: test.model
prompt:
  policy_id: test.policy
  system_instructions: Use them.
  include_request_context: false
budgets:
  max_iterations: 12
  max_validation_retries: 4
  max_tool_errors: 4
  max_prerequisite_violations: 4
  max_premature_terminal_attempts: 4
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
      tool_ref: builtin.pi_compat.read@1
    say:
      tool_ref: connector.demo.say@1
    shout:
      tool_ref: example.shout@1
    declared:
      tool_ref: example.declared@1
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
artifacts:
`;

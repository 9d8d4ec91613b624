import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type CompiledHarnessPlan, createRedactor, type PlanNode } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import { piTools } from '@millforge/pi-tools';
import { createRegistry, createToolExecutor } from '@millforge/registry';
import { expect, test } from 'vitest';
import { temporaryFolder } from './tool-world.ts';

const READ = 'unrestricted.filesystem.read';
const WRITE = 'unrestricted.filesystem.write';

test('offers ten tools with the facts of the catalog', () => {
  const facts = piTools().map(({ origin, descriptor: tool }) => [
    tool.model_tool_name,
    tool.required_capabilities.join('+'),
    tool.side_effect_class,
    tool.idempotency,
    tool.timeout_policy.timeout_seconds,
    tool.timeout_policy.cancellation_grace_seconds,
    origin,
  ]);
  expect(facts).toEqual([
    ['read', READ, 'read_only', 'idempotent', 1800, 30, 'pi'],
    ['bash', 'unrestricted.process.execute', 'process_execution', 'non_idempotent', 1800, 30, 'pi'],
    ['edit', `${READ}+${WRITE}`, 'workspace_write', 'idempotent_with_key', 1800, 30, 'pi'],
    ['write', WRITE, 'workspace_write', 'idempotent_with_key', 1800, 30, 'pi'],
    ['grep', READ, 'read_only', 'idempotent', 1800, 30, 'pi'],
    ['find', READ, 'read_only', 'idempotent', 1800, 30, 'pi'],
    ['ls', READ, 'read_only', 'idempotent', 1800, 30, 'pi'],
    ['submit', 'terminal.intent', 'terminal', 'non_idempotent', 30, 5, 'pi'],
    ['block', 'terminal.intent', 'terminal', 'non_idempotent', 30, 5, 'pi'],
    ['reject', 'terminal.intent', 'terminal', 'non_idempotent', 30, 5, 'pi'],
  ]);
});

test('names every tool and its code by one rule, at version 1', () => {
  for (const { descriptor: tool } of piTools()) {
    expect(tool).toMatchObject({
      tool_id: `builtin.pi_compat.${tool.model_tool_name}`,
      tool_version: 1,
      implementation_id: `impl.builtin.pi_compat.${tool.model_tool_name}.v1`,
      produced_artifact_ids: [],
      output_policy: { max_output_bytes: 131_072, max_summary_utf8: 65_536, redact_secrets: false },
    });
  }
});

test('has the same descriptors whatever the host gives', () => {
  const digests = [{}, { environment: { A: 'b' }, shellPath: '/bin/sh' }].map((options) => {
    const registry = createRegistry();
    registry.register(...piTools(options));
    return registry.freeze().snapshotId;
  });
  expect(digests[0]).toBe(digests[1]);
});

test.each([
  ['submit', 'COMPLETE', 'success'],
  ['block', 'BLOCKED', 'blocked'],
  ['reject', 'REJECTED', 'rejected'],
])('%s carries its summary and disposition (B-20)', async (name, result, disposition) => {
  const { run } = await executorOver(await temporaryFolder());
  const input = { terminal_result: result, summary: 'All tests pass.' };
  expect(await run(name, input)).toMatchObject({
    outcome: {
      status: 'success',
      text: 'All tests pass.',
      data: { truncated: false, terminal_result: result, disposition, summary: 'All tests pass.' },
      certainty: 'confirmed_complete',
    },
  });
  expect(await run(name, { ...input, summary: ' \n' })).toMatchObject({
    kind: 'refused',
    outcome: { error_code: 'invalid_arguments', text: 'terminal summary must not be blank' },
    correctable: true,
  });
  expect(await run(name, { ...input, terminal_result: 'OTHER' })).toMatchObject({
    kind: 'refused',
    outcome: { error_code: 'invalid_arguments' },
  });
});

test('works through the boundary: look, change, check', async () => {
  const folder = await temporaryFolder();
  await mkdir(`${folder}/src`);
  await writeFile(`${folder}/src/sum.js`, 'export const sum = (a, b) => a - b;\n');
  const { run } = await executorOver(folder);
  expect(await run('grep', { pattern: 'a - b' })).toMatchObject({
    outcome: { text: 'src/sum.js:1: export const sum = (a, b) => a - b;' },
  });
  const edits = [{ oldText: 'a - b', newText: 'a + b' }];
  expect(await run('edit', { path: 'src/sum.js', edits })).toMatchObject({
    outcome: { status: 'success', certainty: 'confirmed_complete', truncated: false },
    after: { path: 'src/sum.js' },
  });
  expect(await readFile(`${folder}/src/sum.js`, 'utf8')).toContain('a + b');
  expect(await run('bash', { command: 'exit 2' })).toMatchObject({
    outcome: { status: 'soft_failure', error_code: 'process_exit_nonzero', data: { exit_code: 2 } },
  });
  expect(await run('edit', { path: 'src/sum.js', edits })).toMatchObject({
    kind: 'refused',
    outcome: { status: 'not_executed', error_code: 'conflict' },
    correctable: true,
  });
});

test('settles a command that outlives the limit of the tool', async () => {
  const { run, clock } = await executorOver(await temporaryFolder());
  const running = run('bash', { command: 'sleep 30' });
  const steps = [0, 1_800_000];
  const moving = setInterval(() => clock.advance(steps.shift() ?? 100), 50);
  expect(await running).toMatchObject({
    outcome: { status: 'timed_out', error_code: 'timeout', text: 'Command timed out' },
  });
  clearInterval(moving);
});

test('knows after the fact that an edit was made', async () => {
  const folder = await temporaryFolder();
  await writeFile(`${folder}/f`, 'a');
  const { check } = await executorOver(folder);
  const call = check('edit', { path: 'f', edits: [{ oldText: 'a', newText: 'b' }] });
  if (call.kind === 'refused') throw new Error(call.outcome.text);
  expect(call).toMatchObject({ effect: 'write', repeat: 'unsafe' });
  const prepared = await call.prepare({ signal: LIVE });
  if (prepared.kind === 'refused') throw new Error(prepared.outcome.text);
  const { before } = prepared;
  const { outcome } = await prepared.run({ signal: LIVE, idempotencyKey: 'k' });
  await prepared[Symbol.asyncDispose]();
  const answer = await call.reconcile?.({ idempotencyKey: 'k', before, signal: LIVE });
  expect(answer).toMatchObject({ kind: 'happened', value: { outcome } });
});

const LIVE = new AbortController().signal;

async function executorOver(workspace: string) {
  const registry = createRegistry();
  registry.register(
    ...piTools({ environment: { PATH: '/usr/bin:/bin' }, logDirectory: workspace }),
  );
  const snapshot = registry.freeze();
  const nodes = piTools().map(({ descriptor: tool }): PlanNode => {
    const name = tool.model_tool_name;
    const sha = snapshot.findTool(tool.tool_id, 1)?.descriptorSha256 ?? '';
    return {
      node_id: name,
      model_tool_name: name,
      description: tool.description,
      input_schema: tool.input_schema,
      binding: {
        tool_id: tool.tool_id,
        tool_version: 1,
        descriptor_sha256: sha,
        implementation_id: tool.implementation_id,
      },
      prerequisites: [],
      required: false,
      terminal_result: TERMINALS.get(name) ?? null,
      required_capabilities: tool.required_capabilities,
      produced_artifact_ids: [],
      side_effect_class: tool.side_effect_class,
      idempotency: tool.idempotency,
    };
  });
  const clock = manualClock();
  const executor = createToolExecutor({
    plan: planOf(nodes),
    snapshot,
    implementations: snapshot.implementations,
    clock,
    redactor: createRedactor(),
  });
  const grants = nodes.flatMap((node) => node.required_capabilities);
  const context = { runId: 'r', turn: 1, workspace, grants, prerequisites: [] };
  const check = (name: string, input: unknown) =>
    executor.check({ name, callId: 'c', arguments: input }, context);
  return {
    clock,
    check,
    run: async (name: string, input: unknown) => {
      const call = check(name, input);
      if (call.kind === 'refused') return call;
      const prepared = await call.prepare({ signal: LIVE });
      if (prepared.kind === 'refused') return prepared;
      const executed = await prepared.run({ signal: LIVE, idempotencyKey: 'key' });
      await prepared[Symbol.asyncDispose]();
      return executed;
    },
  };
}

const TERMINALS = new Map([
  ['submit', 'COMPLETE'],
  ['block', 'BLOCKED'],
  ['reject', 'REJECTED'],
]);

function planOf(nodes: readonly PlanNode[]): CompiledHarnessPlan {
  return {
    schema_version: '1.0',
    kind: 'compiled_millforge_harness',
    harness_id: 'test.harness',
    harness_version: 1,
    source_sha256: '0'.repeat(64),
    compiled_sha256: '0'.repeat(64),
    stage_kind_ids: ['execution'],
    model_profile: { profile_id: 'test.profile' },
    prompt_policy: { policy_id: 'p', system_instructions: 'x', include_request_context: false },
    budgets: {
      max_iterations: 10,
      max_validation_retries: 2,
      max_tool_errors: 2,
      max_prerequisite_violations: 2,
      max_premature_terminal_attempts: 2,
    },
    context_policy: {
      strategy_id: 'forge.tiered.v1',
      budget_tokens: 1000,
      keep_recent_iterations: 2,
      phase_thresholds: [0.6, 0.75, 0.9],
    },
    nodes,
    required_capabilities: [],
    terminal_result_map: Object.fromEntries(TERMINALS),
    artifact_policy: { declared_artifact_ids: [], required_by_terminal: [] },
    compiler_identity: { name: 'test', version: '1', build_id: 'test' },
  };
}

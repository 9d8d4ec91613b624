import { readFileSync } from 'node:fs';
import { digest } from '@millforge/contracts';
import {
  BASE_GRANTS,
  type BaseTerminal,
  describeMillforgeBase,
  millforgeBase,
  piTerminals,
  piTools,
} from '@millforge/pi-tools';
import { createRegistry } from '@millforge/registry';
import { expect, test } from 'vitest';

test('is a source of version 1.1 over the ten tools, each terminal with its disposition', () => {
  expect(millforgeBase({ modelProfileId: 'test.model' })).toMatchObject({
    schema_version: '1.1',
    kind: 'millforge_harness',
    harness_id: 'millforge.base.unrestricted_agent.v1',
    harness_version: 1,
    stage_scope: { stage_kind_ids: ['millforge_base'] },
    model_profile_id: 'test.model',
    prompt: { policy_id: 'millforge.base.prompt.v1', include_request_context: true },
    graph: {
      nodes: {
        read: { tool_ref: 'builtin.pi_compat.read@1' },
        block: { terminal_result: 'BLOCKED', disposition: 'blocked' },
        submit: { terminal_result: 'COMPLETE', disposition: 'success' },
        reject: { terminal_result: 'REJECTED', disposition: 'rejected' },
      },
    },
  });
});

test('a vocabulary of its own has tools of its own, with declared dispositions (D-14)', () => {
  const terminals: readonly BaseTerminal[] = [
    { result: 'PLAN_READY', disposition: 'success' },
    { result: 'PLAN_BLOCKED', disposition: 'blocked' },
  ];
  const { graph } = millforgeBase({ modelProfileId: 'm', terminals });
  expect(graph).toMatchObject({
    nodes: {
      terminal_plan_blocked: {
        tool_ref: 'builtin.pi_compat.terminal.plan_blocked@1',
        terminal_result: 'PLAN_BLOCKED',
        disposition: 'blocked',
      },
      terminal_plan_ready: { disposition: 'success' },
    },
  });
  expect(JSON.stringify(graph)).not.toMatch(/submit|"block"|reject/);
  const [blocked] = piTerminals(terminals);
  expect(blocked?.descriptor).toMatchObject({
    tool_id: 'builtin.pi_compat.terminal.plan_blocked',
    model_tool_name: 'terminal_plan_blocked',
    required_capabilities: ['terminal.intent'],
  });
});

test('the usual results with another meaning are a vocabulary of their own (D-14)', () => {
  const names = piTerminals([
    { result: 'COMPLETE', disposition: 'success' },
    { result: 'BLOCKED', disposition: 'escalated' },
    { result: 'REJECTED', disposition: 'rejected' },
  ]).map(({ descriptor }) => descriptor.model_tool_name);
  expect(names).toEqual(['terminal_blocked', 'terminal_complete', 'terminal_rejected']);
});

test('every legal result gives a tool that can be registered beside the others', () => {
  const results = [
    'A',
    'A_',
    'A__B',
    'A_B',
    `L${'O'.repeat(127)}`,
    `${'X'.repeat(38)}__${'Y'.repeat(30)}`,
  ];
  const tools = piTerminals(results.map((result) => ({ result, disposition: 'success' })));
  const registry = createRegistry();
  registry.register(...piTools(), ...tools);
  expect(new Set(tools.map(({ descriptor }) => descriptor.model_tool_name)).size).toBe(6);
  for (const { descriptor } of tools) {
    expect(descriptor.model_tool_name).toMatch(/^terminal_[a-z0-9_]{1,48}$/);
  }
});

test.each<[string, readonly BaseTerminal[]]>([
  ['none', []],
  [
    'more than 64',
    Array.from({ length: 65 }, (_, i) => ({ result: `R${i}`, disposition: 'success' })),
  ],
  ['one twice', Array.from({ length: 2 }, () => ({ result: 'R', disposition: 'success' }))],
  ['a misspelt one', [{ result: 'done', disposition: 'success' }]],
])('refuses %s', (_name, terminals) => {
  expect(() => piTerminals(terminals)).toThrow(
    expect.objectContaining({ code: 'pi-tools/invalid-option' }),
  );
});

test('describes itself, the same at every time and for itself', () => {
  const { descriptor_sha256, ...facts } = describeMillforgeBase();
  expect(descriptor_sha256).toBe(digest(JSON.parse(JSON.stringify(facts)), { newline: false }));
  expect(describeMillforgeBase()).toEqual({ ...facts, descriptor_sha256 });
  const manifest = new URL('../../package.json', import.meta.url);
  const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'));
  expect(facts).toMatchObject({
    package_name: name,
    package_version: version,
    runner_id: 'millforge-base',
    required_capability_ids: BASE_GRANTS,
    legal_terminal_result_ids: ['BLOCKED', 'COMPLETE', 'REJECTED'],
    supported_platforms: ['linux', 'darwin'],
  });
});

import { compileHarness } from '@millforge/compiler';
import { diffPlans, renderPlanDiff } from '@millforge/compiler/render';
import type { CompiledHarnessPlan, PlanNode } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { readFixture } from '../support/fixtures.ts';

const { source, input } = readFixture('review');
const compiled = compileHarness(source, input);
if (!compiled.ok) throw new Error('The fixture must compile.');
const plan = compiled.plan;

/** The plan with these changes to one node. */
function withNode(nodeId: string, other: Partial<PlanNode>): CompiledHarnessPlan {
  const nodes = plan.nodes.map((node) => (node.node_id === nodeId ? { ...node, ...other } : node));
  return { ...plan, nodes };
}

/** Changes as `risk change path`. */
function changes(before: CompiledHarnessPlan, after: CompiledHarnessPlan): readonly string[] {
  return diffPlans(before, after).changes.map(
    ({ risk, change, path }) => `${risk} ${change} ${path}`,
  );
}

function nodeOf(nodeId: string): PlanNode {
  const node = plan.nodes.find(({ node_id }) => node_id === nodeId);
  if (node === undefined) throw new Error(`The fixture must have ${nodeId}.`);
  return node;
}

const write = nodeOf('write_review');
const open = nodeOf('open_ticket');
const finish = nodeOf('finish');

test('finds nothing between a plan and itself', () => {
  expect(diffPlans(plan, plan)).toMatchObject({ risk: 'none', changes: [] });
  expect(renderPlanDiff(diffPlans(plan, plan))).toBe('The plans are the same.\n');
  const signed = { ...plan, compiled_sha256: '0'.repeat(64) };
  expect(renderPlanDiff(diffPlans(plan, signed))).toBe(
    'The plans mean the same, but their digests differ.\n',
  );
});

test.each<[string, CompiledHarnessPlan, readonly string[]]>([
  [
    'a new capability',
    { ...plan, required_capabilities: [...plan.required_capabilities, 'net'] },
    ['high capability-added /required_capabilities'],
  ],
  [
    'a stronger side effect',
    withNode('write_review', { side_effect_class: 'network_write' }),
    ['high side-effect-stronger /nodes/write_review/side_effect_class'],
  ],
  [
    'a tool of another version',
    withNode('write_review', { binding: { ...write.binding, tool_version: 3 } }),
    ['medium tool-changed /nodes/write_review/binding'],
  ],
  [
    'another tool under the same version',
    withNode('write_review', { binding: { ...write.binding, descriptor_sha256: '0'.repeat(64) } }),
    ['medium tool-content-changed /nodes/write_review/binding'],
  ],
  [
    'a call that may no longer be repeated',
    withNode('open_ticket', { idempotency: 'non_idempotent' }),
    ['medium idempotency-changed /nodes/open_ticket/idempotency'],
  ],
  [
    'a step that is no longer required, though it still comes before',
    withNode('open_ticket', { required: false }),
    ['high obligation-removed /nodes/open_ticket/required'],
  ],
  [
    'a terminal that no longer waits',
    withNode('finish', { prerequisites: [] }),
    [
      'high prerequisite-removed /nodes/finish/prerequisites',
      'high gate-weaker /terminal_result_map/REVIEW_DONE',
    ],
  ],
  [
    'a prerequisite that became one of two',
    withNode('finish', {
      prerequisites: [
        {
          any_of: [
            { node_id: 'write_review', argument_matches: [] },
            { node_id: 'open_ticket', argument_matches: [] },
          ],
        },
      ],
    }),
    [
      'high prerequisite-removed /nodes/finish/prerequisites',
      'high gate-weaker /terminal_result_map/REVIEW_DONE',
      'none prerequisite-added /nodes/finish/prerequisites',
    ],
  ],
  [
    'arguments that need no longer agree',
    withNode('write_review', {
      prerequisites: [
        {
          node_id: 'open_ticket',
          argument_matches: [
            { prerequisite_argument: 'ticket_id', current_argument: 'subject_id' },
          ],
        },
      ],
    }),
    [
      'high prerequisite-removed /nodes/write_review/prerequisites',
      'none prerequisite-added /nodes/write_review/prerequisites',
    ],
  ],
  [
    'a larger budget',
    { ...plan, budgets: { ...plan.budgets, max_iterations: 9 } },
    ['medium budget-larger /budgets/max_iterations'],
  ],
  [
    'an observed limit that is new',
    { ...plan, budgets: { ...plan.budgets, observed_limits: { tool_calls: 3 } } },
    ['none budget-smaller /budgets/observed_limits/tool_calls'],
  ],
  [
    'another prompt',
    { ...plan, prompt_policy: { ...plan.prompt_policy, system_instructions: 'Other.' } },
    ['medium prompt-changed /prompt_policy/system_instructions'],
  ],
  [
    'another prompt policy and less context',
    {
      ...plan,
      prompt_policy: {
        ...plan.prompt_policy,
        policy_id: 'other.policy',
        include_request_context: false,
      },
    },
    [
      'low prompt-policy-changed /prompt_policy/policy_id',
      'none request-context-changed /prompt_policy/include_request_context',
    ],
  ],
  [
    'an artifact that is no longer demanded',
    { ...plan, artifact_policy: { ...plan.artifact_policy, required_by_terminal: [] } },
    ['high artifact-demand-removed /artifact_policy/required_by_terminal/REVIEW_DONE'],
  ],
  [
    'another end under the same name',
    withNode('finish', { terminal_result: 'OTHER' }),
    ['high terminal-result-changed /nodes/finish/terminal_result'],
  ],
  [
    'a new step',
    {
      ...plan,
      nodes: [
        ...plan.nodes,
        { ...open, node_id: 'zz', side_effect_class: 'process_execution', required: false },
      ],
    },
    ['high node-added /nodes/zz'],
  ],
  [
    'a step that is gone',
    { ...plan, nodes: [{ ...finish, prerequisites: [] }, open] },
    [
      'high prerequisite-removed /nodes/finish/prerequisites',
      'high gate-weaker /terminal_result_map/REVIEW_DONE',
      'none node-removed /nodes/write_review',
    ],
  ],
  [
    'another name and other words for the model',
    withNode('open_ticket', { model_tool_name: 'open', description: 'Other words.' }),
    [
      'low description-changed /nodes/open_ticket/description',
      'low model-tool-name-changed /nodes/open_ticket/model_tool_name',
    ],
  ],
  [
    'other arguments',
    withNode('open_ticket', {
      input_schema: { type: 'object', additionalProperties: false, properties: {}, required: [] },
    }),
    ['medium schema-changed /nodes/open_ticket/input_schema'],
  ],
  [
    'other words about arguments',
    withNode('open_ticket', { input_schema: { ...open.input_schema, description: 'Words.' } }),
    ['low schema-annotations-changed /nodes/open_ticket/input_schema'],
  ],
  [
    'calls without a limit and fewer successes',
    withNode('open_ticket', { calls: { min: 1, max: null } }),
    [],
  ],
  [
    'what belongs to the harness',
    {
      ...plan,
      harness_id: 'other',
      harness_version: 2,
      model_profile: { profile_id: 'other' },
      stage_kind_ids: ['other'],
      context_policy: { ...plan.context_policy, budget_tokens: 9000 },
      compiler_identity: { ...plan.compiler_identity, version: '9' },
    },
    [
      'medium harness-id-changed /harness_id',
      'medium model-profile-changed /model_profile',
      'low context-policy-budget-tokens-changed /context_policy/budget_tokens',
      'low stage-added /stage_kind_ids',
      'none compiler-identity-changed /compiler_identity',
      'none harness-version-changed /harness_version',
      'none stage-removed /stage_kind_ids',
    ],
  ],
])('finds %s', (_, after, expected) => {
  expect(changes(plan, after)).toEqual(expected);
});

test('finds call bounds, obligations of single ends and meanings of version 1.1', () => {
  const first = withNode('open_ticket', {
    required: false,
    required_for: ['REVIEW_DONE'],
    calls: { min: 3, max: 5 },
  });
  const second = withNode('open_ticket', {
    required: false,
    required_for: [],
    calls: { min: 1, max: null },
  });
  expect(changes(first, second)).toEqual([
    'high obligation-removed /nodes/open_ticket/required_for',
    'medium call-maximum-changed /nodes/open_ticket/calls/max',
    'medium call-minimum-changed /nodes/open_ticket/calls/min',
  ]);
  expect(changes(second, first).map((line) => line.split(' ')[0])).toEqual([
    'none',
    'none',
    'none',
  ]);
  const means = (disposition: PlanNode['disposition']) =>
    withNode('finish', disposition === undefined ? {} : { disposition });
  expect(changes(means('success'), means('blocked'))).toEqual([
    'medium disposition-changed /nodes/finish/disposition',
  ]);
  expect(changes(means(undefined), means('success'))).toEqual([]);
});

test('tells a looser constraint from a tighter one', () => {
  const bounded = (constraints: object): CompiledHarnessPlan => ({
    ...plan,
    capability_constraints: [{ capability_id: 'ticket.read', constraints }],
  });
  const path = '/capability_constraints/ticket.read';
  expect(changes(bounded({ paths: ['a'] }), bounded({ paths: ['a', 'b'] }))).toEqual([
    `high constraint-looser ${path}/paths`,
  ]);
  expect(changes(bounded({ paths: ['a', 'b'] }), bounded({ paths: ['a'] }))).toEqual([
    `none constraint-tighter ${path}/paths`,
  ]);
  expect(changes(bounded({ max_bytes: 9, hosts: ['h'] }), bounded({ max_bytes: 10 }))).toEqual([
    `high constraint-looser ${path}/hosts`,
    `high constraint-looser ${path}/max_bytes`,
  ]);
  expect(changes(bounded({ max_bytes: 9 }), plan)).toEqual([
    `high constraint-looser ${path}/max_bytes`,
  ]);
});

test('writes the riskiest change first, and no text of a prompt', () => {
  const after: CompiledHarnessPlan = {
    ...plan,
    harness_version: 2,
    required_capabilities: [...plan.required_capabilities, 'net'],
    prompt_policy: { ...plan.prompt_policy, system_instructions: `ghp_${'x1'.repeat(18)}` },
  };
  const diff = diffPlans(plan, after);
  expect(diff.risk).toBe('high');
  expect(renderPlanDiff(diff)).toBe(`3 changes, highest risk: high
  high    capability-added: It needs the capability net, which it did not need. (/required_capabilities)
  medium  prompt-changed: The model is given other instructions; only their digests are shown. (/prompt_policy/system_instructions)
  none    harness-version-changed: harness_version is 2, it was 1. (/harness_version)
`);
  expect(JSON.stringify(diff)).not.toContain('x1x1');
});

import { compileHarness } from '@millforge/compiler';
import { diffPlans, renderPlanDiff } from '@millforge/compiler/render';
import type { CompiledHarnessPlan, PlanNode, PlanPrerequisite } from '@millforge/contracts';
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
    'high disposition-changed /nodes/finish/disposition',
  ]);
  expect(changes(means(undefined), means('success'))).toEqual([]);
});

test('infers what an end means where a plan does not say it, before it compares', () => {
  const changed = ['high disposition-changed /nodes/finish/disposition'];
  const { disposition: _, ...unstated } = finish;
  const silent = { ...plan, nodes: plan.nodes.map((node) => (node === finish ? unstated : node)) };
  expect(changes(silent, withNode('finish', { disposition: 'blocked' }))).toEqual(changed);
  expect(changes(withNode('finish', { disposition: 'blocked' }), silent)).toEqual(changed);
  expect(changes(silent, withNode('finish', { disposition: 'success' }))).toEqual([]);
  const reject = { ...finish.binding, tool_id: 'builtin.terminal.reject' };
  expect(changes(withNode('finish', { binding: reject }), plan)).toEqual([
    ...changed,
    'medium tool-changed /nodes/finish/binding',
  ]);
  expect(changes(withNode('finish', { terminal_result: 'BLOCKED' }), plan)).toEqual([
    ...changed,
    'high terminal-result-changed /nodes/finish/terminal_result',
  ]);
});

/** The plan with one more end. */
function withEnd(other: Partial<PlanNode>): CompiledHarnessPlan {
  return { ...plan, nodes: [...plan.nodes, { ...finish, node_id: 'other_end', ...other }] };
}

function addedEnd(before: CompiledHarnessPlan, after: CompiledHarnessPlan) {
  return diffPlans(before, after).changes.filter(({ change }) => change === 'end-added');
}

test('tells a new end with its result, its meaning and what gates it', () => {
  const path = '/nodes/other_end/terminal_result';
  const start = { change: 'end-added', path, before: null };
  expect(addedEnd(plan, withEnd({ terminal_result: 'OTHER' }))).toEqual([
    {
      ...start,
      risk: 'medium',
      message:
        'The step other_end is a new end: OTHER, which means success, after open_ticket, write_review.',
      after: ['OTHER', 'success', 'open_ticket', 'write_review'],
    },
  ]);
  const bare = { terminal_result: 'BLOCKED', prerequisites: [] };
  expect(addedEnd(plan, withEnd(bare))[0]).toMatchObject({
    risk: 'medium',
    after: ['BLOCKED', 'blocked', 'open_ticket'],
  });
  expect(addedEnd(withEnd(bare), withEnd(bare))).toEqual([]);
});

function withoutObligations(of: CompiledHarnessPlan): CompiledHarnessPlan {
  const nodes = of.nodes.map((node) => ({ ...node, required: false, required_for: [] }));
  return { ...of, nodes };
}

test('calls a new success that lacks the gates of the others a high risk', () => {
  const easy = withEnd({ terminal_result: 'EASY', prerequisites: [] });
  expect(addedEnd(plan, easy)).toMatchObject([
    {
      risk: 'high',
      message:
        'The step other_end is a new end: EASY, which means success, after open_ticket; other successes come after write_review too.',
      after: ['EASY', 'success', 'open_ticket'],
    },
  ]);
  expect(addedEnd(withoutObligations(plan), withoutObligations(easy))[0]?.message).toContain(
    'EASY, which means success, with nothing required before; other',
  );
  // An end as easy as one that there was.
  const third = { ...finish, node_id: 'third', terminal_result: 'THIRD', prerequisites: [] };
  expect(addedEnd(easy, { ...easy, nodes: [...easy.nodes, third] })[0]?.risk).toBe('medium');
});

test('takes a step that begins to end the run, and a second end of one result, for new ends', () => {
  const ordinary = withEnd({ terminal_result: null, disposition: null, prerequisites: [] });
  const after = withEnd({ prerequisites: [] });
  expect(addedEnd(ordinary, after)[0]?.risk).toBe('high');
  expect(changes(plan, after)).toEqual([
    'high end-added /nodes/other_end/terminal_result',
    'high gate-weaker /terminal_result_map/REVIEW_DONE',
    'medium node-added /nodes/other_end',
  ]);
});

function prerequisite(nodeId: string, ...names: readonly string[]): PlanPrerequisite {
  const matches = names.map((name) => ({ prerequisite_argument: name, current_argument: name }));
  return { node_id: nodeId, argument_matches: matches };
}

/** Changes of what an end waits for, as `risk change`. */
function waiting(before: PlanNode['prerequisites'], after: PlanNode['prerequisites']) {
  const [was, is] = [before, after].map((prerequisites) => withNode('finish', { prerequisites }));
  return diffPlans(was ?? plan, is ?? plan)
    .changes.filter(({ path }) => path === '/nodes/finish/prerequisites')
    .map(({ risk, change }) => `${risk} ${change}`);
}

const [A, B, C] = ['open_ticket', 'write_review', 'other'] as const;

test.each<[string, PlanNode['prerequisites'], PlanNode['prerequisites']]>([
  [
    'one of two that became a certain one',
    [{ any_of: [prerequisite(A), prerequisite(B)] }],
    [prerequisite(A)],
  ],
  [
    'fewer alternatives',
    [{ any_of: [prerequisite(A), prerequisite(B), prerequisite(C)] }],
    [{ any_of: [prerequisite(C), prerequisite(A)] }],
  ],
  ['an argument that must agree', [prerequisite(A)], [prerequisite(A, 'x')]],
  ['one more argument that must agree', [prerequisite(A, 'x')], [prerequisite(A, 'y', 'x')]],
  [
    'one of two that became a certain one with an argument',
    [{ any_of: [prerequisite(A), prerequisite(B)] }],
    [prerequisite(A, 'x')],
  ],
])('finds no risk in %s, but in its reverse', (_, loose, tight) => {
  expect(waiting(loose, tight)).toEqual(['none prerequisite-tighter']);
  expect(waiting(tight, loose)).toEqual(['high prerequisite-removed', 'none prerequisite-added']);
});

test('finds a risk in what is neither stricter nor looser, and nothing in another order', () => {
  const risk = ['high prerequisite-removed', 'none prerequisite-added'];
  expect(waiting([prerequisite(A, 'x')], [prerequisite(A, 'y')])).toEqual(risk);
  expect(waiting([prerequisite(A)], [prerequisite(B, 'x')])).toEqual(risk);
  expect(
    waiting(
      [{ any_of: [prerequisite(A, 'x', 'y'), prerequisite(B)] }],
      [{ any_of: [prerequisite(B), prerequisite(A, 'y', 'x')] }],
    ),
  ).toEqual([]);
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

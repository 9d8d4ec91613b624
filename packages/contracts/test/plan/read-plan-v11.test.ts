import { readFileSync } from 'node:fs';
import {
  type CompiledHarnessPlan,
  type PlanNode,
  planBytes,
  planDigest,
  readPlan,
} from '@millforge/contracts';
import { expect, test } from 'vitest';

function exampleOfV10(): CompiledHarnessPlan {
  const read = readPlan(readFileSync(new URL('./fixtures/plan.json', import.meta.url)));
  if (!read.ok) throw new Error(read.problems.join(' '));
  return read.plan;
}

function example(
  change: (node: PlanNode) => Partial<PlanNode> = () => ({}),
  parts: Partial<CompiledHarnessPlan> = {},
): CompiledHarnessPlan {
  const plan = exampleOfV10();
  return {
    ...plan,
    schema_version: '1.1',
    budgets: { ...plan.budgets, observed_limits: { tool_calls: 40, input_tokens: 100_000 } },
    capability_constraints: [
      { capability_id: 'ticket.read', constraints: { hosts: ['*.docs.test'], max_bytes: 4096 } },
    ],
    nodes: plan.nodes.map((node) => {
      const added = {
        required_for: [],
        calls: { min: 1, max: null },
        disposition: node.terminal_result === null ? null : ('success' as const),
      };
      return { ...node, ...added, ...change({ ...node, ...added }) };
    }),
    ...parts,
  };
}

function problemsOf(plan: CompiledHarnessPlan): readonly string[] {
  const read = readPlan(planBytes({ ...plan, compiled_sha256: planDigest(plan) }));
  return read.ok ? [] : read.problems;
}

/** Changes one node of the example: finish, give_up, open_ticket, search_notes, write_review. */
function withNode(nodeId: string, fields: Partial<PlanNode>): CompiledHarnessPlan {
  return example((node) => (node.node_id === nodeId ? fields : {}));
}

const plain = (node_id: string) => ({ node_id, argument_matches: [] });

test('reads a plan of version 1.1 and gives it back byte for byte', () => {
  const plan = withNode('write_review', {
    required_for: ['REVIEW_DONE'],
    calls: { min: 2, max: 3 },
    prerequisites: [{ any_of: [plain('open_ticket'), plain('search_notes')] }],
  });
  const bytes = planBytes({ ...plan, compiled_sha256: planDigest(plan) });
  const read = readPlan(bytes);
  expect(read).toMatchObject({ ok: true });
  expect(read.ok && planBytes(read.plan)).toEqual(bytes);
});

test('binds one tool at several nodes under different names', () => {
  const [first] = example().nodes;
  if (first === undefined) throw new Error('The example has no nodes.');
  const bindAlike = (node: PlanNode) =>
    node.node_id === 'give_up' ? { binding: first.binding } : {};
  expect(problemsOf(example(bindAlike))).toEqual([]);
  const { model_tool_name } = first;
  expect(problemsOf(withNode('give_up', { binding: first.binding, model_tool_name }))).toEqual([
    '/nodes/1/model_tool_name is used twice.',
  ]);
});

test.each<[string, CompiledHarnessPlan, string]>([
  [
    'a node of version 1.0',
    example(() => ({}), { nodes: exampleOfV10().nodes }),
    '/nodes/0/required_for must be present.',
  ],
  [
    'no observed limits',
    example(() => ({}), { budgets: exampleOfV10().budgets }),
    '/budgets/observed_limits must be present.',
  ],
  [
    'alternatives in version 1.0',
    {
      ...exampleOfV10(),
      nodes: exampleOfV10().nodes.map((node) => ({
        ...node,
        prerequisites: [{ any_of: [plain('open_ticket'), plain('search_notes')] }],
      })),
    },
    '/nodes/0/prerequisites/0 must not have the key "any_of".',
  ],
  [
    'a limit of nothing',
    example(() => ({}), { budgets: { ...example().budgets, observed_limits: { wall_ms: 0 } } }),
    '/budgets/observed_limits/wall_ms must be an integer of at least 1.',
  ],
  [
    'one alternative',
    withNode('finish', { prerequisites: [{ any_of: [plain('open_ticket')] }] }),
    '/nodes/0/prerequisites/0/any_of must be a list of at least 2.',
  ],
  [
    'an alternative that is no node',
    withNode('finish', { prerequisites: [{ any_of: [plain('open_ticket'), plain('nobody')] }] }),
    '/nodes/0/prerequisites/0/any_of/1/node_id must name another node.',
  ],
  [
    'a prerequisite that is an alternative too',
    withNode('finish', {
      prerequisites: [
        plain('open_ticket'),
        { any_of: [plain('open_ticket'), plain('write_review')] },
      ],
    }),
    '/nodes/0/prerequisites must name each node once.',
  ],
  [
    'an obligation to a result that is none',
    withNode('write_review', { required_for: ['DONE'] }),
    '/nodes/4/required_for must name results of terminal nodes.',
  ],
  [
    'an obligation of a required node',
    withNode('open_ticket', { required_for: ['REVIEW_DONE'] }),
    '/nodes/2/required_for must be empty for a required or a terminal node.',
  ],
  [
    'bounds of a terminal',
    withNode('finish', { calls: { min: 1, max: 2 } }),
    '/nodes/0/calls must not bound a terminal node.',
  ],
  [
    'more calls needed than allowed',
    withNode('open_ticket', { calls: { min: 3, max: 2 } }),
    '/nodes/2/calls/max must not be below min.',
  ],
  [
    'a least number that nothing asks for',
    withNode('search_notes', { calls: { min: 2, max: null } }),
    '/nodes/3/calls/min must be 1 for a node that nothing requires.',
  ],
  [
    'a terminal without a meaning',
    withNode('finish', { disposition: null }),
    '/nodes/0/disposition must be given exactly for a terminal node.',
  ],
  [
    'an ordinary node with a meaning',
    withNode('open_ticket', { disposition: 'success' }),
    '/nodes/2/disposition must be given exactly for a terminal node.',
  ],
  [
    'a constraint of a capability that nothing needs',
    example(() => ({}), {
      capability_constraints: [{ capability_id: 'ticket.write', constraints: { max_bytes: 1 } }],
    }),
    '/capability_constraints/0/capability_id must be in /required_capabilities.',
  ],
  [
    'constraints that constrain nothing',
    example(() => ({}), {
      capability_constraints: [{ capability_id: 'ticket.read', constraints: {} }],
    }),
    '/capability_constraints/0/constraints must be an object with at least one of',
  ],
  [
    'a glob that climbs',
    example(() => ({}), {
      capability_constraints: [
        { capability_id: 'ticket.read', constraints: { paths: ['src/../etc'] } },
      ],
    }),
    '/capability_constraints/0/constraints/paths/0 must be a glob',
  ],
])('refuses %s', (_, plan, problem) => {
  expect(problemsOf(plan).join('\n')).toContain(problem);
});

test('says nothing but the version of a document of an unknown version', () => {
  const text = new TextDecoder().decode(planBytes(example()));
  const read = readPlan(text.replace('"schema_version":"1.1"', '"schema_version":"2.0"'));
  expect(read.ok ? [] : read.problems).toEqual(['/schema_version must be "1.0" or "1.1".']);
});

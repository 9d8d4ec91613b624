import { compileHarness } from '@millforge/compiler';
import {
  explainPlan,
  explanationToMermaid,
  type PlanExplanation,
  renderExplanation,
} from '@millforge/compiler/render';
import type { CompiledHarnessPlan, JsonObject, PlanNode } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { readFixture } from '../support/fixtures.ts';
import { graphOf, inputFor, needs, tool } from '../support/harness.ts';

function planOf(source: JsonObject, given: Parameters<typeof inputFor>[1] = {}) {
  const result = compileHarness(source, inputFor(source, given));
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.plan;
}

function fixturePlan(name: string): CompiledHarnessPlan {
  const { source, input } = readFixture(name);
  const result = compileHarness(source, input);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.plan;
}

const DONE = { terminal_result: 'DONE' };
const BLOCKED = { terminal_result: 'BLOCKED' };

/** A plan of version 1.1 with these changes to some of its nodes. */
function later(
  plan: CompiledHarnessPlan,
  changes: { readonly [nodeId: string]: Partial<PlanNode> },
): CompiledHarnessPlan {
  const nodes = plan.nodes.map((node) => ({
    ...node,
    required_for: [],
    calls: { min: 1, max: null },
    disposition: node.terminal_result === null ? null : ('success' as const),
    ...changes[node.node_id],
  }));
  return { ...plan, schema_version: '1.1', nodes };
}

function stepOf(explanation: PlanExplanation, nodeId: string) {
  return explanation.steps.find(({ node_id }) => node_id === nodeId);
}

function endOf(explanation: PlanExplanation, result: string) {
  return explanation.ends.find(({ terminal_result }) => terminal_result === result);
}

test('tells what comes before what, what gates an end, and why an artifact exists by then', () => {
  const source = graphOf(
    {
      a: { required: true },
      b: { ...needs('a'), produces: ['note'] },
      c: needs('a'),
      x: { ...DONE, ...needs('b') },
      y: { ...BLOCKED, ...needs('c') },
    },
    {
      artifacts: { declared_artifact_ids: ['note'], required_by_terminal: { DONE: ['note'] } },
    },
  );
  const explanation = explainPlan(
    planOf(source, { tools: [tool('test.b', { produced_artifact_ids: ['note'] })] }),
  );
  expect(stepOf(explanation, 'x')?.comes_after).toEqual(['a', 'b']);
  expect(stepOf(explanation, 'a')?.gates).toEqual(['BLOCKED', 'DONE']);
  expect(stepOf(explanation, 'b')?.gates).toEqual(['DONE']);
  expect(endOf(explanation, 'DONE')).toMatchObject({
    node_id: 'x',
    disposition: 'success',
    is_disposition_stated: false,
    required_node_ids: ['a'],
    demands: [{ artifact_id: 'note', gated_by: ['b'] }],
  });
  expect(endOf(explanation, 'BLOCKED')?.disposition).toBe('blocked');
  expect(explanation.artifacts).toEqual([
    { artifact_id: 'note', producer_node_ids: ['b'], demanded_by: ['DONE'] },
  ]);
});

function ways(...nodeIds: string[]) {
  return { any_of: nodeIds.map((node_id) => ({ node_id, argument_matches: [] })) };
}

test('counts of alternatives only what all of them come after', () => {
  const plan = planOf(
    graphOf({ r: {}, a: needs('r'), b: needs('r'), c: {}, x: { ...DONE, ...needs('a', 'b') } }),
  );
  const shared = explainPlan(later(plan, { x: { prerequisites: [ways('a', 'b')] } }));
  expect(stepOf(shared, 'x')?.comes_after).toEqual(['r']);
  expect(stepOf(shared, 'x')?.waits_for).toEqual([
    {
      any_of: [
        { node_id: 'a', equal_arguments: [] },
        { node_id: 'b', equal_arguments: [] },
      ],
    },
  ]);
  const apart = explainPlan(later(plan, { x: { prerequisites: [ways('a', 'c')] } }));
  expect(stepOf(apart, 'x')?.comes_after).toEqual([]);
});

test('tells obligations of single ends, call bounds and stated meanings', () => {
  const plan = planOf(graphOf({ a: {}, x: DONE, y: BLOCKED }));
  const explanation = explainPlan(
    later(plan, {
      a: { required_for: ['DONE'], calls: { min: 2, max: 5 } },
      y: { disposition: 'escalated' },
    }),
  );
  expect(stepOf(explanation, 'a')).toMatchObject({ gates: ['DONE'], calls: { min: 2, max: 5 } });
  expect(endOf(explanation, 'DONE')).toMatchObject({
    required_node_ids: ['a'],
    comes_after: ['a'],
    is_disposition_stated: true,
  });
  expect(endOf(explanation, 'BLOCKED')).toMatchObject({
    disposition: 'escalated',
    comes_after: [],
  });
  expect(renderExplanation(explanation)).toContain('at least 2 successes, at most 5 calls');
});

test('tells two ends of one result apart, and infers meanings as a run does', () => {
  const plan = fixturePlan('review');
  const [finish] = plan.nodes.filter((node) => node.terminal_result !== null);
  if (finish === undefined) throw new Error('The fixture must have an end.');
  const binding = { ...finish.binding, tool_id: 'builtin.terminal.escalate' };
  const short = { ...finish, node_id: 'short', prerequisites: [] };
  const raised = { ...finish, node_id: 'raised', binding, terminal_result: 'REJECTED' };
  const explanation = explainPlan({ ...plan, nodes: [...plan.nodes, short, raised] });
  const endAt = (nodeId: string) => explanation.ends.find(({ node_id }) => node_id === nodeId);
  expect(endAt('finish')?.comes_after).toEqual(['open_ticket', 'write_review']);
  expect(endAt('short')?.comes_after).toEqual(['open_ticket']);
  expect(endAt('raised')?.disposition).toBe('escalated');
  // That one of the two ends comes after it makes it no gate of their result.
  expect(stepOf(explanation, 'write_review')?.gates).toEqual(['REJECTED']);
  expect(explanationToMermaid(explanation)).toContain('  class n_open_ticket required\n');
});

test('lists every limit with what it ends, observed ones too', () => {
  const plan = planOf(graphOf({ x: DONE }));
  const budgets = { ...plan.budgets, observed_limits: { tool_calls: 7, cost_micros: 9 } };
  const { budgets: explained } = explainPlan({ ...later(plan, {}), budgets });
  expect(
    explained.map(({ budget, limit, ends_with }) => `${budget} ${limit} ${ends_with}`),
  ).toEqual([
    'max_iterations 8 iterations_exhausted',
    'max_validation_retries 2 validation_retries_exhausted',
    'max_tool_errors 2 tool_errors_exhausted',
    'max_prerequisite_violations 2 prerequisite_violations_exhausted',
    'max_premature_terminal_attempts 1 premature_terminals_exhausted',
    'cost_micros 9 cost_micros_exhausted',
    'tool_calls 7 tool_calls_exhausted',
  ]);
});

test('names who needs a capability, and how far it goes', () => {
  const source = graphOf({ a: {}, x: DONE });
  const tools = [
    tool('test.a', { required_capabilities: ['net'], side_effect_class: 'network_read' }),
  ];
  const plan = planOf(source, { tools, request: { grants: ['net'] } });
  const explanation = explainPlan(plan);
  expect(explanation.strongest_side_effect).toBe('network_read');
  expect(explanation.capabilities).toEqual([
    { capability_id: 'net', needed_by: ['a'], constraints: null },
  ]);
  const constraints = { hosts: ['*.example.org'], max_bytes: 9 };
  const bounded = explainPlan({
    ...later(plan, {}),
    capability_constraints: [{ capability_id: 'net', constraints }],
  });
  expect(bounded.capabilities).toMatchObject([{ constraints }]);
  expect(renderExplanation(bounded)).toContain('only         hosts *.example.org; 9 bytes');
});

test('explains the worked example as a text', () => {
  expect(renderExplanation(explainPlan(fixturePlan('review')))).toMatchInlineSnapshot(`
    "docs.review@1, plan version 1.0
      plan     ac5b7daace0c3edd10e5f30aef885580a2bdcd1d8de8f5569113c6b4d18c91df
      prompt   docs.review.policy, 40 bytes, sha256 63ea063d002a013ca4a6bc03fb78a3a547a896e69ca94b1e377ef507b72bca25
      model    docs.profile.small
      stages   review
      at most  artifact_write

    Steps
      finish  docs.review.finish@1  terminal, non_idempotent
        called as    finish_review
        waits for    write_review
        comes after  open_ticket, write_review
        needs        terminal.intent
      open_ticket  docs.ticket.open@1  read_only, idempotent
        gates        REVIEW_DONE
        needs        ticket.read
      write_review  docs.review.write@2  artifact_write, idempotent_with_key
        waits for    open_ticket
        comes after  open_ticket
        gates        REVIEW_DONE
        makes        review_notes, score_card
        needs        artifact.write

    Ends
      REVIEW_DONE at finish: success, by its name
        requires     open_ticket
        comes after  open_ticket, write_review
        demands      review_notes, made before it by write_review

    Artifacts
      review_notes
        made by      write_review
        demanded by  REVIEW_DONE
      score_card
        made by      write_review
        demanded by  nothing

    Budgets
      max_iterations                   8 model turns, corrections included; past that iterations_exhausted
      max_validation_retries           2 replies in a row without a usable call; past that validation_retries_exhausted
      max_tool_errors                  2 batches in a row with a failing call; past that tool_errors_exhausted
      max_prerequisite_violations      2 batches in a row with an unmet prerequisite; past that prerequisite_violations_exhausted
      max_premature_terminal_attempts  1 batches in a row that end before the required steps; past that premature_terminals_exhausted

    Capabilities
      artifact.write
        needed by    write_review
      terminal.intent
        needed by    finish
      ticket.read
        needed by    open_ticket
    "
  `);
});

test('draws the worked example', () => {
  expect(explanationToMermaid(explainPlan(fixturePlan('review')))).toMatchInlineSnapshot(`
    "flowchart TD
      n_finish(["finish: REVIEW_DONE<br/>docs.review.finish@1"])
      n_open_ticket["open_ticket<br/>docs.ticket.open@1<br/>read_only"]
      n_write_review["write_review<br/>docs.review.write@2<br/>artifact_write"]
      n_write_review --> n_finish
      n_open_ticket --> n_write_review
      classDef required stroke-width:3px
      class n_open_ticket,n_write_review required
    "
  `);
});

test('draws alternatives as dotted lines and writes no word of Mermaid bare', () => {
  const plan = planOf(graphOf({ end: {}, graph: {}, x: { ...DONE, ...needs('end', 'graph') } }));
  const any_of = ['end', 'graph'].map((node_id) => ({ node_id, argument_matches: [] }));
  const drawing = explanationToMermaid(
    explainPlan(later(plan, { x: { prerequisites: [{ any_of }] } })),
  );
  expect(drawing).toContain('n_end -. one of .-> n_x');
  expect(drawing).toContain('n_graph -. one of .-> n_x');
  expect(drawing).not.toMatch(/\b(?:end|graph) -/);
});

test('shows no text of the prompt and nothing that looks like a secret', () => {
  const plan = fixturePlan('review');
  const secret = `ghp_${'x1'.repeat(18)}`;
  const constraints = { hosts: [secret] };
  const leaky: CompiledHarnessPlan = {
    ...plan,
    prompt_policy: { ...plan.prompt_policy, system_instructions: secret },
    capability_constraints: [{ capability_id: 'ticket.read', constraints }],
  };
  const explanation = explainPlan(leaky);
  expect(renderExplanation(explanation)).not.toContain(secret);
  expect(JSON.stringify(explanation)).not.toContain(secret);
});

test('explains a chain and a layered graph of 512 nodes', () => {
  const chain = Object.fromEntries(
    Array.from({ length: 511 }, (_, index) => [
      `n${index}`,
      index === 0
        ? {}
        : needs(...(index > 8 ? [index - 1, index - 7] : [index - 1]).map((n) => `n${n}`)),
    ]),
  );
  const explanation = explainPlan(planOf(graphOf({ ...chain, x: { ...DONE, ...needs('n510') } })));
  expect(stepOf(explanation, 'x')?.comes_after).toHaveLength(511);
});

import {
  type CompiledHarnessPlan,
  type ModelClient,
  type PlanNode,
  planBytes,
  planDigest,
} from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { type Built, buildPlan, type NodeSpec } from './support/builder-plan.ts';
import { resultsOf, runScript, type Scripted, scriptedClient } from './support/scripted-run.ts';

const NODES: readonly NodeSpec[] = [
  { id: 'read' },
  { id: 'fetch' },
  { id: 'write' },
  { id: 'submit', terminal: 'DONE' },
  { id: 'stop', terminal: 'STUCK' },
];

/** A plan of version 1.1: some nodes changed, some limits stated. */
function planOfV11(
  changes: { readonly [nodeId: string]: Partial<PlanNode> },
  parts: Partial<Pick<CompiledHarnessPlan, 'capability_constraints'>> & {
    readonly observed_limits?: NonNullable<CompiledHarnessPlan['budgets']['observed_limits']>;
  } = {},
): Built {
  const built = buildPlan(NODES);
  const { observed_limits = {}, capability_constraints = [] } = parts;
  const draft: CompiledHarnessPlan = {
    ...built.plan,
    schema_version: '1.1',
    budgets: { ...built.plan.budgets, observed_limits },
    capability_constraints,
    nodes: built.plan.nodes.map((node) => ({
      ...node,
      required_for: [],
      calls: { min: 1, max: null },
      disposition: node.terminal_result === null ? null : ('success' as const),
      ...changes[node.node_id],
    })),
  };
  const plan = { ...draft, compiled_sha256: planDigest(draft) };
  return { ...built, plan, reference: { bytes: planBytes(plan), sha256: plan.compiled_sha256 } };
}

const SUBMIT: Scripted = [['submit', { summary: 'Done.' }]];
const STOP: Scripted = [['stop', { summary: 'Stuck.' }]];
const plain = (node_id: string) => ({ node_id, argument_matches: [] });

/** Runs a script, and once more against what was recorded: both must come to the same. */
async function run(built: Built, script: readonly Scripted[]) {
  const live = await runScript(built, script);
  const again = await runScript(built, [], { log: live.log.resume() });
  expect(again.outcome).toEqual(live.outcome);
  expect(again.trail.entries).toEqual(live.trail.entries);
  expect(again.model.requests).toEqual([]);
  return live;
}

test('one alternative opens a node, and none of them is named in the correction', async () => {
  const built = planOfV11({
    write: { prerequisites: [{ any_of: [plain('fetch'), plain('read')] }] },
  });
  const { outcome, model } = await run(built, [[['write']], [['fetch']], [['write']], SUBMIT]);
  expect(outcome).toMatchObject({ status: 'success', turns: 4 });
  expect(resultsOf(model).get('call_1_0')).toContain(
    'one of these: a successful fetch, or a successful read',
  );
});

test('a node that is required for one result does not hold up the other', async () => {
  const built = planOfV11({ read: { required_for: ['DONE'] } });
  const stuck = await run(built, [STOP]);
  expect(stuck.outcome).toMatchObject({ status: 'success', terminal_result: 'STUCK' });
  const { outcome, model } = await run(built, [SUBMIT, [['read']], SUBMIT]);
  expect(outcome).toMatchObject({ terminal_result: 'DONE', turns: 3 });
  expect(resultsOf(model).get('call_1_0')).toContain('these steps have to succeed first: read.');
});

test('a least number of successes is asked for before the end', async () => {
  const built = planOfV11({ read: { required: true, calls: { min: 2, max: null } } });
  const { outcome, model } = await run(built, [SUBMIT, [['read']], SUBMIT, [['read']], SUBMIT]);
  expect(outcome).toMatchObject({ status: 'success', turns: 5 });
  expect(resultsOf(model).get('call_1_0')).toContain('read (2 more times)');
});

test('a call beyond the largest number is refused, also inside one reply', async () => {
  const built = planOfV11({ read: { calls: { min: 1, max: 2 } } });
  const { outcome, model } = await run(built, [[['read'], ['read'], ['read']], SUBMIT]);
  expect(outcome).toMatchObject({ status: 'success', usage: { tool_calls: 3 } });
  expect(resultsOf(model).get('call_1_2')).toContain('[policy_denied] read was not performed');
});

test('calls beyond the largest number again and again end the run', async () => {
  const built = planOfV11({ read: { calls: { min: 1, max: 1 } } });
  const { outcome } = await run(built, [[['read']]]);
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: 'prerequisite_violations_exhausted',
    turns: 4,
  });
});

test.each([
  ['success', 'success'],
  ['blocked', 'blocked'],
  ['rejected', 'rejected'],
  ['escalated', 'blocked'],
  ['failed', 'failed'],
] as const)(
  'a terminal that is said to mean %s ends the run as %s',
  async (disposition, status) => {
    const { outcome } = await run(planOfV11({ submit: { disposition } }), [SUBMIT]);
    expect(outcome).toMatchObject({ status, disposition, failure_class: null });
  },
);

test('tool calls over their limit end the run before the call, and what was done stays', async () => {
  const built = planOfV11({}, { observed_limits: { tool_calls: 2 } });
  const { outcome, trail } = await run(built, [[['read'], ['read'], ['read'], ['read']]]);
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: 'tool_calls_exhausted',
    usage: { tool_calls: 2 },
  });
  expect(outcome.failure_message).toContain('the limit is 2');
  expect(trail.entries.map(({ type }) => type)).toEqual([
    'call-refused',
    'call-skipped',
    'budget-exhausted',
  ]);
});

test.each([
  ['input_tokens', 120],
  ['output_tokens', 30],
  ['cost_micros', 5],
] as const)('%s over their limit end the run before the next exchange', async (name, limit) => {
  const usage = { input_tokens: 60, output_tokens: 15, cost_micros: 3 };
  const turn = { tool_calls: [{ id: 'c', name: 'read', arguments: '{}' }], usage };
  const built = planOfV11({}, { observed_limits: { [name]: limit } });
  const { outcome } = await run(built, [turn]);
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: `${name}_exhausted`,
    turns: 2,
  });
});

test('time in model turns over its limit ends the run, live as replayed', async () => {
  const built = planOfV11({}, { observed_limits: { wall_ms: 5 } });
  const clock = manualClock();
  const log = memoryOperationLog({ clock, ids: sequentialIds() });
  const scripted = scriptedClient([[['read']]]);
  const model: ModelClient = {
    async complete(request, options) {
      clock.advance(3);
      return scripted.complete(request, options);
    },
  };
  const live = await runScript(built, [], { clock, log, model });
  expect(live.outcome).toMatchObject({ failure_class: 'wall_ms_exhausted', turns: 2 });
  const again = await runScript(built, [], { log: log.resume() });
  expect(again.outcome).toEqual(live.outcome);
});

test('a capability with constraints refuses what the tool does not place inside them', async () => {
  const built = planOfV11(
    {},
    {
      capability_constraints: [
        { capability_id: 'workspace.read', constraints: { paths: ['src/**'] } },
      ],
    },
  );
  const { outcome, model } = await run(built, [[['read', { path: 'src/a' }]], SUBMIT]);
  expect(outcome).toMatchObject({ status: 'success' });
  expect(resultsOf(model).get('call_1_0')).toContain('[capability_denied]');
});

import type { JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { checkArtifacts } from '../../src/check/check-artifacts.ts';
import { toHarnessGraph } from '../../src/check/harness-graph.ts';
import type { ResolvedHarness } from '../../src/resolve/resolved-harness.ts';
import { findings, graphOf, needs, summaries, tool } from '../support/harness.ts';
import { worded } from '../support/worded.ts';

type Nodes = { readonly [nodeId: string]: JsonObject };

const makes = (id: string, ...artifacts: string[]) =>
  tool(id, { produced_artifact_ids: artifacts });
const DONE = { terminal_result: 'DONE' };

function found(nodes: Nodes, artifacts: JsonObject, tools: JsonObject[]): readonly string[] {
  return summaries(findings(graphOf(nodes, { artifacts }), { tools }));
}

const demand = { declared_artifact_ids: ['note'], required_by_terminal: { DONE: ['note'] } };

test.each<[string, Nodes]>([
  ['a producer before the terminal', { a: { produces: ['note'] }, x: { ...DONE, ...needs('a') } }],
  [
    'a required producer',
    { a: { produces: ['note'], required: true }, b: needs('a'), x: { ...DONE, ...needs('b') } },
  ],
])('accepts %s', (_, nodes) => {
  expect(found(nodes, demand, [makes('test.a', 'note')])).toEqual([]);
});

interface Case {
  readonly nodes: Nodes;
  readonly artifacts: JsonObject;
  readonly tools: JsonObject[];
  readonly answer: readonly string[];
}

test.each<[string, Case]>([
  [
    'what is produced but not declared, once for node and tool',
    {
      nodes: { a: { produces: ['note'] }, x: DONE },
      artifacts: {},
      tools: [makes('test.a', 'note')],
      answer: ['MF-A001 a artifact_id=note'],
    },
  ],
  [
    'what a tool could produce but nobody declared',
    {
      nodes: { a: {}, x: DONE },
      artifacts: {},
      tools: [makes('test.a', 'note')],
      answer: ['MF-A001 a artifact_id=note'],
    },
  ],
  [
    'what a tool cannot produce',
    {
      nodes: { a: { produces: ['note'] }, x: DONE },
      artifacts: { declared_artifact_ids: ['note'] },
      tools: [],
      answer: ['MF-A002 a artifact_id=note'],
    },
  ],
  [
    'an artifact that is neither declared nor possible as both',
    {
      nodes: { a: { produces: ['note'] }, x: DONE },
      artifacts: {},
      tools: [],
      answer: ['MF-A001 a artifact_id=note', 'MF-A002 a artifact_id=note'],
    },
  ],
  [
    'a demand without a producer',
    {
      nodes: { a: {}, x: DONE },
      artifacts: demand,
      tools: [makes('test.a', 'note')],
      answer: ['MF-A004 artifact_id=note terminal_result=DONE'],
    },
  ],
  [
    'a demand whose producer need not run',
    {
      nodes: { a: { produces: ['note'] }, x: DONE },
      artifacts: demand,
      tools: [makes('test.a', 'note')],
      answer: ['MF-A005 artifact_id=note terminal_result=DONE'],
    },
  ],
  [
    'a demand that is not declared, and nothing else about it',
    {
      nodes: { x: DONE },
      artifacts: { required_by_terminal: { DONE: ['note'] } },
      tools: [],
      answer: ['MF-A007 artifact_id=note terminal_result=DONE'],
    },
  ],
  [
    'no missing producer while the graph has faults',
    {
      nodes: { a: needs('none'), x: DONE },
      artifacts: demand,
      tools: [],
      answer: ['MF-G001 a prerequisite=none'],
    },
  ],
])('reports %s', (_, { nodes, artifacts, tools, answer }) => {
  expect(found(nodes, artifacts, tools)).toEqual(answer);
});

test('says in words that the tool, not the node, brings an undeclared artifact', () => {
  const [diagnostic] = findings(graphOf({ a: {}, x: DONE }), { tools: [makes('test.a', 'note')] });
  expect(diagnostic?.message).toBe(
    "Node 'a' binds a tool that can produce undeclared artifact 'note'.",
  );
});

test('reports repetitions and policies for unknown results where nothing else has', () => {
  const harness = {
    source: {
      artifacts: {
        declared_artifact_ids: ['note', 'note'],
        required_by_terminal: [
          { terminal_result: 'DONE', artifact_ids: ['note', 'note'] },
          { terminal_result: 'OTHER', artifact_ids: ['none'] },
        ],
      },
    },
    nodes: [
      {
        nodeId: 'x',
        source: {
          ...DONE,
          node_id: 'x',
          prerequisites: [],
          produces: ['note', 'note'],
          required: false,
        },
        tool: { produced_artifact_ids: ['note'] },
      },
    ],
  } as object as ResolvedHarness;
  const checked = checkArtifacts(harness, toHarnessGraph(harness), false);
  expect(summaries(checked.findings.map(worded))).toEqual([
    'MF-A006 artifact_id=note',
    'MF-A006 x artifact_id=note',
    'MF-A006 artifact_id=note terminal_result=DONE',
    'MF-A003 terminal_result=OTHER',
  ]);
});

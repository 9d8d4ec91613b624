import type { JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { findings, graphOf, needs, summaries } from '../support/harness.ts';

const DONE = { terminal_result: 'DONE' };
const GAVE_UP = { terminal_result: 'GAVE_UP' };
const REQUIRED = { required: true };

function found(nodes: { readonly [nodeId: string]: JsonObject }): readonly string[] {
  return summaries(findings(graphOf(nodes)));
}

test.each<[string, { readonly [nodeId: string]: JsonObject }]>([
  ['a terminal alone', { finish: DONE }],
  ['a node that nothing needs', { a: {}, finish: DONE }],
  ['an optional chain beside the way', { a: {}, b: needs('a'), finish: DONE }],
  [
    'a required root before every terminal',
    { a: REQUIRED, x: { ...DONE, ...needs('a') }, y: { ...GAVE_UP, ...needs('a') } },
  ],
  [
    'a required node several steps before',
    { a: REQUIRED, b: needs('a'), x: { ...DONE, ...needs('b') } },
  ],
  [
    'two ways to one node',
    { a: {}, b: needs('a'), c: needs('a'), d: needs('b', 'c'), x: { ...DONE, ...needs('d') } },
  ],
])('accepts %s', (_, nodes) => {
  expect(found(nodes)).toEqual([]);
});

test.each<[string, { readonly [nodeId: string]: JsonObject }, readonly string[]]>([
  [
    'an unknown prerequisite, and what hangs on its owner',
    { a: needs('none'), b: needs('a'), x: { ...DONE, ...needs('b') } },
    ['MF-G001 a prerequisite=none', 'MF-G005 b', 'MF-G006 x'],
  ],
  ['a node that needs itself', { a: needs('a'), x: DONE }, ['MF-G002 a']],
  [
    'a repeated prerequisite as a whole',
    { a: {}, b: needs('a', 'a'), c: needs('b'), x: DONE },
    ['MF-G003 b prerequisite=a', 'MF-G005 c'],
  ],
  [
    'a prerequisite that is unknown and repeated as both',
    { a: needs('none', 'none'), x: DONE },
    ['MF-G001 a prerequisite=none', 'MF-G003 a prerequisite=none'],
  ],
  [
    'two circles, each once, and who waits for them',
    {
      a: needs('b'),
      b: needs('a'),
      c: needs('d'),
      d: needs('e'),
      e: needs('c'),
      f: needs('e'),
      x: DONE,
    },
    ['MF-G004 a +b', 'MF-G004 c +d +e', 'MF-G005 f'],
  ],
  [
    'a required node and a terminal behind a circle',
    {
      a: needs('b'),
      b: needs('a'),
      c: { ...REQUIRED, ...needs('a') },
      x: { ...DONE, ...needs('c') },
    },
    ['MF-G004 a +b', 'MF-G007 c', 'MF-G006 x'],
  ],
  [
    'terminals that can be reached without the required nodes',
    { a: REQUIRED, b: REQUIRED, x: { ...DONE, ...needs('a') }, y: GAVE_UP },
    ['MF-G006 x +b', 'MF-G006 y +a +b'],
  ],
  [
    'an ungated terminal only if the required nodes can run',
    { a: { ...REQUIRED, ...needs('none') }, x: DONE },
    ['MF-G001 a prerequisite=none'],
  ],
  ['a required terminal', { x: { ...DONE, ...REQUIRED } }, ['MF-G008 x']],
  ['a terminal as a prerequisite', { x: DONE, a: needs('x') }, ['MF-G013 a +x']],
  [
    'a terminal that needs itself as both',
    { x: { ...DONE, ...needs('x') } },
    ['MF-G002 x', 'MF-G013 x +x'],
  ],
  ['a graph without an end', { a: {} }, ['MF-G011']],
])('reports %s', (_, nodes, expected) => {
  expect(found(nodes)).toEqual(expected);
});

test('says nothing about reachability behind a tool that did not resolve', () => {
  const nodes = graphOf({ a: REQUIRED, b: needs('a'), x: { ...DONE, ...needs('b') }, y: GAVE_UP });
  const missing = {
    ...nodes,
    graph: JSON.parse(JSON.stringify(nodes['graph']).replace('test.a@1', 'test.a@2')),
  };
  expect(summaries(findings(missing))).toEqual([
    'MF-R002 a tool_id=test.a tool_version=2',
    'MF-G006 y +a',
  ]);
});

test('keeps at most 16 related ids and counts them all (B-42)', () => {
  const ring = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`n${index}`, needs(`n${(index + 1) % 40}`)]),
  );
  const [cycle] = findings(graphOf({ ...ring, x: DONE }));
  expect(cycle).toMatchObject({ code: 'MF-G004', nodeId: 'n0' });
  expect(cycle?.related).toHaveLength(16);
  expect(cycle?.fields).toEqual([{ key: 'related_count', value: 39 }]);
});

test('accepts a chain of 512 nodes', () => {
  const chain = Object.fromEntries(
    Array.from({ length: 511 }, (_, index) => [
      `n${index}`,
      index === 0 ? REQUIRED : needs(`n${index - 1}`),
    ]),
  );
  expect(found({ ...chain, x: { ...DONE, ...needs('n510') } })).toEqual([]);
});

test('reports a circle of 511 nodes', () => {
  const ring = Object.fromEntries(
    Array.from({ length: 511 }, (_, index) => [`n${index}`, needs(`n${(index + 1) % 511}`)]),
  );
  expect(findings(graphOf({ ...ring, x: DONE })).map(({ code }) => code)).toEqual(['MF-G004']);
});

test.each<[string, { readonly [nodeId: string]: JsonObject }, readonly string[]]>([
  [
    'an unknown prerequisite',
    { open_ticket: {}, x: { ...DONE, ...needs('open_tikcet') } },
    ["MF-G001 /graph/nodes/1/prerequisites/0 Did you mean 'open_ticket'?"],
  ],
  [
    'an unknown prerequisite that resembles nothing',
    { a: {}, x: { ...DONE, ...needs('a', 'zebra') } },
    ["MF-G001 /graph/nodes/1/prerequisites/1 Add a node 'zebra', or name one that exists."],
  ],
  [
    'a repetition, at the second place',
    { a: {}, x: { ...DONE, ...needs('a', 'a') } },
    ['MF-G003 /graph/nodes/1/prerequisites/1 Keep one of them; it can hold all argument_matches.'],
  ],
  [
    'a circle, at a prerequisite that closes it',
    { z: {}, b: needs('z', 'a'), a: needs('z', 'b'), x: DONE },
    [
      "MF-G004 /graph/nodes/2/prerequisites/1 Each of them waits for another one: remove a prerequisite, such as the one of 'a' on 'b'.",
    ],
  ],
  [
    'a terminal that comes without required nodes',
    { b: REQUIRED, a: REQUIRED, x: DONE },
    [
      "MF-G006 /graph/nodes/2/prerequisites Add a prerequisite on 'a' and 'b', here or at a node that comes before this one.",
    ],
  ],
])('tells where %s stands and what to do', (_, nodes, expected) => {
  const reported = findings(graphOf(nodes));
  expect(reported.map(({ code, path, hint }) => `${code} ${path} ${hint}`)).toEqual(expected);
});

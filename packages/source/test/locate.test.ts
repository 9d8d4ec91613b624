import { entriesOf, locate, type SourceDocument } from '@millforge/source';
import { describe, expect, test } from 'vitest';
import { accepted } from './support/parse.ts';

const HARNESS = { nodes: null, argument_matches: null, required_by_terminal: 'artifact_ids' };

function at(document: SourceDocument, pointer: string): string | null {
  const location = locate(document, pointer, { listed: HARNESS });
  return location === null ? null : `${location.line}:${location.column}`;
}

const YAML = `prompt:
  "policy_id": x
  list: [10, {"é": "🙂", "b": 1}]
graph:
  nodes:
    first:
      tool_ref: a@1
    second:
      prerequisites:
        - node_id: first
          argument_matches:
            prior: current
        - bogus: 1
artifacts:
  required_by_terminal:
    DONE: ["one", "two"]
    GAVE_UP:
      - three
`;

describe('a YAML document', () => {
  const document = accepted('yaml', YAML);

  test.each<[pointer: string, expected: string | null]>([
    ['/prompt', '1:1'],
    ['/prompt/policy_id', '2:3'],
    ['/prompt/list/0', '3:10'],
    ['/prompt/list/1/é', '3:15'],
    ['/prompt/list/1/b', '3:25'],
    ['/graph/nodes', '5:3'],
    ['/graph/nodes/0', '6:5'],
    ['/graph/nodes/1', '8:5'],
    ['/graph/nodes/1/prerequisites/0', '10:9'],
    ['/graph/nodes/1/prerequisites/0/node_id', '10:11'],
    ['/graph/nodes/1/prerequisites/0/argument_matches/0', '12:13'],
    ['/graph/nodes/1/prerequisites/0/argument_matches/0/prior_argument', '12:13'],
    ['/graph/nodes/1/prerequisites/1/bogus', '13:11'],
  ])('%s stands at %s', (pointer, expected) => {
    expect(at(document, pointer)).toBe(expected);
  });

  test('places an absent field at its nearest ancestor', () => {
    expect(at(document, '/graph/nodes/1/tool_ref')).toBe('8:5');
    expect(at(document, '/graph/nodes/0/node_id')).toBe('6:5');
    expect(at(document, '/prompt/system_instructions')).toBe('1:1');
    expect(at(document, '/graph/nodes/7')).toBe('5:3');
  });

  test('has no place for the root and for what has no ancestor', () => {
    expect(at(document, '/')).toBeNull();
    expect(at(document, '')).toBeNull();
    expect(at(document, '/budgets/max_iterations')).toBeNull();
  });

  test('finds the lists under required_by_terminal by their model path (P-10)', () => {
    expect(at(document, '/artifacts/required_by_terminal/0')).toBe('16:5');
    expect(at(document, '/artifacts/required_by_terminal/0/terminal_result')).toBe('16:5');
    expect(at(document, '/artifacts/required_by_terminal/0/artifact_ids')).toBe('16:5');
    expect(at(document, '/artifacts/required_by_terminal/0/artifact_ids/1')).toBe('16:19');
    expect(at(document, '/artifacts/required_by_terminal/1/artifact_ids/0')).toBe('18:7');
  });
});

test('counts columns of a JSON document in code points', () => {
  const document = accepted('json', '{"🙂🙂": {"é": [1, "🙂", {"x": 2}]}}\n');
  expect(at(document, '/🙂🙂/é')).toBe('1:9');
  expect(at(document, '/🙂🙂/é/1')).toBe('1:18');
  expect(at(document, '/🙂🙂/é/2/x')).toBe('1:24');
});

test('reads pointers as RFC 6901 writes them', () => {
  const document = accepted('json', '{"a/b": {"~": 1,\n"": 2}}');
  expect(at(document, '/a~1b/~0')).toBe('1:10');
  expect(at(document, '/a~1b/')).toBe('2:1');
  expect(at(document, '/a~1b/~01')).toBe('1:2');
});

test('lists in the model are lists in the document too', () => {
  const document = accepted('yaml', 'graph:\n  nodes:\n    - node_id: a\n    - node_id: b\n');
  expect(at(document, '/graph/nodes/1')).toBe('4:5');
  expect(at(document, '/graph/nodes/1/node_id')).toBe('4:7');
});

test('an ordinal names an entry only where it is said so', () => {
  const document = accepted('yaml', 'nodes:\n  a: 1\n  "0": 2\n');
  expect(locate(document, '/nodes/0')).toEqual({ line: 3, column: 3 });
  expect(locate(document, '/nodes/0', { listed: { nodes: null } })).toEqual({ line: 2, column: 3 });
});

describe('entries in written order', () => {
  test.each([
    ['yaml', '"10": a\nb: c\n"2": d\n__proto__: e\n'],
    ['json', '{"10":"a","b":"c","2":"d","__proto__":"e"}'],
  ] as const)('in %s, with integer-like keys and __proto__', (format, content) => {
    const document = accepted(format, content);
    expect(entriesOf(document, document.value)).toEqual([
      ['10', 'a'],
      ['b', 'c'],
      ['2', 'd'],
      ['__proto__', 'e'],
    ]);
    expect(Object.hasOwn(document.value, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(document.value)).toBe(Object.prototype);
  });

  test('of a value of no document are those it has', () => {
    expect(entriesOf(accepted('json', '{}'), { b: 1, a: 2 })).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
  });
});

test('answers thousands of questions about one long line at once', () => {
  const keys = Array.from({ length: 9_000 }, (_, index) => `k${index}🙂`);
  const document = accepted(
    'json',
    JSON.stringify(Object.fromEntries(keys.map((key) => [key, key]))),
  );
  const columns = keys.map((key) => locate(document, `/${key}`)?.column ?? 0);
  expect(columns).toEqual(columns.toSorted((a, b) => a - b));
});

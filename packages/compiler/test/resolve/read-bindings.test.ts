import { expect, test } from 'vitest';
import { readBindings } from '../../src/resolve/read-bindings.ts';
import { summaries } from '../support/harness.ts';

test('reports a reference without an exact version', () => {
  const node = {
    node_id: 'a',
    tool_ref: 'test.a@latest',
    required: false,
    prerequisites: [],
    terminal_result: null,
    produces: [],
  };
  const placed = { nodeId: 'a', path: '/graph/nodes/0', source: node };
  const { references, diagnostics } = readBindings([placed], '1.0');
  expect(references).toEqual([]);
  expect(summaries(diagnostics)).toEqual(['MF-R011 a tool_ref=test.a@latest']);
});

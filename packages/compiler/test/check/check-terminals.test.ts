import { expect, test } from 'vitest';
import { checkTerminals } from '../../src/check/check-terminals.ts';
import type { ResolvedNode } from '../../src/resolve/resolved-harness.ts';
import { summaries } from '../support/harness.ts';
import { worded } from '../support/worded.ts';

function terminal(nodeId: string, result: string | null): ResolvedNode {
  const source = {
    node_id: nodeId,
    tool_ref: `test.${nodeId}@1`,
    required: false,
    prerequisites: [],
    terminal_result: result,
    produces: [],
  };
  return { nodeId, path: `/graph/nodes/${nodeId}`, source, tool: null };
}

test('reports results that nobody expects, that are shared, and that are missing', () => {
  const nodes = [terminal('a', 'DONE'), terminal('b', 'DONE'), terminal('c', 'ODD')];
  expect(summaries(checkTerminals(nodes, ['DONE', 'GAVE_UP']).map(worded))).toEqual([
    'MF-G009 c terminal_result=ODD',
    'MF-G010 a +b terminal_result=DONE',
    'MF-G011 terminal_result=GAVE_UP',
  ]);
});

test('reports that there is no end, and each result that has none', () => {
  expect(summaries(checkTerminals([terminal('a', null)], ['DONE']).map(worded))).toEqual([
    'MF-G011',
    'MF-G011 terminal_result=DONE',
  ]);
});

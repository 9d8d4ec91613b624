import { report } from '../diagnostics.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import type { Finding } from '../read/word-findings.ts';
import type { ResolvedNode } from '../resolve/resolved-harness.ts';

/** Checks that a run can end, in one node per result, and only in ways that the caller can handle. */
export function checkTerminals(
  nodes: readonly ResolvedNode[],
  legalResults: readonly string[],
): readonly Finding[] {
  const legal = new Set(legalResults);
  const found: Finding[] = [];
  const nearest = nearestName(legal);
  const holders = new Map<string, readonly ResolvedNode[]>();
  for (const node of nodes) {
    const { nodeId, path, source } = node;
    const result = source.terminal_result;
    if (result === null) continue;
    const fields = { terminal_result: result };
    if (source.required) {
      const hint = 'Remove required: a terminal ends the run, so nothing waits for it.';
      found.push({
        path: `${path}/required`,
        word: (place) => report.terminalNodeRequired({ ...place, nodeId, hint }),
      });
    }
    if (!legal.has(result)) {
      const hint = didYouMean(nearest(result)) || `The caller handles ${quoted([...legal])}.`;
      found.push({
        path: `${path}/terminal_result`,
        word: (place) => report.terminalResultIllegal({ ...place, nodeId, hint, fields }),
      });
    }
    holders.set(result, [...(holders.get(result) ?? []), node]);
  }
  for (const [result, [first, second, ...rest]] of holders) {
    if (first === undefined || second === undefined) continue;
    found.push({
      path: `${second.path}/terminal_result`,
      word: (place) =>
        report.terminalResultDuplicate({
          ...place,
          nodeId: first.nodeId,
          related: [second, ...rest].map(({ nodeId }) => nodeId),
          hint: 'Give each terminal node a result of its own.',
          fields: { terminal_result: result },
        }),
    });
  }
  if (holders.size === 0) {
    const hint = 'Give the node that ends the run a terminal_result.';
    found.push({
      path: '/graph/nodes',
      word: (place) => report.terminalMissing({ ...place, hint }),
    });
  }
  for (const result of legal) {
    if (holders.has(result)) continue;
    const hint = `Give a node terminal_result: ${result}.`;
    const fields = { terminal_result: result };
    found.push({
      path: '/graph/nodes',
      word: (place) => report.terminalResultMissing({ ...place, hint, fields }),
    });
  }
  return found;
}

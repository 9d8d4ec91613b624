import { report } from '../diagnostics.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import type { Finding } from '../read/word-findings.ts';
import type { ResolvedNode } from '../resolve/resolved-harness.ts';

/** Checks that what nodes are required for exists, and that bounds of calls mean something. */
export function checkObligations(nodes: readonly ResolvedNode[]): readonly Finding[] {
  const results = nodes.flatMap(({ source }) => source.terminal_result ?? []);
  const known = new Set(results);
  const nearest = nearestName(known);
  return nodes.flatMap(({ nodeId, path, source }) => {
    const { calls, required_for = [] } = source;
    const isTerminal = source.terminal_result !== null;
    const found: Finding[] = [];
    if (isTerminal && required_for.length > 0) {
      const hint = 'Remove required_for: a terminal ends the run, so nothing waits for it.';
      found.push({
        path: `${path}/required_for`,
        word: (place) => report.terminalNodeRequired({ ...place, nodeId, hint }),
      });
    }
    for (const [index, terminal_result] of required_for.entries()) {
      if (known.has(terminal_result)) continue;
      found.push({
        path: `${path}/required_for/${index}`,
        word: (place) =>
          report.unknownRequiredFor({
            ...place,
            nodeId,
            hint:
              didYouMean(nearest(terminal_result)) || `The harness ends with ${quoted(results)}.`,
            fields: { terminal_result },
          }),
      });
    }
    if (isTerminal && calls !== undefined) {
      const hint = 'Remove calls: a terminal ends the run, so it is accepted once.';
      found.push({
        path: `${path}/calls`,
        word: (place) => report.terminalCallsBounded({ ...place, nodeId, hint }),
      });
    } else if (calls?.min !== undefined && !source.required && required_for.length === 0) {
      const hint = 'Write required: true or required_for beside it, or remove min.';
      found.push({
        path: `${path}/calls/min`,
        word: (place) => report.callBoundWithoutObligation({ ...place, nodeId, hint }),
      });
    }
    return found;
  });
}

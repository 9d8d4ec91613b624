import type { Diagnostic } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import type { ResolvedNode } from '../resolve/resolved-harness.ts';

/** Checks that what nodes are required for exists, and that bounds of calls mean something. */
export function checkObligations(nodes: readonly ResolvedNode[]): readonly Diagnostic[] {
  const results = nodes.flatMap(({ source }) => source.terminal_result ?? []);
  const nearest = nearestName(results);
  return nodes.flatMap(({ nodeId, path, source }) => {
    const { calls, required_for = [] } = source;
    const isTerminal = source.terminal_result !== null;
    const found: Diagnostic[] = [];
    if (isTerminal && required_for.length > 0) {
      const hint = 'Remove required_for: a terminal ends the run, so nothing waits for it.';
      found.push(report.terminalNodeRequired({ path: `${path}/required_for`, nodeId, hint }));
    }
    for (const [index, terminal_result] of required_for.entries()) {
      if (results.includes(terminal_result)) continue;
      const meant = nearest(terminal_result);
      found.push(
        report.unknownRequiredFor({
          path: `${path}/required_for/${index}`,
          nodeId,
          hint: didYouMean(meant) || `The harness ends with ${quoted(results)}.`,
          fields: { terminal_result },
        }),
      );
    }
    if (isTerminal && calls !== undefined) {
      const hint = 'Remove calls: a terminal ends the run, so it is accepted once.';
      found.push(report.terminalCallsBounded({ path: `${path}/calls`, nodeId, hint }));
    } else if (calls?.min !== undefined && !source.required && required_for.length === 0) {
      const hint = 'Write required: true or required_for beside it, or remove min.';
      found.push(report.callBoundWithoutObligation({ path: `${path}/calls/min`, nodeId, hint }));
    }
    return found;
  });
}

import type { Diagnostic } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { ResolvedNode } from '../resolve/resolved-harness.ts';

/** Checks that a run can end, in one node per result, and only in ways that the caller can handle. */
export function checkTerminals(
  nodes: readonly ResolvedNode[],
  legalResults: readonly string[],
): readonly Diagnostic[] {
  const legal = new Set(legalResults);
  const found: Diagnostic[] = [];
  const holders = new Map<string, readonly string[]>();
  for (const { nodeId, source } of nodes) {
    const result = source.terminal_result;
    if (result === null) continue;
    const fields = { terminal_result: result };
    if (source.required) found.push(report.terminalNodeRequired({ path: '/', nodeId }));
    if (!legal.has(result)) found.push(report.terminalResultIllegal({ path: '/', nodeId, fields }));
    holders.set(result, [...(holders.get(result) ?? []), nodeId]);
  }
  for (const [result, [first = '', ...rest]] of holders) {
    const fields = { terminal_result: result };
    if (rest.length === 0) continue;
    found.push(report.terminalResultDuplicate({ path: '/', nodeId: first, related: rest, fields }));
  }
  if (holders.size === 0) found.push(report.terminalMissing({ path: '/' }));
  for (const result of legal) {
    if (holders.has(result)) continue;
    found.push(report.terminalResultMissing({ path: '/', fields: { terminal_result: result } }));
  }
  return found;
}

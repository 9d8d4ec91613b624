import { type Diagnostic, inferDisposition } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';

/** Checks that dispositions stand at terminals, and warns of results that only seem to say theirs. */
export function checkDispositions({ nodes, source }: ResolvedHarness): readonly Diagnostic[] {
  return nodes.flatMap((node) => {
    const { nodeId, path } = node;
    if (node.source.terminal_result !== null) return warnByName(node, source.schema_version);
    if (node.source.disposition === undefined) return [];
    const hint = 'Remove it here; it belongs to a node with a terminal_result.';
    return [report.dispositionWithoutTerminal({ path: `${path}/disposition`, nodeId, hint })];
  });
}

function warnByName(
  { nodeId, path, source, tool }: ResolvedNode,
  version: '1.0' | '1.1',
): readonly Diagnostic[] {
  const result = source.terminal_result ?? '';
  const [, seeming] = /_(BLOCKED|REJECTED)$/.exec(result) ?? [];
  if (seeming === undefined || source.disposition !== undefined || tool === null) return [];
  if (inferDisposition(tool.tool_id, result) !== 'success') return [];
  const word = seeming.toLowerCase();
  const hint =
    version === '1.0'
      ? `Write schema_version: "1.1" and disposition: ${word} here, or give the result the name ${seeming}.`
      : `Write disposition: ${word} here, or disposition: success if that is meant.`;
  return [
    report.dispositionByName({
      path: `${path}/terminal_result`,
      nodeId,
      hint,
      fields: { terminal_result: result },
    }),
  ];
}

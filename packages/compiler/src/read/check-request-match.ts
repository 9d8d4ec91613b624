import { type Diagnostic, looksSecret } from '@millforge/contracts';
import type { SourceDocument } from '@millforge/source';
import type { CompileRequest, CompileTarget } from '../compile-request.ts';
import { report } from '../diagnostics.ts';
import type { HarnessSource } from '../harness-source.ts';
import { placeIn } from './read-harness.ts';

/** Holds a harness against its request, and looks for secrets in it; all findings are collected. */
export function checkRequestMatch(
  { harness, legalTerminalResults }: CompileTarget,
  request: CompileRequest,
  document: SourceDocument,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const at = (pointer: string) => ({
    ...placeIn(document, pointer),
    fields: { field_path: pointer },
  });
  const { expectedHarnessId, stageKindId } = request;
  if (expectedHarnessId !== undefined && expectedHarnessId !== harness.harness_id) {
    found.push(report.harnessIdUnexpected(at('/harness_id')));
  }
  if (stageKindId !== undefined && !harness.stage_scope.stage_kind_ids.includes(stageKindId)) {
    found.push(report.stageOutOfScope(at('/stage_scope/stage_kind_ids')));
  }
  const mismatch = terminalMismatch(harness, new Set(legalTerminalResults));
  if (mismatch !== null) found.push(report.terminalParity(at(mismatch)));
  for (const pointer of secretsIn(harness)) found.push(report.secretCandidate(at(pointer)));
  return found;
}

/** Pointer to the first place where the harness and the legal results disagree, or null. */
function terminalMismatch(harness: HarnessSource, legal: ReadonlySet<string>): string | null {
  const { nodes } = harness.graph;
  const declared = new Set<string>();
  const repeated = nodes.findIndex((node) => {
    const isRepeated = node.terminal_result !== null && declared.has(node.terminal_result);
    if (node.terminal_result !== null) declared.add(node.terminal_result);
    return isRepeated;
  });
  if (repeated >= 0) return `/graph/nodes/${repeated}/terminal_result`;
  const illegal = nodes.findIndex(
    (node) => node.terminal_result !== null && !legal.has(node.terminal_result),
  );
  if (illegal >= 0) return `/graph/nodes/${illegal}/terminal_result`;
  const unknown = harness.artifacts.required_by_terminal.findIndex(
    (policy) => !declared.has(policy.terminal_result),
  );
  if (unknown >= 0) return `/artifacts/required_by_terminal/${unknown}/terminal_result`;
  return [...legal].every((result) => declared.has(result)) ? null : '/graph/nodes';
}

function secretsIn(harness: HarnessSource): readonly string[] {
  const found: string[] = [];
  visitTexts(harness, '', (text, pointer) => {
    if (looksSecret(text)) found.push(pointer);
  });
  return found;
}

/** A harness nests six levels by its form, so the recursion is bounded. */
function visitTexts(
  value: unknown,
  pointer: string,
  visit: (text: string, pointer: string) => void,
): void {
  if (typeof value === 'string') visit(value, pointer);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) visitTexts(child, `${pointer}/${key}`, visit);
  }
}

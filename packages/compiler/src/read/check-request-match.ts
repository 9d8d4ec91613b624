import { type Diagnostic, looksSecret } from '@millforge/contracts';
import type { SourceDocument } from '@millforge/source';
import type { CompileRequest, CompileTarget } from '../compile-request.ts';
import { report } from '../diagnostics.ts';
import type { HarnessSource } from '../harness-source.ts';
import { MOST_OF_ONE_LIST } from '../most-of-one-list.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import { type Finding, wordFindings } from './word-findings.ts';

/** Holds a harness against its request, and looks for secrets in it; all findings are collected. */
export function checkRequestMatch(
  { harness, legalTerminalResults }: CompileTarget,
  request: CompileRequest,
  document: SourceDocument,
): readonly Diagnostic[] {
  const found: Finding[] = [];
  const add = (path: string, hint: string, word: typeof report.harnessIdUnexpected) => {
    found.push({ path, word: (place) => word({ ...place, hint, fields: { field_path: path } }) });
  };
  const { expectedHarnessId, stageKindId } = request;
  if (expectedHarnessId !== undefined && expectedHarnessId !== harness.harness_id) {
    const hint = `The request expects '${expectedHarnessId}'.`;
    add('/harness_id', hint, report.harnessIdUnexpected);
  }
  const { stage_kind_ids } = harness.stage_scope;
  if (stageKindId !== undefined && !stage_kind_ids.includes(stageKindId)) {
    const hint =
      didYouMean(nearestName(stage_kind_ids)(stageKindId)) ||
      `The request asks for '${stageKindId}': add it here, or ask for ${quoted(stage_kind_ids)}.`;
    add('/stage_scope/stage_kind_ids', hint, report.stageOutOfScope);
  }
  const mismatch = terminalMismatch(harness, new Set(legalTerminalResults));
  if (mismatch !== null) add(mismatch.pointer, mismatch.hint, report.terminalParity);
  for (const pointer of secretsIn(harness)) {
    add(pointer, SECRET_HINT, report.secretCandidate);
  }
  return wordFindings(found, document);
}

const SECRET_HINT =
  'A harness is no place for a secret: keep it in the environment, and name it there.';

/** The first place where the harness and the legal results disagree, or null. */
function terminalMismatch(
  harness: HarnessSource,
  legal: ReadonlySet<string>,
): { readonly pointer: string; readonly hint: string } | null {
  const { nodes } = harness.graph;
  const declared = new Set<string>();
  const repeated = nodes.findIndex((node) => {
    const isRepeated = node.terminal_result !== null && declared.has(node.terminal_result);
    if (node.terminal_result !== null) declared.add(node.terminal_result);
    return isRepeated;
  });
  if (repeated >= 0) {
    const hint = 'Give each terminal node a result of its own.';
    return { pointer: `/graph/nodes/${repeated}/terminal_result`, hint };
  }
  const illegal = nodes.findIndex(
    (node) => node.terminal_result !== null && !legal.has(node.terminal_result),
  );
  if (illegal >= 0) {
    const hint = resultHint(nodes[illegal]?.terminal_result ?? '', legal);
    return { pointer: `/graph/nodes/${illegal}/terminal_result`, hint };
  }
  const policies = harness.artifacts.required_by_terminal;
  const unknown = policies.findIndex((policy) => !declared.has(policy.terminal_result));
  if (unknown >= 0) {
    const hint = resultHint(policies[unknown]?.terminal_result ?? '', declared);
    return { pointer: `/artifacts/required_by_terminal/${unknown}/terminal_result`, hint };
  }
  const missing = [...legal].filter((result) => !declared.has(result));
  if (missing.length === 0) return null;
  const hint = `No node ends with ${quoted(missing)}: give one that terminal_result, or do not ask for it.`;
  return { pointer: '/graph/nodes', hint };
}

function resultHint(wrong: string, known: ReadonlySet<string>): string {
  const meant = didYouMean(nearestName(known)(wrong));
  if (meant !== '') return meant;
  return known.size === 0 ? 'No node has a terminal_result.' : `Known here: ${quoted([...known])}.`;
}

function secretsIn(harness: HarnessSource): readonly string[] {
  const found: string[] = [];
  collectSecrets(harness, [], found);
  return found;
}

/** A harness nests six levels by its form, so the recursion is bounded. */
function collectSecrets(value: unknown, steps: string[], found: string[]): void {
  if (typeof value === 'string') {
    if (looksSecret(value)) found.push(`/${steps.join('/')}`);
  } else if (typeof value === 'object' && value !== null) {
    const known = found.length;
    for (const [key, child] of Object.entries(value)) {
      steps.push(key);
      collectSecrets(child, steps, found);
      steps.pop();
      // Fields stand in an order of their own, items in that of the text.
      if (Array.isArray(value) && found.length - known > MOST_OF_ONE_LIST) break;
    }
  }
}

import type { Diagnostic } from '@millforge/contracts';
import type { SourceDocument } from '@millforge/source';
import type { CompileRequest, CompileTarget } from '../compile-request.ts';
import type { HarnessSource } from '../harness-source.ts';
import { checkRequestMatch } from './check-request-match.ts';
import { readHarness } from './read-harness.ts';

/** A harness and what it is compiled for, or what is wrong with its form. */
export type ReadTargetResult =
  | { readonly ok: true; readonly target: CompileTarget }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads a document as a harness, and holds the harness against the request only if it has its form. */
export function readTarget(document: SourceDocument, request: CompileRequest): ReadTargetResult {
  const read = readHarness(document);
  if (!read.ok) return read;
  const target: CompileTarget = {
    harness: read.harness,
    legalTerminalResults: request.legalTerminalResults ?? terminalResultsOf(read.harness),
    grants: request.grants.map((grant) =>
      typeof grant === 'string' ? { capabilityId: grant } : grant,
    ),
  };
  const diagnostics = checkRequestMatch(target, request, document);
  return diagnostics.length === 0 ? { ok: true, target } : { ok: false, diagnostics };
}

function terminalResultsOf({ graph }: HarnessSource): readonly string[] {
  const results = graph.nodes
    .map((node) => node.terminal_result)
    .filter((result) => result !== null);
  return [...new Set(results)];
}

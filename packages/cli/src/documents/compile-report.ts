import type { FailedResult } from '@millforge/compiler';
import { toCompileResultJson } from '@millforge/compiler/publish';
import { type Diagnostic, isDottedId, type JsonObject } from '@millforge/contracts';

/** What a compilation was asked for, as its result names it. */
export interface ReportedRequest {
  /** Name of the request. */
  readonly requestId: string;
  /** Path of the source, relative to its root. */
  readonly sourcePath: string;
}

/** The result document of a compilation that stopped before output; all keys, always in this order. */
export function failureDocument(
  { failurePhase, harnessId, sourceSha256, documentSha256, diagnostics }: FailedResult,
  { requestId, sourcePath }: ReportedRequest,
): JsonObject {
  return toCompileResultJson({
    kind: 'rejected',
    requestId: isDottedId(requestId) ? requestId : 'request.invalid',
    sourcePath,
    failurePhase,
    harnessId,
    sourceSha256,
    documentSha256,
    requestIdentitySha256: null,
    diagnostics,
    report: { kind: 'absent' },
  });
}

/** A diagnostic for a person: place, code, sentence, pointer, advice. */
export function renderDiagnostic(diagnostic: Diagnostic, file: string): string {
  const { span, path, severity, code, message } = diagnostic;
  const place = span === undefined ? '' : `:${span.line}:${span.column}`;
  const where = path === '/' || path === '' ? diagnostic.nodeId : path;
  const pointer = where === undefined ? '' : ` (${where})`;
  const hint = diagnostic.hint === undefined ? '' : `\n  hint: ${hintOf(diagnostic)}`;
  return `${file}${place}: ${severity} ${code}: ${message}${pointer}${hint}`;
}

// The compiler names the fields of its request; on the command line they are options.
function hintOf({ code, hint = '', fields = [] }: Diagnostic): string {
  if (code !== 'MF-S018') return hint;
  const field = fields.find(({ key }) => key === 'field_path')?.value;
  const option = OPTIONS.find(([pointer]) => String(field).startsWith(pointer))?.[1];
  return option === undefined ? hint : `${hint.replace(/\.$/, '')}, which ${option} gives.`;
}

const OPTIONS: readonly (readonly [string, string])[] = [
  ['/request_id', '--request-id'],
  ['/expected_harness_id', '--expect-id'],
  ['/stage_kind_id', '--stage-kind'],
  ['/legal_terminal_results', '--legal-terminal'],
  ['/capability_envelope', '--grant'],
];

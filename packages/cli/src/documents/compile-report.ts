import type { CompiledResult, CompileResult, FailedResult } from '@millforge/compiler';
import { type PublishOutcome, publicationDiagnostics } from '@millforge/compiler/publish';
import {
  type Diagnostic,
  digest,
  isDottedId,
  type JsonObject,
  type JsonValue,
  toDiagnosticJson,
} from '@millforge/contracts';

/** What a compilation was asked for, as its result names it. */
export interface ReportedRequest {
  /** Name of the request. */
  readonly requestId: string;
  /** Notation of the source. */
  readonly format: 'yaml' | 'json';
  /** Path of the source, relative to its root. */
  readonly sourcePath: string;
  /** Harness id that was asked for; null when any was welcome. */
  readonly expectedId: string | null;
}

/** Where a plan was to be written, and what came of it. */
export interface Publication {
  /** Path of the directory, relative to its root. */
  readonly directory: string;
  /** What came of it. */
  readonly outcome: PublishOutcome;
}

/** The result document of a compilation that stopped before output; all keys, always in this order. */
export function failureDocument(result: FailedResult, request: ReportedRequest): JsonObject {
  return {
    request_id: isDottedId(request.requestId) ? request.requestId : 'request.invalid',
    status: 'failed',
    plan_commit_certainty: 'absent',
    diagnostic_report_state: 'absent',
    failure_phase: result.failurePhase,
    source_document_sha256: result.documentSha256,
    source_sha256: result.sourceSha256,
    request_identity_sha256: null,
    harness_id: result.harnessId,
    compiled_plan_path: null,
    compiled_sha256: null,
    diagnostics_path: null,
    diagnostics: diagnosticsJson(result, request),
  };
}

/** The result document of a compilation whose plan was to be published. */
export function publicationDocument(
  result: CompiledResult,
  request: ReportedRequest,
  { directory, outcome }: Publication,
): JsonObject {
  const isCommitted = outcome.kind === 'published';
  // A plan that may be there is named as well: somebody will have to look.
  const file = isCommitted || outcome.kind === 'publish_unsure' ? outcome.fileName : null;
  const found = publicationDiagnostics(outcome);
  return {
    request_id: request.requestId,
    status: isCommitted ? 'committed' : 'failed',
    plan_commit_certainty: certaintyOf(outcome),
    diagnostic_report_state: 'absent',
    failure_phase: isCommitted ? null : 'output',
    source_document_sha256: result.documentSha256,
    source_sha256: result.sourceSha256,
    request_identity_sha256: digest({
      request_id: request.requestId,
      source_path: request.sourcePath,
      source_format: request.format,
      expected_harness_id: request.expectedId ?? result.plan.harness_id,
      stage_kind_id: result.stageKindId,
    }),
    harness_id: result.plan.harness_id,
    compiled_plan_path: file === null ? null : [directory, file].filter(Boolean).join('/'),
    compiled_sha256: file === null ? null : result.sha256,
    diagnostics_path: null,
    diagnostics: diagnosticsJson({ diagnostics: [...result.diagnostics, ...found] }, request),
  };
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

function certaintyOf(outcome: PublishOutcome): string {
  if (outcome.kind === 'published') return 'committed';
  return outcome.kind === 'publish_unsure' ? 'unknown' : 'absent';
}

function diagnosticsJson(
  { diagnostics }: Pick<CompileResult, 'diagnostics'>,
  request: ReportedRequest,
): readonly JsonValue[] {
  return diagnostics.map((diagnostic) =>
    toDiagnosticJson(diagnostic, { logicalPath: request.sourcePath }),
  );
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

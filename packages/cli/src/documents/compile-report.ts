import { basename, join } from 'node:path';
import type { CompileResult } from '@millforge/compiler';
import { type Diagnostic, digest, type JsonValue, toDiagnosticJson } from '@millforge/contracts';

/** Where a plan was written. */
export interface PublishedPlan {
  /** Directory, absolute and real. */
  readonly directory: string;
  /** File name. */
  readonly fileName: string;
}

/** The result document of a compilation, all keys always present. */
export function compileResultDocument(
  result: CompileResult,
  request: {
    readonly requestId: string;
    readonly stageKindId: string | null;
    readonly format: 'yaml' | 'json';
    readonly sourcePath: string;
  },
  published: PublishedPlan | null,
): JsonValue {
  const diagnostics = result.diagnostics.map((diagnostic) =>
    toDiagnosticJson(diagnostic, { logicalPath: request.sourcePath }),
  ) as readonly JsonValue[];
  if (!result.ok) {
    return {
      request_id: request.requestId,
      status: 'failed',
      plan_commit_certainty: 'absent',
      diagnostic_report_state: 'absent',
      failure_phase: result.failurePhase,
      source_document_sha256: result.documentSha256,
      source_sha256: result.sourceSha256,
      request_identity_sha256: null,
      harness_id: null,
      compiled_plan_path: null,
      compiled_sha256: null,
      diagnostics_path: null,
      diagnostics,
    };
  }
  return {
    request_id: request.requestId,
    status: published === null ? 'prepared' : 'committed',
    plan_commit_certainty: published === null ? 'absent' : 'committed',
    diagnostic_report_state: 'absent',
    failure_phase: null,
    source_document_sha256: result.documentSha256,
    source_sha256: result.sourceSha256,
    request_identity_sha256: digest({
      request_id: request.requestId,
      source_path: request.sourcePath,
      source_format: request.format,
      expected_harness_id: result.plan.harness_id,
      stage_kind_id: request.stageKindId ?? result.plan.stage_kind_ids[0] ?? null,
    }),
    harness_id: result.plan.harness_id,
    compiled_plan_path:
      published === null ? null : join(basename(published.directory), published.fileName),
    compiled_sha256: published === null ? null : result.sha256,
    diagnostics_path: null,
    diagnostics,
  };
}

/** A diagnostic for a person: place, code, sentence, pointer. */
export function renderDiagnostic(diagnostic: Diagnostic, file: string): string {
  const place =
    diagnostic.span === undefined ? '' : `:${diagnostic.span.line}:${diagnostic.span.column}`;
  const pointer = diagnostic.path === '/' || diagnostic.path === '' ? '' : ` (${diagnostic.path})`;
  const hint = diagnostic.hint === undefined ? '' : `\n  hint: ${diagnostic.hint}`;
  return `${file}${place}: ${diagnostic.severity} ${diagnostic.code}: ${diagnostic.message}${pointer}${hint}`;
}

import { type JsonObject, toDiagnosticJson, unreachable } from '@millforge/contracts';
import type { CheckFileOutcome, CompileFileOutcome } from './compile-file-outcome.ts';

/**
 * The result document of a compilation, as reports and `compile --json` hold it: all keys, always, in
 * this order. `status` is `failed` where the harness did not compile or its plan may not stand,
 * `prepared` where the plan stands but its report may not, and `committed` where all is there. A check
 * gives `prepared` for a plan that is not there, and `committed` for one that is.
 */
export function toCompileResultJson(outcome: CompileFileOutcome | CheckFileOutcome): JsonObject {
  const { report, sourcePath } = outcome;
  const { status, certainty, failurePhase, planPath, sha256 } = standingOf(outcome);
  return {
    request_id: outcome.requestId,
    status,
    plan_commit_certainty: certainty,
    diagnostic_report_state: report.kind,
    failure_phase: failurePhase,
    source_document_sha256: outcome.documentSha256,
    source_sha256: outcome.sourceSha256,
    request_identity_sha256: outcome.requestIdentitySha256,
    harness_id: outcome.harnessId,
    compiled_plan_path: planPath,
    compiled_sha256: sha256,
    diagnostics_path: report.kind === 'absent' ? null : report.path,
    diagnostics: outcome.diagnostics.map((diagnostic) =>
      // Request and output are about files, not about a place in the source.
      sourcePath === null || diagnostic.phase === 'request' || diagnostic.phase === 'output'
        ? toDiagnosticJson(diagnostic)
        : toDiagnosticJson(diagnostic, { logicalPath: sourcePath }),
    ),
  };
}

interface Standing {
  readonly status: 'failed' | 'prepared' | 'committed';
  readonly certainty: 'absent' | 'committed' | 'unknown';
  readonly failurePhase: string | null;
  readonly planPath: string | null;
  readonly sha256: string | null;
}

function standingOf(outcome: CompileFileOutcome | CheckFileOutcome): Standing {
  switch (outcome.kind) {
    case 'rejected':
      return { ...NO_PLAN, failurePhase: outcome.failurePhase };
    case 'conflict':
    case 'not_written':
      return NO_PLAN;
    case 'publish_unsure': {
      const { planPath, sha256 } = outcome;
      return { status: 'failed', certainty: 'unknown', failurePhase: 'output', planPath, sha256 };
    }
    case 'current':
    case 'published':
    case 'published_report_unsure': {
      const { planPath, sha256 } = outcome;
      const status = outcome.kind === 'published_report_unsure' ? 'prepared' : 'committed';
      return { status, certainty: 'committed', failurePhase: null, planPath, sha256 };
    }
    case 'stale':
    case 'absent': {
      const { sha256 } = outcome;
      return { ...NO_PLAN, status: 'prepared', failurePhase: null, sha256 };
    }
    default:
      return unreachable(outcome, 'outcome of a compilation');
  }
}

const NO_PLAN: Standing = {
  status: 'failed',
  certainty: 'absent',
  failurePhase: 'output',
  planPath: null,
  sha256: null,
};

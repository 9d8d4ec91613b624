import type { FailedResult } from '@millforge/compiler';
import { toCompileResultJson } from '@millforge/compiler/publish';
import { isDottedId, type JsonObject } from '@millforge/contracts';

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

import type { CompilerIdentity, ModelProfileCatalog, ToolCatalog } from '@millforge/contracts';
import { compileHarness } from '../compile.ts';
import type { CompileRequest } from '../compile-request.ts';
import { type CompileResult, type FailedResult, failedResult } from '../compile-result.ts';
import { report } from '../diagnostics.ts';
import { requestIdentityDigest } from '../emit/request-identity.ts';
import { errorType } from '../error-type.ts';
import { type AdmittedPath, admitPaths } from './admit-paths.ts';
import type { RejectedFile } from './compile-file-outcome.ts';
import type { CompileFileRequest } from './compile-file-request.ts';
import type { PublishFiles } from './publish-files.ts';
import { INVALID_REQUEST_ID, readFileRequest, requestIdOf } from './read-file-request.ts';
import { readSource } from './read-source.ts';

/** What a compilation of a file sees besides the request. */
export interface CompileFileInput {
  /** The tools that may be named. */
  readonly catalog: ToolCatalog;
  /** The model profiles that may be named. */
  readonly profiles: ModelProfileCatalog;
  /** Who signs the plan; part of its digest. Default this compiler. */
  readonly identity?: CompilerIdentity;
  /**
   * Whether the request may leave out id, stage and terminal results, which are then those of the
   * source. Default false: a request that forgot one is refused.
   */
  readonly mayLeaveToSource?: boolean;
  /** The file system; default that of this machine. */
  readonly fs?: PublishFiles;
}

/** What was compiled, and where its files belong. */
export interface FileTarget {
  /** Id of the request. */
  readonly requestId: string;
  /** Path of the source as it was asked for. */
  readonly sourcePath: string;
  /** Digest of the request's identity. */
  readonly requestIdentitySha256: string;
  /** The directory for plan and report. */
  readonly outputDir: AdmittedPath;
  /** A plan; or a failure of the output phase, for a plan that is too large. */
  readonly result: CompileResult;
}

/** Something to be written, or why there is nothing. */
export type AdmittedAndCompiled =
  | { readonly ok: true; readonly target: FileTarget }
  | { readonly ok: false; readonly outcome: RejectedFile };

/** Admits a request and its source from disk, and compiles. Writes nothing; never throws. */
export async function admitAndCompile(
  given: unknown,
  input: CompileFileInput,
  files: PublishFiles,
): Promise<AdmittedAndCompiled> {
  let requestId = INVALID_REQUEST_ID;
  try {
    requestId = requestIdOf(given);
    const mayLeaveToSource = input.mayLeaveToSource ?? false;
    const read = readFileRequest(given, { mayLeaveToSource });
    if (read.ok) return await compileAdmitted(read.request, input, files);
    return rejected({ requestId, sourcePath: null }, failedResult([read.diagnostic]));
  } catch (error) {
    const internal = report.internal({ path: '/', fields: { error_type: errorType(error) } });
    return rejected({ requestId, sourcePath: null }, failedResult([internal]));
  }
}

async function compileAdmitted(
  request: CompileFileRequest,
  input: CompileFileInput,
  files: PublishFiles,
): Promise<AdmittedAndCompiled> {
  const { request_id: requestId, source_path: sourcePath } = request;
  const named = { requestId, sourcePath };
  const paths = await admitPaths(request, files);
  if (!paths.ok) return rejected(named, failedResult(paths.diagnostics));
  const source = await readSource(paths.source, files);
  if (!source.ok) return rejected(named, failedResult([source.diagnostic]));
  const { catalog, profiles, identity } = input;
  const result = compileHarness(source.bytes, {
    catalog,
    profiles,
    request: toCompileRequest(request),
    ...(identity === undefined ? {} : { identity }),
  });
  if (!result.ok && result.failurePhase !== 'output') return rejected(named, result);
  const requestIdentitySha256 = requestIdentityDigest({
    ...request,
    expected_harness_id: request.expected_harness_id ?? harnessIdOf(result),
    stage_kind_id: request.stage_kind_id ?? (result.ok ? result.stageKindId : ''),
  });
  return { ok: true, target: { ...named, requestIdentitySha256, outputDir: paths.output, result } };
}

function harnessIdOf(result: CompileResult): string {
  return (result.ok ? result.plan.harness_id : result.harnessId) ?? '';
}

function toCompileRequest(request: CompileFileRequest): CompileRequest {
  const { expected_harness_id, stage_kind_id, legal_terminal_results } = request;
  return {
    requestId: request.request_id,
    format: request.source_format,
    logicalPath: request.source_path,
    grants: request.capability_envelope.grants.map(({ capability_id, constraints }) => ({
      capabilityId: capability_id,
      ...(constraints == null ? {} : { constraints }),
    })),
    ...(expected_harness_id === undefined ? {} : { expectedHarnessId: expected_harness_id }),
    ...(stage_kind_id === undefined ? {} : { stageKindId: stage_kind_id }),
    ...(legal_terminal_results === undefined
      ? {}
      : { legalTerminalResults: legal_terminal_results }),
  };
}

/** The outcome of a compilation that stopped before there was anything to write. */
export function rejected(
  named: Pick<RejectedFile, 'requestId' | 'sourcePath'>,
  result: FailedResult,
): { readonly ok: false; readonly outcome: RejectedFile } {
  const { failurePhase, documentSha256, sourceSha256, harnessId, diagnostics } = result;
  return {
    ok: false,
    outcome: {
      kind: 'rejected',
      ...named,
      documentSha256,
      sourceSha256,
      harnessId,
      requestIdentitySha256: null,
      failurePhase,
      diagnostics,
      report: { kind: 'absent' },
    },
  };
}

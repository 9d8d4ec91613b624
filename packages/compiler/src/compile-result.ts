import { boundDiagnostics, type CompiledHarnessPlan, type Diagnostic } from '@millforge/contracts';
import { DIAGNOSTIC_ORDER } from './diagnostics.ts';

/** A plan, or everything that is wrong with the harness. */
export type CompileResult = CompiledResult | FailedResult;

/** The harness compiled. */
export interface CompiledResult {
  /** The harness compiled. */
  readonly ok: true;
  /** The plan, frozen to its leaves. */
  readonly plan: CompiledHarnessPlan;
  /** The exact bytes of the plan's file. */
  readonly bytes: Uint8Array;
  /** The plan's own digest, `compiled_sha256`; not the digest of the bytes, which hold it. */
  readonly sha256: string;
  /** Digest of the meaning: source and resolved tools. */
  readonly sourceSha256: string;
  /** Digest of the normalised text of the source; null for a source given as an object. */
  readonly documentSha256: string | null;
  /** The stage that was compiled for: that of the request, else the first that the harness lists. */
  readonly stageKindId: string;
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The harness did not compile. */
export interface FailedResult {
  /** The harness did not compile. */
  readonly ok: false;
  /** The phase of the first error. */
  readonly failurePhase: string;
  /** Id of the harness, where its digest is known too. */
  readonly harnessId: string | null;
  /** Digest of the meaning, where the harness got that far. */
  readonly sourceSha256: string | null;
  /** Digest of the normalised text of the source, where it became text. */
  readonly documentSha256: string | null;
  /** Sorted; at most 128 and 262,144 bytes, a cut ends with `MF-D001`. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The result of a compilation that went all the way. */
export function compiledResult(
  emitted: Pick<CompiledResult, 'plan' | 'bytes'>,
  known: Pick<CompiledResult, 'documentSha256' | 'stageKindId' | 'diagnostics'>,
): CompiledResult {
  const { plan, bytes } = emitted;
  return Object.freeze({
    ok: true,
    plan,
    bytes,
    sha256: plan.compiled_sha256,
    sourceSha256: plan.source_sha256,
    documentSha256: known.documentSha256,
    stageKindId: known.stageKindId,
    diagnostics: Object.freeze([...boundDiagnostics(known.diagnostics, DIAGNOSTIC_ORDER)]),
  });
}

/** The result of a compilation that stopped; findings come in any order. */
export function failedResult(
  found: readonly Diagnostic[],
  known: Partial<Pick<FailedResult, 'documentSha256' | 'sourceSha256' | 'harnessId'>> = {},
): FailedResult {
  const diagnostics = boundDiagnostics(found, DIAGNOSTIC_ORDER);
  const { documentSha256 = null, sourceSha256 = null, harnessId = null } = known;
  return Object.freeze({
    ok: false,
    // A cut list still begins with what came first.
    failurePhase: diagnostics.find(({ severity }) => severity === 'error')?.phase ?? 'internal',
    // An id is only reported together with the digest of what it names.
    harnessId: sourceSha256 === null ? null : harnessId,
    sourceSha256,
    documentSha256,
    diagnostics: Object.freeze([...diagnostics]),
  });
}

import type { Diagnostic } from '@millforge/contracts';
import { checkHarness } from './check/check-harness.ts';
import type { CompileInput, CompilePhase } from './compile-input.ts';
import { type CompileResult, compiledResult, failedResult } from './compile-result.ts';
import { COMPILER_IDENTITY } from './compiler-identity.ts';
import { report } from './diagnostics.ts';
import { emitPlan } from './emit/emit-plan.ts';
import { errorType } from './error-type.ts';
import { toCheckedHarness } from './lower/checked-harness.ts';
import { lowerHarness } from './lower/lower-harness.ts';
import { printIntermediate } from './print-intermediate.ts';
import { type HarnessInput, parseInput } from './read/parse-input.ts';
import { readRequest } from './read/read-request.ts';
import { readTarget } from './read/read-target.ts';
import { placeDiagnostics, wordFindings } from './read/word-findings.ts';
import { resolveHarness } from './resolve/resolve-harness.ts';

/**
 * Compiles a harness into a plan, or into diagnostics. Synchronous and pure; never throws.
 *
 * The same source, catalogs, request and identity give the same bytes, whatever the notation and the
 * order in which the source was written. A source that cannot be trusted is welcome.
 */
export function compileHarness(source: HarnessInput, input: CompileInput): CompileResult {
  try {
    return runPhases(source, input);
  } catch (error) {
    return failedResult([report.internal({ path: '/', fields: { error_type: errorType(error) } })]);
  }
}

function runPhases(source: HarnessInput, input: CompileInput): CompileResult {
  const announce = announcer(input.onPhase);
  const asked = readRequest(input.request);
  if (!asked.ok) return failedResult(asked.diagnostics);

  const parsed = parseInput(source, asked.request);
  const { documentSha256 } = parsed;
  announce('parse', parsed.diagnostics, parsed.source?.value);
  if (parsed.source === null) return failedResult(parsed.diagnostics, { documentSha256 });

  const read = readTarget(parsed.source, asked.request);
  const misread = read.ok ? [] : parsed.present(read.diagnostics);
  announce('read', misread, read.ok ? read.target : null);
  if (!read.ok) return failedResult(misread, { documentSha256 });

  const document = parsed.source;
  const { resolved, diagnostics } = resolveHarness(read.target.harness, input);
  const unresolved = parsed.present(placeDiagnostics(diagnostics, document));
  announce('resolve', unresolved, resolved);
  // What did resolve is checked all the same, so that one compilation shows all that can be known.
  const checked = resolved === null ? null : checkHarness(resolved, read.target);
  const misused = parsed.present([
    ...(checked?.findings ?? []).flatMap((phase) => wordFindings(phase, document)),
    ...placeDiagnostics(checked?.diagnostics ?? [], document),
  ]);
  announce('check', misused, checked?.facts);
  const found = [...unresolved, ...misused];
  if (resolved === null || checked === null || found.some(({ severity }) => severity === 'error')) {
    return failedResult(found, { documentSha256 });
  }

  const harness = toCheckedHarness(resolved, checked.facts);
  const lowered = lowerHarness(harness, input.identity ?? COMPILER_IDENTITY);
  announce('lower', lowered.diagnostics, lowered.plan);
  const { sourceSha256 } = lowered;
  const known = { documentSha256, sourceSha256, harnessId: harness.source.harness_id };
  if (lowered.plan === null) return failedResult(lowered.diagnostics, known);

  const emitted = emitPlan(lowered.plan);
  announce('emit', emitted.ok ? [] : emitted.diagnostics, emitted.ok ? emitted.plan : null);
  if (!emitted.ok) return failedResult(emitted.diagnostics, known);
  const [firstStage = ''] = harness.source.stage_scope.stage_kind_ids;
  const stageKindId = asked.request.stageKindId ?? firstStage;
  return compiledResult(emitted, { documentSha256, stageKindId, diagnostics: found });
}

function announcer(onPhase: CompileInput['onPhase']) {
  return (name: CompilePhase['name'], diagnostics: readonly Diagnostic[], made: unknown): void => {
    onPhase?.({ name, diagnostics, print: () => printIntermediate(made) });
  };
}

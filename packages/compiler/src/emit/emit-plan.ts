import {
  type CompiledHarnessPlan,
  type Diagnostic,
  findPlanProblems,
  MAX_PLAN_BYTES,
  planBytes,
  readPlan,
  sha256,
} from '@millforge/contracts';
import { report } from '../diagnostics.ts';

/** The bytes of a plan and the plan as every reader will see it, or why nobody would read it. */
export type EmitResult =
  | { readonly ok: true; readonly plan: CompiledHarnessPlan; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Writes a signed plan, which is frozen, as canonical bytes, and makes sure that no unreadable plan leaves. */
export function emitPlan(plan: CompiledHarnessPlan): EmitResult {
  const bytes = planBytes(plan);
  if (bytes.length > MAX_PLAN_BYTES) {
    const fields = { compiled_plan_size: bytes.length };
    const hint = `Expected at most ${MAX_PLAN_BYTES} bytes; use fewer tools or smaller schemas.`;
    return { ok: false, diagnostics: [report.planTooLarge({ path: '/', hint, fields })] };
  }
  if (isSound(plan, bytes)) return { ok: true, plan, bytes };
  const read = readPlan(bytes, { sha256: plan.compiled_sha256 });
  if (read.ok) return { ok: true, plan: read.plan, bytes };
  const hint = read.problems.at(0) ?? 'The plan cannot be read back.';
  const diagnostic =
    read.computedSha256 === null
      ? report.planInvalid({ path: '/', hint, fields: { error_type: 'PlanProblem' } })
      : report.planDigestMismatch({
          path: '/',
          hint,
          fields: { computed_hash: read.computedSha256, warning_count: read.problems.length },
        });
  return { ok: false, diagnostics: [diagnostic] };
}

/**
 * Tells from the value that its bytes can be read, which costs a fifth of reading them.
 *
 * What canonical JSON writes reads as what was written, with one exception: half a surrogate pair. A
 * plan that may hold one is read back, as is one with any problem, because only a reader says which.
 */
function isSound(plan: CompiledHarnessPlan, bytes: Uint8Array): boolean {
  if (findPlanProblems(plan).length > 0) return false;
  // Canonical text is ASCII, so surrogates stand in it as escapes.
  const text = new TextDecoder('latin1').decode(bytes);
  // Before the member stand only ids and numbers, so the first that looks like it is the plan's own.
  const unsigned = text.replace(`"compiled_sha256":"${plan.compiled_sha256}",`, '');
  if (sha256(unsigned) !== plan.compiled_sha256) return false;
  return !text.includes('\\ud') || !HALF_A_PAIR.test(text);
}

const HALF_A_PAIR =
  /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/;

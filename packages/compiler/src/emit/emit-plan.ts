import {
  type CompiledHarnessPlan,
  type Diagnostic,
  MAX_PLAN_BYTES,
  planBytes,
  readPlan,
} from '@millforge/contracts';
import { report } from '../diagnostics.ts';

/** The bytes of a plan and the plan as every reader will see it, or why nobody would read it. */
export type EmitResult =
  | { readonly ok: true; readonly plan: CompiledHarnessPlan; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Writes a plan as canonical bytes and reads them back, so that no unreadable plan leaves. */
export function emitPlan(plan: CompiledHarnessPlan): EmitResult {
  const bytes = planBytes(plan);
  if (bytes.length > MAX_PLAN_BYTES) {
    const fields = { compiled_plan_size: bytes.length };
    const hint = `Expected at most ${MAX_PLAN_BYTES} bytes; use fewer tools or smaller schemas.`;
    return { ok: false, diagnostics: [report.planTooLarge({ path: '/', hint, fields })] };
  }
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

import { canonicalJson } from '../json/canonical-json.ts';
import { sha256 } from '../json/digest.ts';
import { deepFreeze } from '../json/freeze.ts';
import { type ExactJson, JsonFloat } from '../json/json-value.ts';
import { keepText } from '../json/kept-text.ts';
import type { CompiledHarnessPlan } from './compiled-harness-plan.ts';

/** Writes a plan as the canonical bytes of its file, digest included. */
export function planBytes(plan: CompiledHarnessPlan): Uint8Array {
  return new TextEncoder().encode(canonicalJson(toExact(plan)));
}

/** The digest that names a plan: of its canonical text without the field that holds the digest. */
export function planDigest(plan: CompiledHarnessPlan): string {
  const { compiled_sha256: _, ...rest } = plan;
  return sha256(canonicalJson(toExact(rest)));
}

/** Freezes a plan to its leaves and names it by its digest; what it says about itself is replaced. */
export function signPlan(unsigned: CompiledHarnessPlan): CompiledHarnessPlan {
  deepFreeze(unsigned);
  // Nearly all of a plan's text: the digest is taken of it, and the file holds it again.
  keepText(unsigned.nodes);
  return Object.freeze({ ...unsigned, compiled_sha256: planDigest(unsigned) });
}

/** A plan with its number kinds: thresholds are floats in every digest, also where their value is integral, as in `1.0`. */
export function toExact(plan: Omit<CompiledHarnessPlan, 'compiled_sha256'>): ExactJson {
  const thresholds = plan.context_policy.phase_thresholds.map((value) => new JsonFloat(value));
  const exact: object = {
    ...plan,
    context_policy: { ...plan.context_policy, phase_thresholds: thresholds },
  };
  // A plan is JSON by its type, but an interface has no index signature; the encoder refuses anything else.
  return exact as ExactJson;
}

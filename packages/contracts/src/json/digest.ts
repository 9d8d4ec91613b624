import { sha256 } from '#sha256';
import { type CanonicalJsonOptions, canonicalJson } from './canonical-json.ts';
import type { ExactJson } from './json-value.ts';

export { sha256 };

/** The identity of a JSON value: SHA-256 of its canonical JSON, as 64 lower-case hex digits. */
export function digest(value: ExactJson, options?: CanonicalJsonOptions): string {
  return sha256(canonicalJson(value, options));
}

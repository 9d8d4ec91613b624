import type { Idempotency, SideEffectCertainty } from '@millforge/contracts';

/**
 * Whether a call that failed may be made again without asking anybody.
 *
 * What is known to be complete is repeated only under a key that the server knows; what is not known, only
 * where repeating is the same as doing it once.
 */
export function mayRetry(call: {
  readonly idempotency: Idempotency;
  readonly certainty: SideEffectCertainty;
  /** Whether the server was really sent the key. */
  readonly hasKey: boolean;
}): boolean {
  const isKeyed = call.idempotency === 'idempotent_with_key' && call.hasKey;
  if (call.certainty === 'confirmed_complete') return isKeyed;
  return call.idempotency === 'idempotent' || isKeyed;
}

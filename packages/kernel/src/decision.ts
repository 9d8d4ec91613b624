import type { JsonValue } from '@millforge/contracts';

/** An answer to a hold. */
export interface Decision {
  /** The hold that is decided. */
  readonly holdId: string;
  /** Its version as the person saw it. */
  readonly version: number;
  /** What is decided; the hold says what it takes. */
  readonly decision: 'retry' | 'accept' | 'cancel' | 'approve' | 'deny';
  /** Why. */
  readonly reason: string;
  /** For `accept`: the outcome that the person attests. */
  readonly outcome?: JsonValue;
  /** For `accept`: number of the trail record that kept a late outcome, instead of `outcome`. */
  readonly seq?: number;
  /** For `retry`: repeats although the former owner's process still lives. */
  readonly evenIfRunning?: boolean;
  /** For `retry`: repeats under a new idempotency key. */
  readonly newKey?: boolean;
}

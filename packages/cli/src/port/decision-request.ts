import type { JsonValue } from '@millforge/contracts';

/** How a person answers a hold. */
export interface DecisionRequest {
  /** The hold; may be null when exactly one is open. */
  readonly holdId: string | null;
  /** Version of the hold that was looked at; another by now is refused. Default: as it stands. */
  readonly version?: number;
  /**
   * Repeat it once, attest that it happened, end the run; or, where approval is asked for, say whether the
   * call may be performed. A `deny` takes an approval back that was not used.
   */
  readonly decision: 'retry' | 'accept' | 'cancel' | 'approve' | 'deny';
  /** Why. */
  readonly reason: string;
  /** For `accept`: the recorded outcome; default an attestation without output. */
  readonly outcome?: JsonValue;
  /**
   * Whether the goal is gone on with right after. What it lacks for that (its model's key, its workspace) then refuses
   * the decision, which would stand otherwise. Default false.
   */
  readonly resumes?: boolean;
}

import type { JsonValue, ToolErrorCode, ToolOutcome } from '@millforge/contracts';
import type { CallRecord, ExecutedCall, RefusedCall } from '@millforge/registry';

/** What the log keeps of one call. */
export function callRecord({ outcome, trace }: ExecutedCall | RefusedCall): CallRecord {
  return Object.freeze({ outcome, trace });
}

/** The outcome that a refusal or a failure carries, or null when it came from elsewhere. */
export function recordedOutcome(data: JsonValue | undefined): ToolOutcome | null {
  if (typeof data !== 'object' || data === null || !('outcome' in data)) return null;
  const { outcome } = data;
  if (typeof outcome !== 'object' || outcome === null || !('certainty' in outcome)) return null;
  // Only `callRecord` puts an outcome there, and the log gives back what was recorded.
  return outcome as unknown as ToolOutcome;
}

/** An outcome for a call that the log, and not the executor, refused or failed. */
export function plainOutcome(
  status: 'not_executed' | 'hard_failure',
  error_code: ToolErrorCode,
  text: string,
): ToolOutcome {
  return {
    status,
    error_code,
    text,
    data: {},
    certainty: status === 'not_executed' ? 'not_attempted' : 'confirmed_absent',
    truncated: false,
    artifact_ids: [],
  };
}

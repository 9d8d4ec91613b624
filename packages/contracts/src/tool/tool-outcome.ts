import type { JsonObject } from '../json/json-value.ts';
import type { OutcomeImage } from '../model/image.ts';

/** How a call ended. `not_executed` means that it was refused before anything could happen. */
export type ToolStatus =
  | 'success'
  | 'soft_failure'
  | 'hard_failure'
  | 'not_executed'
  | 'cancelled'
  | 'timed_out';

/** What is known about the effect of a call. */
export type SideEffectCertainty =
  | 'not_attempted'
  | 'confirmed_absent'
  | 'confirmed_complete'
  | 'rolled_back'
  | 'completion_unknown';

/** Why a call did not succeed; a closed set that callers may branch on. */
export type ToolErrorCode =
  | 'invalid_arguments'
  | 'capability_denied'
  | 'policy_denied'
  | 'prerequisite_denied'
  | 'not_found'
  | 'conflict'
  | 'timeout'
  | 'cancelled'
  | 'terminal_intent_invalid'
  | 'binding_mismatch'
  | 'output_validation_failed'
  | 'implementation_error'
  | 'ambiguous_side_effect'
  | 'permission_denied'
  | 'io_error'
  | 'process_exit_nonzero'
  | 'process_launch_error';

/** What a call came to, as the model, the trail and a resumed run see it. */
export interface ToolOutcome {
  /** How it ended. */
  readonly status: ToolStatus;
  /** Why it did not succeed; null exactly when the status is `success`. */
  readonly error_code: ToolErrorCode | null;
  /** The text that the model reads; never blank. */
  readonly text: string;
  /** Structured result; valid against the descriptor's output schema on success. */
  readonly data: JsonObject;
  /** What is known about the effect. */
  readonly certainty: SideEffectCertainty;
  /** Whether text or data were cut to the descriptor's limits. */
  readonly truncated: boolean;
  /** Artifacts that the call produced, by artifact id. */
  readonly artifact_ids: readonly string[];
  /** What the model is shown beside the text; absent when there is nothing. */
  readonly images?: readonly OutcomeImage[];
}

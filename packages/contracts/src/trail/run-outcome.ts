import type { JsonValue } from '../json/json-value.ts';
import type { Usage } from './operation-log.ts';

/** How a run ended. */
export type RunStatus =
  | 'success'
  | 'blocked'
  | 'rejected'
  | 'failed'
  | 'budget_exhausted'
  | 'cancelled'
  | 'deadline';

/** What a terminal means for the caller. */
export type Disposition = 'success' | 'blocked' | 'rejected' | 'escalated' | 'failed';

/** Why a run did not reach a terminal. */
export type FailureClass =
  | 'iterations_exhausted'
  | 'validation_retries_exhausted'
  | 'tool_errors_exhausted'
  | 'prerequisite_violations_exhausted'
  | 'premature_terminals_exhausted'
  | 'input_tokens_exhausted'
  | 'output_tokens_exhausted'
  | 'cost_micros_exhausted'
  | 'tool_calls_exhausted'
  | 'wall_ms_exhausted'
  | 'context_exhausted'
  | 'deadline_expired'
  | 'cancelled'
  | 'model_failed'
  | 'model_unavailable'
  | 'tool_failed'
  | 'plan_invalid'
  | 'internal_error';

/** A structured result: asked for and given, or asked for and left out. `null` is a value, not an absence. */
export type SelectedOutput =
  | {
      /** The model gave none, and did not have to. */
      readonly present: false;
      /** Digest of the schema that was asked for. */
      readonly schema_sha256: string;
    }
  | {
      /** The model gave one. */
      readonly present: true;
      /** Digest of the schema that it matches. */
      readonly schema_sha256: string;
      /** The value. */
      readonly value: JsonValue;
    };

/** What a run had done when it ended without a terminal. */
export interface PartialWork {
  /** Plan nodes that succeeded, in the order of their first success. */
  readonly succeeded_node_ids: readonly string[];
  /** Artifacts that were produced, sorted. */
  readonly artifact_ids: readonly string[];
  /** What the model wrote last besides its calls, redacted. */
  readonly last_text: string | null;
}

/** The result of one execution of a plan; the durable task's output. */
export interface RunOutcome {
  /** Type of this document. */
  readonly kind: 'run_outcome';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** How it ended. */
  readonly status: RunStatus;
  /** Why it did not reach a terminal; null when it did. */
  readonly failure_class: FailureClass | null;
  /** One sentence about the failure; null when it reached a terminal. */
  readonly failure_message: string | null;
  /** Result of the terminal that was accepted. */
  readonly terminal_result: string | null;
  /** Plan node of that terminal. */
  readonly terminal_node_id: string | null;
  /** What that terminal means. */
  readonly disposition: Disposition | null;
  /** What the model said when it ended. */
  readonly summary: string | null;
  /** Structured result; null when none was asked for with this terminal. */
  readonly selected_output: SelectedOutput | null;
  /** What was done, of a run that reached no terminal; null of one that did. */
  readonly partial_work: PartialWork | null;
  /** Digest of the plan that ran. */
  readonly plan_sha256: string;
  /** Admitted model turns. */
  readonly turns: number;
  /** Sums over the run. */
  readonly usage: Usage;
}

/** Every disposition, for readers of documents. */
export const DISPOSITIONS: readonly Disposition[] = [
  'success',
  'blocked',
  'rejected',
  'escalated',
  'failed',
];

import type { JsonValue } from '../json/json-value.ts';
import type { Usage } from './operation-log.ts';
import type {
  Disposition,
  FailureClass,
  PartialWork,
  RunStatus,
  SelectedOutput,
} from './run-outcome.ts';

/** A question that only a person can answer; the run waits for it. */
export interface RunHold {
  /** Identifies the hold in its run. */
  readonly hold_id: string;
  /** Grows with the facts of the hold; a decision names the version it was made on. */
  readonly version: number;
  /** Stable reason: `ambiguous-operation`, `diverged`, `adapter-drift`, `resume-limit`, … */
  readonly reason: string;
  /** One sentence: what is in doubt and what the decisions would do. */
  readonly question: string;
  /** Decisions that this hold takes. */
  readonly decisions: readonly string[];
  /** When it opened, UTC with milliseconds. */
  readonly opened_at: string;
  /** Key of the operation in doubt; null when the doubt is about the whole attempt. */
  readonly operation: string | null;
  /** One line about that operation. */
  readonly describe: string | null;
  /** Input of that operation; its digest when it is sensitive. */
  readonly input: JsonValue;
  /** What looking at the world said. */
  readonly reconciliation: JsonValue;
  /** Whether the process that performed it still lives; null when nobody can tell. */
  readonly former_owner_alive: boolean | null;
  /** What `accept` takes as the recorded outcome, to be filled in by a person. */
  readonly outcome_template: JsonValue;
}

/** Units of a run: model turns. */
export interface RunBudget {
  /** Units that the run may use. */
  readonly limit: number;
  /** Units set aside for the attempt. */
  readonly reserved: number;
  /** Units used. */
  readonly used: number;
}

/** What a run came to, as the host and the command line hand it over. */
export interface RunResult {
  /** Type of this document. */
  readonly kind: 'run_result';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** The run; the same as its goal. */
  readonly run_id: string;
  /** How it ended; `held` for a person, `running` while a living process is at it, else `interrupted`, and resumable. */
  readonly status: RunStatus | 'held' | 'running' | 'interrupted';
  /** Why it did not reach a terminal. */
  readonly failure_class: FailureClass | null;
  /** One sentence about that. */
  readonly failure_message: string | null;
  /** Result of the accepted terminal. */
  readonly terminal_result: string | null;
  /** Plan node of that terminal. */
  readonly terminal_node_id: string | null;
  /** What that terminal means. */
  readonly disposition: Disposition | null;
  /** What the model said when it ended. */
  readonly summary: string | null;
  /** Structured result; null when none was asked for with this terminal. */
  readonly selected_output: SelectedOutput | null;
  /** What was done, of a run that ended without a terminal; null otherwise. */
  readonly partial_work: PartialWork | null;
  /** Digest of the plan. */
  readonly plan_sha256: string;
  /** Sums over the run. */
  readonly usage: Usage;
  /** Model turns. */
  readonly budget: RunBudget;
  /** The trail's file; null for a run that is kept in memory. */
  readonly trail_path: string | null;
  /** Open questions to a person. */
  readonly holds: readonly RunHold[];
}

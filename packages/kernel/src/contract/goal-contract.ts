import type { JsonObject, JsonValue, Usage } from '@millforge/contracts';

/** What is to be done, by what, within which bounds; frozen and digested at admission. */
export interface GoalContract {
  /** Type of this document. */
  readonly kind: 'goal_contract';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Name of the goal, unique in its tenant: 1 to 128 of `[a-z0-9._:-]`. */
  readonly goal_id: string;
  /** What is wanted, for people; at most 16 KiB. */
  readonly objective: string;
  /** Named JSON values that the tasks read; at most 1 MiB together. Default none. */
  readonly inputs?: JsonObject;
  /** The steps, 1 to 256, in order. Those that depend on nothing unfinished run at the same time. */
  readonly tasks: readonly TaskContract[];
  /** What happens where nobody can tell whether an effect happened; default `hold`. */
  readonly on_ambiguous?: 'hold' | 'retry';
  /** Checks that must pass: those of `verify` tasks, or `terminal-outcome`. At least one unless `unchecked`. */
  readonly required_checks?: readonly string[];
  /** Says that no check is required; shown in every listing. Default false. */
  readonly unchecked?: boolean;
  /** Terminal results that `terminal-outcome` accepts; needed by that check. */
  readonly legal_terminal_results?: readonly string[];
  /** Bounds of the whole goal. */
  readonly limits?: {
    /** Units that all attempts together may reserve and settle; default what all attempts need. */
    readonly units?: number;
    /** Milliseconds under a lease, over all attempts; default unbounded. */
    readonly wall_ms?: number;
    /** Bytes of artifacts that the goal may save; default unbounded. */
    readonly artifact_bytes?: number;
  };
  /**
   * Bounds on what was observed to be used, over all operations of the goal; default unbounded.
   *
   * An operation that could pass one is refused with `budget-exhausted` before it is performed.
   */
  readonly observed_limits?: Usage;
  /** At most 16 short text pairs that are never interpreted. Default none. */
  readonly labels?: { readonly [name: string]: string };
}

/** One step of a goal, bound to one adapter. */
export interface TaskContract {
  /** Name of the task, unique in its goal: 1 to 128 of `[a-z0-9._:-]`. */
  readonly task_id: string;
  /** The adapter that performs it; the same parameters are needed at every start. */
  readonly adapter: AdapterBinding;
  /**
   * What an interruption puts in doubt; default `attempt`.
   *
   * With `operation` the adapter reaches the outside through `perform` only, and goes on where it was.
   */
  readonly doubt?: 'attempt' | 'operation';
  /** The strongest thing its operations may do. */
  readonly effect: 'none' | 'read' | 'write' | 'external';
  /** Whether the task as a whole may be repeated; default `unsafe`. */
  readonly repeat?: 'safe' | 'keyed' | 'unsafe';
  /** Earlier tasks whose outputs it needs; it is skipped when one of them failed or was skipped. Default none. */
  readonly depends_on?: readonly string[];
  /** An earlier `verify` task; this one is skipped unless that gave the verdict. Default none. */
  readonly only_after?: VerdictCondition;
  /** For a `verify` task: the check that it decides, the last one that ran counts; default its own name. */
  readonly check?: string;
  /** Units that one attempt reserves; default 1. */
  readonly units?: number;
  /** Attempts, 1 to 16; default 1. Interruptions do not count. */
  readonly max_attempts?: number;
  /** Crashes of one attempt before a person is asked; default 20. */
  readonly max_resumes?: number;
  /** Milliseconds that a silent owner keeps the attempt, 1 s to 24 h; default 60 s. */
  readonly lease_ms?: number;
  /** Milliseconds of one attempt under a lease, 1 s to 24 h; default 10 min. */
  readonly timeout_ms?: number;
  /** Whether the goal may succeed without it; default false. */
  readonly optional?: boolean;
}

/** What an earlier check must have said for a task to run. */
export interface VerdictCondition {
  /** Name of the earlier `verify` task. */
  readonly task: string;
  /** The verdict that is waited for. */
  readonly verdict: 'pass' | 'fail';
}

/** Names an adapter exactly, so that a changed one is noticed. */
export interface AdapterBinding {
  /** What the adapter is. */
  readonly kind: 'model' | 'tool' | 'verify';
  /** Its name. */
  readonly name: string;
  /** Changes when replay would. */
  readonly version: string;
  /** What its behaviour depends on, as digests: plan, model profile, descriptors. */
  readonly parameters: JsonValue;
}

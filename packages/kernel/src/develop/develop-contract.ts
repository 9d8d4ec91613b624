import type { Usage } from '@millforge/contracts';

/** What a bounded development is to reach, where it may write, how it is judged, and what it may cost. */
export interface DevelopContract {
  /** Type of this document. */
  readonly kind: 'develop_contract';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Name of the goal: 1 to 128 of `[a-z0-9._:-]`. */
  readonly goal_id: string;
  /** What is wanted, as the model is told it; at most 16 KiB. */
  readonly objective: string;
  /** What the result is held to; 1 to 64. */
  readonly criteria: readonly DevelopCriterion[];
  /** Rounds of phases, 1 to 3; a round is only begun when the one before did not pass. Default 1. */
  readonly rounds?: number;
  /** Phases of a round besides `build`, `verify` and `health`, which every round has; default all three. */
  readonly phases?: readonly OptionalPhase[];
  /**
   * Where `build` may write: a rule is a path and all below it, with `*` in a part and a leading `**` + `/`.
   * Default everywhere, which is `**`.
   */
  readonly allowed_paths?: readonly string[];
  /** Rules for what is no part of the candidate; `.git` never is. Default none. */
  readonly ignore?: readonly string[];
  /**
   * Whether a `build` that is repeated as a whole starts from the tree before it; else a person is asked.
   * Default true.
   */
  readonly restore?: boolean;
  /** Bounds of the whole development. */
  readonly limits?: {
    /** Milliseconds of work over all phases; default unbounded. */
    readonly wall_ms?: number;
    /** Milliseconds of one phase, 1 s to 24 h; default 30 min. */
    readonly phase_ms?: number;
    /** Bytes of captured files and patches; default unbounded. */
    readonly artifact_bytes?: number;
  };
  /** Bounds on what all operations together were observed to use; default unbounded. */
  readonly observed_limits?: Usage;
  /** At most 16 short text pairs that are never interpreted. Default none. */
  readonly labels?: { readonly [name: string]: string };
}

/** One thing that the result is held to: a command that ends with 0 on a copy of the candidate. */
export interface DevelopCriterion {
  /** Its name, unique in the contract: 1 to 128 of `[a-z0-9._:-]`. */
  readonly name: string;
  /** What it asks for, in words; at most 4 KiB. */
  readonly text: string;
  /**
   * Program and arguments, without a shell; it is run in a copy of the candidate. `{checks}` stands for the
   * copy of the protected checks.
   */
  readonly command: readonly string[];
  /** Whether the model is told nothing of it, not even its name. Default false. */
  readonly hidden?: boolean;
  /** Milliseconds after which it counts as failed, 1 s to 24 h; default 10 min. */
  readonly timeout_ms?: number;
}

/** A phase that a contract may leave out. */
export type OptionalPhase = 'plan' | 'research' | 'debug';

/** A phase that a worker performs. */
export type WorkPhase = OptionalPhase | 'build';

/** A contract with every default filled in. */
export type CompleteDevelopContract = Required<
  Omit<DevelopContract, 'criteria' | 'limits' | 'observed_limits'>
> & {
  readonly criteria: readonly Required<DevelopCriterion>[];
  readonly limits: {
    readonly wall_ms: number | null;
    readonly phase_ms: number;
    readonly artifact_bytes: number | null;
  };
  readonly observed_limits: Usage | null;
};

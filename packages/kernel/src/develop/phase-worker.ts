import type { JsonValue, OperationEffect, OperationLog, TrailSink } from '@millforge/contracts';
import type { WorkPhase } from './develop-contract.ts';

/** Host code that performs one of the phases `plan`, `research`, `build` and `debug`. */
export interface PhaseWorker {
  /** What it is. */
  readonly kind: 'model' | 'tool';
  /** Its name. */
  readonly name: string;
  /** Changes when replay would. */
  readonly version: string;
  /** What its behaviour depends on; the same is needed at every start. */
  readonly parameters: JsonValue;
  /**
   * What an interruption puts in doubt; default `operation`: it reaches the outside through `operations` only and
   * goes on where it was. With `attempt` the whole phase is repeated.
   */
  readonly doubt?: 'attempt' | 'operation';
  /** The strongest thing its operations may do; default `write` in `build`, else `read`. */
  readonly effect?: OperationEffect;
  /** Performs the phase in `context.directory`; `operationFailed` fails the development. */
  run(context: PhaseContext): Promise<PhaseReport>;
}

/** What a phase is given. Nothing in it tells of hidden criteria or of the protected checks. */
export interface PhaseContext {
  /** Name of the goal. */
  readonly goalId: string;
  /** The phase. */
  readonly phase: WorkPhase;
  /** The round, from 1. */
  readonly round: number;
  /** Number of rounds that there may be. */
  readonly rounds: number;
  /** What is wanted. */
  readonly objective: string;
  /** The criteria that it may know of. */
  readonly criteria: readonly {
    /** Name. */
    readonly name: string;
    /** What it asks for. */
    readonly text: string;
  }[];
  /** Absolute path of the candidate: a work copy, never the tree that was handed in. */
  readonly directory: string;
  /** Whether the phase may change the candidate. */
  readonly mayWrite: boolean;
  /** Rules for where it may. */
  readonly allowedPaths: readonly string[];
  /** What the phases before it in this round reported, in their order. */
  readonly reports: readonly (PhaseReport & {
    /** The phase. */
    readonly phase: WorkPhase;
  })[];
  /** What the round before fell short of; null in the first round. */
  readonly shortfall: Shortfall | null;
  /** Durable operations; interrupted, the phase goes on behind what is recorded. */
  readonly operations: OperationLog;
  /** Keeps decisions that are no operation. */
  readonly trail: TrailSink;
  /** Wall-clock time, in milliseconds since the epoch, from which live operations are refused. */
  readonly deadline: number;
  /** Aborts when the phase must stop. */
  readonly signal: AbortSignal;
}

/** What a phase says of itself. */
export interface PhaseReport {
  /** What was found or done, in words, for the phases that follow; at most 64 KiB. */
  readonly summary: string;
  /** The same for programs; at most 256 KiB. Default null. */
  readonly data?: JsonValue;
}

/** What a round fell short of, as far as the model may know. */
export interface Shortfall {
  /** Criteria that failed. */
  readonly failed: readonly {
    /** Name. */
    readonly name: string;
    /** Exit code; null when it was ended. */
    readonly exit_code: number | null;
    /** Whether its time was over. */
    readonly timed_out: boolean;
    /** End of what it wrote; null where that would tell of hidden criteria. */
    readonly output: string | null;
  }[];
  /** Number of hidden criteria that failed. */
  readonly hidden_failed: number;
}

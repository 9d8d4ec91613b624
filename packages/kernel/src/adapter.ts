import type {
  ArtifactRef,
  JsonObject,
  JsonValue,
  OperationLog,
  Reconciliation,
  TrailSink,
} from '@millforge/contracts';
import type { VerifiedResult } from './verified-result.ts';

/** Host code that performs a task. */
export type Adapter = WorkAdapter | VerifyAdapter;

/** What every adapter says of itself. */
export interface AdapterIdentity {
  /** Name that contracts use. */
  readonly name: string;
  /** Changes when replay would. */
  readonly version: string;
  /** What its behaviour depends on, equal to the parameters of the contract. */
  readonly parameters: JsonValue;
}

/** Host code that does work, with a model or without. */
export interface WorkAdapter extends AdapterIdentity {
  /** What it is. */
  readonly kind: 'model' | 'tool';
  /**
   * Performs the task and returns its output, at most 1 MiB of JSON.
   *
   * With `doubt: operation` it is, between operations, a function of the context and of recorded outcomes
   * only. It lets `operation/suspended` pass. `operationFailed` says that it failed and had no effect that
   * is not recorded; anything else that it throws leaves an attempt with an effect in doubt.
   */
  run(context: TaskContext): Promise<JsonValue>;
  /** Finds out whether an attempt in doubt happened, and with what output. One that throws means `unknown`. */
  reconcile?(context: AttemptReconcileContext): Promise<Reconciliation>;
}

/** Host code that decides a check; the only thing that can. */
export interface VerifyAdapter extends AdapterIdentity {
  /** What it is. */
  readonly kind: 'verify';
  /**
   * Looks, and returns what `context.verdict` gave it.
   *
   * Anything else, a look-alike of a verdict included, is a failed attempt; after the last a person is asked.
   */
  run(context: VerifyContext): Promise<VerifiedResult>;
}

/** What one attempt of a task is given; its operations are durable. */
export interface TaskContext extends OperationLog {
  /** Name of the goal. */
  readonly goalId: string;
  /** Name of the task. */
  readonly taskId: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Objective of the contract. */
  readonly objective: string;
  /** Inputs of the contract, frozen. */
  readonly inputs: JsonObject;
  /** Outputs of the tasks that this one depends on, by name, frozen. */
  readonly outputs: JsonObject;
  /** Key for the receiver of the attempt as a whole: the same for every repeat in doubt. */
  readonly idempotencyKey: string;
  /** Wall-clock time, in milliseconds since the epoch, from which live operations are refused. */
  readonly deadline: number;
  /** Appends a decision to the trail, once per key, in the transaction of the next operation. */
  readonly log: TrailSink['append'];
  /** Stores bytes for this goal, within its limit of artifact bytes. */
  saveArtifact(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options: { readonly mediaType: string; readonly maxBytes: number },
  ): Promise<ArtifactRef>;
}

/** What a verify task is given. */
export interface VerifyContext extends TaskContext {
  /**
   * Makes the verdict that `run` returns, bound to this goal, contract, check and input.
   *
   * @throws `kernel/operation-invalid` when the evidence is no JSON of at most 256 KiB.
   */
  readonly verdict: (
    kind: 'pass' | 'fail',
    options: { readonly evidence: JsonValue },
  ) => VerifiedResult;
}

/** What an adapter is given to find out about an attempt in doubt. */
export interface AttemptReconcileContext {
  /** Name of the goal. */
  readonly goalId: string;
  /** Name of the task. */
  readonly taskId: string;
  /** Inputs of the contract, frozen. */
  readonly inputs: JsonObject;
  /** Outputs of the tasks that this one depends on, frozen. */
  readonly outputs: JsonObject;
  /** Key that the attempt in doubt carried. */
  readonly idempotencyKey: string;
  /** Aborts when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

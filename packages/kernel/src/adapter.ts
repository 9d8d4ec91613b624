import type {
  ArtifactRef,
  JsonObject,
  JsonValue,
  OperationLog,
  TrailSink,
} from '@millforge/contracts';

/** Host code that performs a task. */
export interface Adapter {
  /** What it is. */
  readonly kind: 'model';
  /** Name that contracts use. */
  readonly name: string;
  /** Changes when replay would. */
  readonly version: string;
  /** What its behaviour depends on, equal to the parameters of the contract. */
  readonly parameters: JsonValue;
  /**
   * Performs the task and returns its output, at most 1 MiB of JSON.
   *
   * Between operations it is a function of the context and of recorded outcomes only. It lets
   * `operation/suspended` pass. Anything else that it throws fails the attempt.
   */
  run(context: TaskContext): Promise<JsonValue>;
}

/** What one attempt of a task is given; its operations are durable. */
export interface TaskContext extends OperationLog {
  /** Name of the goal. */
  readonly goalId: string;
  /** Name of the task. */
  readonly taskId: string;
  /** Objective of the contract. */
  readonly objective: string;
  /** Inputs of the contract, frozen. */
  readonly inputs: JsonObject;
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

import { MillforgeError } from '../error/millforge-error.ts';
import type { JsonValue } from '../json/json-value.ts';

/** What an operation may do to the outside. */
export type OperationEffect = 'none' | 'read' | 'write' | 'external';

/** Whether an operation may be performed again: freely, under the same key, or not. */
export type OperationRepeat = 'safe' | 'keyed' | 'unsafe';

/** What was observed to be used by one operation. */
export interface Usage {
  /** Tokens read. */
  readonly input_tokens?: number;
  /** Tokens written. */
  readonly output_tokens?: number;
  /** Cost in millionths of the currency unit. */
  readonly cost_micros?: number;
  /** Tool calls. */
  readonly tool_calls?: number;
  /** Wall-clock milliseconds. */
  readonly wall_ms?: number;
}

/** One exchange with the outside, named so that a resumed run recognises it. */
export interface Operation<T extends JsonValue = JsonValue> {
  /** Unique in the task: `model/7`, `tool/7/2` (step, then place in the reply). */
  readonly key: string;
  /** Never decreases; the operations of one step end before the next begins. */
  readonly step: number;
  /** What is spoken to. */
  readonly kind: 'model' | 'tool' | 'read';
  /** Name of what is spoken to, such as a tool's, for whoever watches; never content, and not compared by replay. */
  readonly subject?: string;
  /** The strongest thing it may do. */
  readonly effect: OperationEffect;
  /** Whether it may be performed again. */
  readonly repeat: OperationRepeat;
  /** Whether it costs something, so that it is admitted before it is performed. */
  readonly metered: boolean;
  /** The most that one performance can use, as far as it is known; counted against what a goal may use. */
  readonly usageBound?: Usage;
  /** What replay must ask for again, byte for byte. Only what is new when `extends` is given. */
  readonly input: JsonValue;
  /** Key of an earlier operation whose input this one continues; the digests are chained. */
  readonly extends?: string;
  /** Whether the input may not be shown to a person. */
  readonly sensitive?: boolean;
  /** One line for a person: `edit src/sum.js`. */
  readonly describe: string;
  /**
   * Looks at the world before a live performance; never called on replay. What it returns is kept as
   * evidence; a refusal that it throws (`operationRefused`) is recorded as the outcome. Where there is
   * nothing to look at, `null` comes without a promise.
   */
  readonly before?: (signal: AbortSignal) => Promise<JsonValue | null> | null;
  /** Finds out whether an interrupted performance happened. One that throws means `unknown`. */
  readonly reconcile?: (context: ReconcileContext) => Promise<Reconciliation<T>>;
  /** Milliseconds after its first admission during which a receiver honours the key; default 24 h. */
  readonly keyTtlMs?: number;
}

/** What `reconcile` is given: the key, and the evidence that `before` left. */
export interface ReconcileContext {
  /** Key that the interrupted performance carried. */
  readonly idempotencyKey: string;
  /** Evidence recorded at admission. */
  readonly before: JsonValue | null;
  /** Aborts when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** What looking says about an interrupted operation. */
export type Reconciliation<T extends JsonValue = JsonValue> =
  | {
      readonly kind: 'happened';
      /** What the act would have answered. */
      readonly value: T;
      /** What was seen. */
      readonly evidence?: JsonValue;
    }
  | {
      /** `not-happened` also says that it cannot happen any more. */
      readonly kind: 'not-happened' | 'unknown';
      /** What was seen. */
      readonly evidence?: JsonValue;
    };

/** What the act of an operation is given. */
export interface ActContext {
  /** Aborts on stop, deadline and lost lease. */
  readonly signal: AbortSignal;
  /** The same for every repeat in doubt. */
  readonly idempotencyKey: string;
}

/** What the act of an operation answers. */
export interface ActResult<T extends JsonValue> {
  /** The outcome, redacted. */
  readonly value: T;
  /** What was used. */
  readonly usage?: Usage;
  /** Evidence of the state afterwards. */
  readonly after?: JsonValue;
  /** Whether `value` is known to be JSON that is frozen to its leaves; a log that keeps it in memory need not look. */
  readonly isFrozen?: boolean;
}

/** A recorded failure: it is known that nothing more will come of it. */
export interface Failure {
  /** Stable reason. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** Details. */
  readonly data?: JsonValue;
}

/** A recorded refusal: the operation was not performed. */
export interface Refusal {
  /** Stable reason: `deadline`, `budget-exhausted`, `denied`, or what `before` gave. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** Details. */
  readonly data?: JsonValue;
}

/** How an operation came out; what was recorded is returned, live as replayed. */
export type OperationOutcome<T extends JsonValue = JsonValue> =
  | {
      readonly kind: 'done';
      /** What the act answered. */
      readonly value: T;
      /** Whether it comes from the record, without an act. */
      readonly replayed: boolean;
    }
  | {
      readonly kind: 'failed';
      /** Why. */
      readonly error: Failure;
      /** Whether it comes from the record, without an act. */
      readonly replayed: boolean;
    }
  | {
      readonly kind: 'refused';
      /** Why. */
      readonly reason: Refusal;
      /** Whether it comes from the record, without an act. */
      readonly replayed: boolean;
    };

/** Records every exchange with the outside, so that an interrupted run goes on where it was. */
export interface OperationLog {
  /** Aborts when the run must stop, whatever the reason. */
  readonly signal: AbortSignal;
  /** An identifier derived from the task and `key`: the same on every replay. */
  newId(key: string): string;
  /**
   * Whether the outcome of an operation was recorded before, so that a run which performs it only
   * when there is something to do knows that there was. A log without this method cannot say.
   */
  isRecorded?(key: string): boolean;
  /**
   * Performs an operation, or gives its recorded outcome without performing it. Resolves when the
   * record is durable. Rejects with `operation/suspended` when the run must stop here; an operation
   * that differs from the recorded one holds a durable run, and a log without holds rejects it with
   * `operation/diverged`.
   */
  perform<T extends JsonValue>(
    operation: Operation<T>,
    act: (context: ActContext) => Promise<ActResult<T>>,
  ): Promise<OperationOutcome<T>>;
}

/** Decisions of a run that are no operation: re-ask, repair, refusal, compaction. */
export interface TrailSink {
  /** Appends once per key; the same key with other data is a divergence. */
  append(entry: {
    /** Unique in the task: `re-ask/7`. */
    readonly key: string;
    /** The step that it belongs to. */
    readonly step: number;
    /** What was decided, noun-verb. */
    readonly type: string;
    /** Details, redacted. */
    readonly data: JsonValue;
  }): void;
}

/** Thrown by an act that knows that it failed and that no effect is to come. */
export function operationFailed(failure: Failure, cause?: unknown): MillforgeError {
  return signalled('operation/failed', failure, cause);
}

/** Thrown by an act that cannot say whether its effect happened. */
export function operationUncertain(failure: Failure, cause?: unknown): MillforgeError {
  return signalled('operation/uncertain', failure, cause);
}

/** Thrown by `before` to record a refusal. */
export function operationRefused(refusal: Refusal): MillforgeError {
  return signalled('operation/refused', refusal);
}

/** Thrown by an act whose other side cannot be reached: nothing is recorded and the run suspends. */
export function operationUnavailable(failure: Failure, cause?: unknown): MillforgeError {
  return signalled('operation/unavailable', failure, cause);
}

/**
 * Thrown by an act without effect that waits for a person: a log that keeps its record opens a hold, whose
 * answer becomes the outcome; any other records a failure. `for` is the operation that the answer is about.
 */
export function operationHeld(
  failure: Failure & {
    readonly data: { readonly for: string; readonly expires_after_seconds: number };
  },
): MillforgeError {
  return signalled('operation/held', failure);
}

/** What `perform` rejects with when the run must stop here; `reason` says why. */
export function operationSuspended(reason: SuspendReason, failure?: Failure): MillforgeError {
  return new MillforgeError('operation/suspended', `The run is suspended (${reason}).`, {
    details: failure === undefined ? { reason } : { reason, failure: plain(failure) },
  });
}

/** Why a run was suspended. */
export type SuspendReason = 'stopped' | 'held' | 'lease-lost' | 'unavailable' | 'cancelled';

function signalled(code: string, what: Failure | Refusal, cause?: unknown): MillforgeError {
  return new MillforgeError(code, what.message, {
    details: plain(what),
    ...(cause === undefined ? {} : { cause }),
  });
}

function plain(what: Failure | Refusal): JsonValue {
  return what.data === undefined
    ? { code: what.code, message: what.message }
    : { code: what.code, message: what.message, data: what.data };
}

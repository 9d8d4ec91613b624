import type { JsonObject, JsonValue } from '../json/json-value.ts';
import type { ToolImage } from '../model/image.ts';
import type { Clock } from '../time/clock.ts';
import type { ToolApproval } from './tool-approval.ts';
import type { ToolDescriptor, ToolOrigin } from './tool-descriptor.ts';
import type { SideEffectCertainty, ToolErrorCode } from './tool-outcome.ts';

/** What every stage of a call is told; supplied by the runtime, never by the model. */
export interface ToolContext {
  /** The run that the call belongs to. */
  readonly runId: string;
  /** Identifies the call inside the run. */
  readonly callId: string;
  /** Absolute path of the workspace, or null for a run without one. */
  readonly workspace: string | null;
}

/** What a stage that touches the world is given besides. */
export interface LiveToolContext extends ToolContext {
  /** Aborts on stop, deadline and the tool's own time limit. */
  readonly signal: AbortSignal;
  /** Time. */
  readonly clock: Clock;
}

/** What `run` is given besides. */
export interface ToolRunContext extends LiveToolContext {
  /** Stays the same when the call is repeated in doubt; pass it to a receiver that deduplicates. */
  readonly idempotencyKey: string;
  /** Takes what a long call would answer so far. Each time the whole text; absent where nobody watches. */
  readonly onUpdate?: (text: string) => void;
}

/** A refusal before any effect, worded for the model. */
export interface ToolRefusal {
  /** Tells a refusal from a prepared call. */
  readonly kind: 'refused';
  /** Why. */
  readonly code: ToolErrorCode;
  /** One sentence: what is wrong, what was expected, what to do. */
  readonly message: string;
}

/**
 * What the code of a tool answers. Where the output schema has a type of its own, `data` is required.
 */
export type ToolResult<Data extends object = JsonObject> =
  | ({
      readonly kind: 'done';
      /** The text that the model reads; default the data as JSON. */
      readonly text?: string;
      /** What the model is shown beside the text; at most 16, and 32 Mi characters of Base64 in all. */
      readonly images?: readonly ToolImage[];
      /** Artifacts produced, by artifact id; only those that the descriptor names. */
      readonly artifactIds?: readonly string[];
      /** Evidence of the state afterwards, kept in the trail. */
      readonly after?: JsonValue;
      /** Whether the text leaves something out. */
      readonly truncated?: boolean;
    } & (JsonObject extends Data
      ? {
          /** Structured result, valid against the output schema; default empty. */
          readonly data?: Data;
        }
      : {
          /** Structured result, valid against the output schema. */
          readonly data: Data;
        }))
  | {
      readonly kind: 'failed';
      /** Why. */
      readonly code: ToolErrorCode;
      /** The text that the model reads. */
      readonly text: string;
      /** Structured details; default empty. */
      readonly data?: JsonObject;
      /** What is known about the effect; default `confirmed_absent`. */
      readonly certainty?: SideEffectCertainty;
      /** Evidence of the state afterwards, kept in the trail. */
      readonly after?: JsonValue;
    };

/** A call that has looked at the world and may now act; it may hold locks until it is disposed of. */
export interface PreparedTool<Data extends object = JsonObject> {
  /** Tells a prepared call from a refusal. */
  readonly kind: 'prepared';
  /** Evidence of the state before, recorded before `run`; `reconcile` gets nothing else after a crash. */
  readonly before: JsonValue | null;
  /** Acts, once. */
  run(context: ToolRunContext): Promise<ToolResult<Data>>;
  /** Frees what `prepare` took; called exactly once, also when `run` was never called. */
  dispose?(): Promise<void>;
}

/** What looking at the world afterwards says about an interrupted call. */
export type ToolReconciliation<Data extends object = JsonObject> =
  | {
      readonly kind: 'happened';
      /** What the call would have answered. */
      readonly result: ToolResult<Data>;
    }
  | {
      /** `not-happened` also says that it cannot happen any more. */
      readonly kind: 'not-happened' | 'unknown';
      /** What was seen. */
      readonly evidence?: JsonValue;
    };

/** What `reconcile` is given: all that survives a crash. */
export interface ToolReconcileContext extends LiveToolContext {
  /** The key that the interrupted call carried. */
  readonly idempotencyKey: string;
  /** The evidence that `prepare` left. */
  readonly before: JsonValue | null;
}

/** What a call would reach; of a kind that is absent nothing is said. */
export interface ToolReach {
  /** Paths, absolute or relative to the workspace; one that ends in `/` stands for all below it too. */
  readonly paths?: readonly string[];
  /** Names of hosts, without a port. */
  readonly hosts?: readonly string[];
  /** Exact texts of commands. */
  readonly commands?: readonly string[];
  /** Bytes that the call moves. */
  readonly bytes?: number;
}

/** The code behind a tool. Arguments are valid against the input schema at every stage. */
export interface ToolImplementation {
  /** Pure refusals beyond the schema; runs again on every replay, so it may not look at the world. */
  check?(input: JsonObject, context: ToolContext): ToolRefusal | null;
  /**
   * Words for the model why arguments do not fit the schema; null leaves that to the house. Pure. These are
   * the one arguments that are not valid.
   */
  explainArguments?(input: JsonValue): string | null;
  /**
   * Says what a call would reach. Pure. Calls that use a capability with constraints are refused
   * without it.
   */
  reach?(input: JsonObject, context: ToolContext): ToolReach;
  /**
   * Looks at the world, takes locks, and refuses or hands over the act. Has no effect. What needs no look
   * answers at once, without a promise.
   */
  prepare(
    input: JsonObject,
    context: LiveToolContext,
  ): Promise<PreparedTool | ToolRefusal> | PreparedTool | ToolRefusal;
  /** Finds out whether an interrupted call happened; absent means that nobody can tell. */
  reconcile?(input: JsonObject, context: ToolReconcileContext): Promise<ToolReconciliation>;
}

/** A tool complete: what it is, where it comes from, and the code behind it. */
export interface Tool {
  /** What it is. */
  readonly descriptor: ToolDescriptor;
  /** Where it comes from. */
  readonly origin: ToolOrigin;
  /** The code behind it. */
  readonly implementation: ToolImplementation;
  /** Whether somebody has to agree to every call; default `none`. In no digest. */
  readonly approval?: ToolApproval;
}

import type {
  ApprovalDecision,
  CapabilityGrant,
  JsonObject,
  JsonValue,
  OperationEffect,
  OperationRepeat,
  ReconcileContext,
  Reconciliation,
  ToolErrorCode,
  ToolOutcome,
} from '@millforge/contracts';
import type { ApprovalRequest } from './approval-request.ts';
import type { ToolTraceRecord, TraceBinding } from './tool-trace-record.ts';

/** The boundary between a plan and the code of its tools. */
export interface ToolExecutor {
  /** Whether the plan offers that name and its binding stands. */
  supportsTool(name: string): boolean;
  /**
   * Admits or refuses one call. Pure, so a replay may repeat it, and total: every input, however
   * malformed, gives one answer.
   */
  check(call: RequestedCall, context: CallContext): CheckedCall | RefusedCall;
}

/** A call as the model asked for it. */
export interface RequestedCall {
  /** Name of the tool as the model wrote it. */
  readonly name: string;
  /** Identifies the call in the run. */
  readonly callId: string;
  /** Arguments, decoded; anything that is not a JSON object is refused. */
  readonly arguments: unknown;
}

/** What the runtime vouches for; nothing here comes from the model. */
export interface CallContext {
  /** The run that the call belongs to. */
  readonly runId: string;
  /** Model turn, from 1. */
  readonly turn: number;
  /** Absolute path of the workspace, or null for a run without one. */
  readonly workspace: string | null;
  /** Capabilities that the run was granted, by id; as an object where a grant goes only so far. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** Decisions about the node's prerequisites; one that is missing counts as not satisfied. */
  readonly prerequisites: readonly PrerequisiteDecision[];
}

/** Whether an earlier success satisfies one prerequisite of the called node. */
export interface PrerequisiteDecision {
  /** The earlier node. */
  readonly node_id: string;
  /** Whether it succeeded, with the arguments that must agree. */
  readonly satisfied: boolean;
}

/** A call that may go ahead. Nothing has been looked at and nothing has happened. */
export interface CheckedCall {
  /** Tells an admitted call from a refusal. */
  readonly kind: 'checked';
  /** Node of the plan. */
  readonly nodeId: string;
  /** The exact tool. */
  readonly binding: TraceBinding;
  /** What the call may do to the outside. */
  readonly effect: OperationEffect;
  /** Whether it may be performed again. */
  readonly repeat: OperationRepeat;
  /** Arguments, valid against the node's schema, frozen. */
  readonly input: JsonObject;
  /** Digest of `input`, as the trace has it; null for arguments without one. */
  readonly inputSha256: string | null;
  /** Result that the run ends with when the call succeeds; null for an ordinary tool. */
  readonly terminalResult: string | null;
  /** What somebody has to agree to before the call is prepared; null when nobody has to, or did. */
  readonly approval: ApprovalRequest | null;
  /**
   * Takes the answer to `approval`. Pure; only an approval of exactly this call goes ahead, once and until
   * it expires.
   */
  approve(decision: ApprovalDecision): CheckedCall | RefusedCall;
  /** Refuses the call although nothing here is against it: the loop knows more, and every call has one record. Pure. */
  refuse(reason: {
    /** Why. */
    readonly code: ToolErrorCode;
    /** What the model reads. */
    readonly message: string;
  }): RefusedCall;
  /**
   * Looks at the world, live only. Never throws; the refusal is what a replay must see again. Where there is
   * nothing to look at, the answer comes without a promise.
   */
  prepare(live: {
    readonly signal: AbortSignal;
  }): Promise<PreparedCall | RefusedCall> | PreparedCall | RefusedCall;
  /** Finds out whether an interrupted call happened; absent when nobody can tell. Never throws. */
  reconcile?(context: ReconcileContext): Promise<Reconciliation<CallRecord>>;
}

/** A call that has looked at the world; dispose of it, whether it was run or not. */
export interface PreparedCall extends AsyncDisposable {
  /** Tells a prepared call from a refusal. */
  readonly kind: 'prepared';
  /** Evidence of the state before; all that `reconcile` gets after a crash. */
  readonly before: JsonValue | null;
  /**
   * Acts, once, inside the tool's time limit. Failures of the tool are outcomes.
   *
   * @throws `registry/call-spent` when the call was run before.
   */
  run(context: CallRun): Promise<ExecutedCall>;
}

/** How a call is run. */
export interface CallRun {
  /** Stops it. */
  readonly signal: AbortSignal;
  /** Stays the same when the call is repeated in doubt. */
  readonly idempotencyKey: string;
  /** Takes what a long call would answer so far. Redacted, for whoever watches; nothing of it is recorded. */
  readonly onUpdate?: (text: string) => void;
}

/** What a call that ran came to. */
export interface ExecutedCall {
  /** What the model and a resumed run see. */
  readonly outcome: ToolOutcome;
  /** What the trail keeps. */
  readonly trace: ToolTraceRecord;
  /** Evidence of the state afterwards. */
  readonly after?: JsonValue;
  /** Whether outcome and trace are known to be JSON that is frozen to its leaves. */
  readonly isFrozen?: boolean;
}

/** A call that was refused before it could have any effect. */
export interface RefusedCall {
  /** Tells a refusal from an admitted call. */
  readonly kind: 'refused';
  /** What the model sees; its certainty is `not_attempted`. */
  readonly outcome: ToolOutcome;
  /** What the trail keeps; holds no times, so that a replay makes the same one. */
  readonly trace: ToolTraceRecord;
  /** What the tool itself says of arguments that do not fit its schema, redacted as its texts are; absent without that. */
  readonly toolWords?: string;
  /** Whether the model can do better by asking again in another way. */
  readonly correctable: boolean;
}

/** What a durable log records of one call. */
export type CallRecord = AsJson<{
  /** What the model and a resumed run see. */
  readonly outcome: ToolOutcome;
  /** What the trail keeps; null for a call that nobody saw and a person attests. */
  readonly trace: ToolTraceRecord | null;
}>;

/** The fields of an interface as JSON: interfaces have no index signature, mapped types do. */
export type AsJson<T> = T extends JsonValue ? T : { readonly [K in keyof T]: AsJson<T[K]> };

import type {
  Failure,
  FailureClass,
  JsonObject,
  JsonValue,
  OperationEffect,
  OperationRepeat,
  Usage,
} from '@millforge/contracts';

/** State of a goal; `completed`, `failed` and `cancelled` are final. */
export type GoalState =
  | 'ready'
  | 'running'
  | 'checking'
  | 'held'
  | 'completed'
  | 'failed'
  | 'cancelled';

/** One goal in a listing. */
export interface GoalSummary {
  /** Name of the goal. */
  readonly goal_id: string;
  /** State; `running` from the first attempt to the last, whether or not a process is at it. */
  readonly state: GoalState;
  /** Whether a process that lives works on it at the moment of reading. */
  readonly is_running: boolean;
  /** Grows with every change of the goal's state. */
  readonly version: number;
  /** First line of the objective, at most 120 characters. */
  readonly title: string;
  /** Whether no check was required. */
  readonly unchecked: boolean;
  /** Holds that nobody has decided. */
  readonly open_holds: number;
  /** Operations with an effect that a cancellation left unknown, and publications without a known end. */
  readonly effects_unknown: number;
  /** UTC time of admission. */
  readonly created_at: string;
  /** UTC time of the last trail record. */
  readonly updated_at: string;
  /** Text pairs of the contract. */
  readonly labels: { readonly [name: string]: string };
}

/** One goal with all that a person or a program needs to go on. */
export interface GoalView extends GoalSummary {
  /** Type of this document. */
  readonly kind: 'goal';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Random name that no other goal of any tenant has. */
  readonly goal_uid: string;
  /** What is wanted. */
  readonly objective: string;
  /** What the host worked on when it admitted the goal. */
  readonly resource: string;
  /** Who admitted it. */
  readonly admitted_by: string;
  /** When it was taken over from another trail, to be read only; null when it belongs here. */
  readonly imported_at: string | null;
  /** Digest of the completed contract. */
  readonly contract_sha256: string;
  /** Inputs of the contract. */
  readonly inputs: JsonObject;
  /** The tasks in order. */
  readonly tasks: readonly TaskView[];
  /** All holds, oldest first. */
  readonly holds: readonly HoldView[];
  /** Declared units. */
  readonly budget: {
    /** Most that may be reserved and settled together. */
    readonly limit: number;
    /** Reserved by attempts that have not ended. */
    readonly reserved: number;
    /** Settled by attempts that ended. */
    readonly used: number;
  };
  /** Observed usage of all recorded operations. */
  readonly usage: Usage;
  /** Operations that cost something, have no record and no bound: what they used is unknown. */
  readonly unknown_usage: number;
  /** Why it does not run although it could; null while it runs, before its start, and at its end. */
  readonly interruption: {
    /** Who or what interrupted it; `crashed` when its process died or its lease was lost. */
    readonly reason: 'stopped' | 'unavailable' | 'held' | 'crashed';
    /** `model_unavailable` when the model could not be reached; else null. */
    readonly failure_class: FailureClass | null;
    /** One sentence. */
    readonly message: string;
  } | null;
  /** Why it failed; null unless it failed. */
  readonly failure: {
    /** Stable reason: `check-failed`, `adapter-threw`, `timeout`, `output-invalid`, `budget-exhausted`. */
    readonly code: string;
    /** One sentence. */
    readonly message: string;
  } | null;
  /** The process that runs it; null when none does. */
  readonly owner: OwnerView | null;
  /** End of the trail; keep it elsewhere to notice a rewritten file. */
  readonly head: {
    /** Number of the last record. */
    readonly seq: number;
    /** Digest of the last record. */
    readonly sha256: string;
  };
}

/** One task of a goal. */
export interface TaskView {
  /** Name of the task. */
  readonly task_id: string;
  /** State; `interrupted` when its process died; `completed`, `failed`, `skipped`, `cancelled` are final. */
  readonly state:
    | 'pending'
    | 'ready'
    | 'running'
    | 'interrupted'
    | 'held'
    | 'completed'
    | 'failed'
    | 'skipped'
    | 'cancelled';
  /** The latest attempt; null before the first. */
  readonly attempt: {
    /** From 1. */
    readonly number: number;
    /** State; `interrupted` when its process died after it began, and nobody has gone on with it. */
    readonly state:
      | 'admitted'
      | 'running'
      | 'interrupted'
      | 'suspended'
      | 'ambiguous'
      | 'recorded'
      | 'failed'
      | 'superseded'
      | 'cancelled';
    /** Number of the claim; a higher one supersedes. */
    readonly fence: number;
    /** Crashes after which it was claimed again. */
    readonly resumes: number;
    /** Milliseconds under a lease so far. */
    readonly elapsed_ms: number;
    /** Operations in the record of the task. */
    readonly operations: number;
  } | null;
  /** What the adapter returned; null before it is recorded. */
  readonly output: JsonValue;
  /** Digest of the receipt; null before the output is recorded. */
  readonly receipt_sha256: string | null;
}

/** A question to a person. */
export interface HoldView {
  /** Name of the hold. */
  readonly hold_id: string;
  /** Grows with its facts; a decision names it. */
  readonly version: number;
  /** Whether it waits for a decision. */
  readonly state: 'open' | 'decided';
  /** Why a person is asked. */
  readonly reason:
    | 'ambiguous-operation'
    | 'ambiguous-attempt'
    | 'check-unknown'
    | 'adapter-drift'
    | 'diverged'
    | 'approval-required'
    | 'resume-limit'
    | 'restored';
  /** One sentence: what is unknown. */
  readonly message: string;
  /** Task in doubt. */
  readonly task_id: string;
  /** Attempt in doubt; null when none was admitted. */
  readonly attempt: number | null;
  /** Key of the operation in doubt; null when it is not about one. */
  readonly operation_key: string | null;
  /** What was observed: reconciliation, former owner, difference. */
  readonly facts: HoldFacts;
  /** Decisions that this hold takes. */
  readonly decisions: readonly ('retry' | 'accept' | 'cancel' | 'approve' | 'deny')[];
  /** UTC time at which it opened. */
  readonly opened_at: string;
  /** The decision; null while it is open. */
  readonly decision: {
    /** The decision. */
    readonly decision: 'retry' | 'accept' | 'cancel' | 'approve' | 'deny';
    /** Who decided. */
    readonly actor: string;
    /** Why. */
    readonly reason: string;
    /** UTC time. */
    readonly at: string;
  } | null;
}

/** What is known about the thing in doubt. */
export interface HoldFacts {
  /** One line for a person: `edit src/sum.js`. */
  readonly describe?: string;
  /** Digest of the operation's input. */
  readonly input_sha256?: string;
  /** What the operation may do. */
  readonly effect?: OperationEffect;
  /** Whether it may be repeated. */
  readonly repeat?: OperationRepeat;
  /** Performances so far. */
  readonly tries?: number;
  /** What looking found; absent when the operation offers no way to look. */
  readonly reconciliation?: { readonly kind: string; readonly evidence: JsonValue };
  /** The owner that admitted the operation, and whether its process still lives. */
  readonly former_owner?: {
    readonly owner: OwnerView;
    readonly alive: boolean;
    readonly act_settled: boolean;
  };
  /** What an approval is asked for: the operation that it is about, and how long it holds. */
  readonly approval?: { readonly for: string | null; readonly expires_after_seconds: number };
  /** What the operation threw. */
  readonly failure?: Failure;
  /** What differs from the record: the field, recorded and asked. */
  readonly difference?: {
    readonly what: string;
    readonly recorded: JsonValue;
    readonly asked: JsonValue;
  };
}

/** One open kernel: a process that may run attempts. */
export interface OwnerView {
  /** Name of the owner. */
  readonly owner_id: string;
  /** Process id on its host. */
  readonly pid: number;
  /** Name of its host. */
  readonly host: string;
  /** UTC time at which it opened the store. */
  readonly started_at: string;
}

/** One operation with its payloads, as a person needs it to decide. */
export interface OperationView {
  /** Task that it belongs to. */
  readonly task_id: string;
  /** Name in the task. */
  readonly key: string;
  /** Step of the run. */
  readonly step: number;
  /** What is spoken to. */
  readonly kind: string;
  /** What it may do. */
  readonly effect: OperationEffect;
  /** Whether it may be repeated. */
  readonly repeat: OperationRepeat;
  /** State. */
  readonly state: 'proposed' | 'admitted' | 'uncertain' | 'recorded' | 'cancelled';
  /** One line for a person. */
  readonly describe: string;
  /** Performances so far. */
  readonly tries: number;
  /** Key that the receiver sees. */
  readonly idempotency_key: string;
  /** Digest of the input, chained over what it extends. */
  readonly input_sha256: string;
  /** The parts of the input, the extended ones first; null when it is sensitive. */
  readonly input: readonly JsonValue[] | null;
  /** Evidence from before; null when there is none. */
  readonly before: JsonValue;
  /** How it came out; null while it is open. */
  readonly outcome: {
    readonly kind: 'done' | 'failed' | 'refused';
    readonly value: JsonValue;
  } | null;
  /** Whether a person attested the outcome; it was not observed then. */
  readonly attested: boolean;
  /** What `accept` takes, to be edited: what the operation told of itself, or the latest outcome of its kind. */
  readonly outcome_template: JsonValue;
}

import type { ModelUsage, RunOutcome, ToolErrorCode, ToolStatus } from '@millforge/contracts';
import type { ReAskReason } from '@millforge/guard';
import type { BudgetName } from '@millforge/guard/limits';

/** Progress of a run, for display: never recorded, and nothing in it flows back into the run. */
export type RunEvent =
  | RunSteered
  | ContextCompacted
  | TurnStarted
  | ModelWrote
  | ModelReplied
  | ModelReAsked
  | ApprovalRequested
  | ApprovalDecided
  | CallStarted
  | CallUpdated
  | CallEnded
  | CallRefused
  | RunEnded;

/** What every event of a turn says. */
export interface TurnEvent {
  /** Model turn, from 1. */
  readonly turn: number;
  /** Whether this was recorded before and is only gone through again. */
  readonly replayed: boolean;
}

/** What people said reaches the run. */
export interface RunSteered extends TurnEvent {
  /** Tells the events apart. */
  readonly kind: 'run-steered';
  /** What the model is told, redacted. */
  readonly messages: readonly string[];
  /** Why the run ends here; null when it goes on. */
  readonly stop: string | null;
}

/** The conversation was shortened before the model is asked. */
export interface ContextCompacted extends TurnEvent {
  /** Tells the events apart. */
  readonly kind: 'context-compacted';
  /** How far: results cut, results replaced by a line, turns summarised, everything squeezed. */
  readonly rung: 1 | 2 | 3 | 4;
  /** Tokens of the request before, as the provider counts them. */
  readonly tokensBefore: number;
  /** Tokens of the request as it is sent. */
  readonly tokensAfter: number;
  /** Replies that only a summary stands for. */
  readonly summarisedTurns: number;
}

/** The model is asked. */
export interface TurnStarted extends TurnEvent {
  /** Tells the events apart. */
  readonly kind: 'turn-started';
  /** Messages of the conversation so far. */
  readonly messageCount: number;
}

/** The model has written a piece of its reply, which is heard of where the run was asked for it. */
export interface ModelWrote extends TurnEvent {
  /** Tells the events apart. */
  readonly kind: 'model-wrote';
  /** Whether it answers, or thinks. */
  readonly part: 'text' | 'reasoning';
  /** The piece, redacted. The end of a part, and what may be a call or a secret, come with the reply alone. */
  readonly text: string;
  /** Whether it stands in place of all that came of this part in this turn. */
  readonly replaces: boolean;
}

/** The model has replied. */
export interface ModelReplied extends TurnEvent {
  /** Tells the events apart. */
  readonly kind: 'model-replied';
  /** Text of the reply, redacted. */
  readonly content: string | null;
  /** Text that the provider marked as reasoning, redacted. */
  readonly reasoning: string | null;
  /** Names of the tools that it called, cut to 64 characters. */
  readonly calls: readonly string[];
  /** Tokens as the provider reported them. */
  readonly usage: ModelUsage | null;
  /** Requests sent, retries included. */
  readonly attempts: number;
  /** Milliseconds it took; null when replayed. */
  readonly elapsedMs: number | null;
}

/** The reply had no call, and the model is asked again. */
export interface ModelReAsked extends TurnEvent {
  /** Tells the events apart. */
  readonly kind: 'model-re-asked';
  /** What the reply was instead. */
  readonly reason: ReAskReason;
}

/** What every event of a call says. */
export interface CallEvent extends TurnEvent {
  /** Place in the reply, from 0. */
  readonly index: number;
  /** Identifies the call in the run. */
  readonly callId: string;
  /** Name of the tool as the model wrote it, cut to 64 characters. */
  readonly tool: string;
}

/** Somebody is asked whether a call may be performed. */
export interface ApprovalRequested extends CallEvent {
  /** Tells the events apart. */
  readonly kind: 'approval-requested';
  /** One line for a person: `edit src/sum.js`. */
  readonly describe: string;
}

/** It is decided whether a call may be performed. */
export interface ApprovalDecided extends CallEvent {
  /** Tells the events apart. */
  readonly kind: 'approval-decided';
  /** What was decided. */
  readonly decision: 'approved' | 'declined';
  /** Who decided. */
  readonly decidedBy: string;
  /** Why, redacted; may be empty. */
  readonly reason: string;
}

/** An admitted call begins. */
export interface CallStarted extends CallEvent {
  /** Tells the events apart. */
  readonly kind: 'call-started';
  /** One line for a person: `edit src/sum.js`. */
  readonly describe: string;
}

/** A call that takes long says what it would answer so far: whole texts, of which none need be shown. */
export interface CallUpdated extends CallEvent {
  /** Tells the events apart. */
  readonly kind: 'call-updated';
  /** What the model would read if the call ended here, redacted. */
  readonly text: string;
}

/** An admitted call has ended. */
export interface CallEnded extends CallEvent {
  /** Tells the events apart. */
  readonly kind: 'call-ended';
  /** How it ended. */
  readonly status: ToolStatus;
  /** Why it did not succeed. */
  readonly errorCode: ToolErrorCode | null;
  /** What the model reads. */
  readonly text: string;
  /** Milliseconds it took; null when replayed. */
  readonly elapsedMs: number | null;
}

/** A call was answered without being performed. */
export interface CallRefused extends CallEvent {
  /** Tells the events apart. */
  readonly kind: 'call-refused';
  /** Why: a tool error code, `budget_exhausted`, or `run_ended` for calls behind the last one. */
  readonly code: string;
  /** What the model reads, redacted. */
  readonly message: string;
}

/** The run has come to its outcome. */
export interface RunEnded {
  /** Tells the events apart. */
  readonly kind: 'run-ended';
  /** Whether nothing of the run was live. */
  readonly replayed: boolean;
  /** How it ended. */
  readonly outcome: RunOutcome;
  /** The budget that was used up, when one was. */
  readonly exhausted: BudgetName | null;
}

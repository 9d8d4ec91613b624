import type { GuardPolicy } from '../../guard-policy.ts';
import type { GuardedTurn } from '../../turn/guard-turn.ts';

/** How replies are guarded. */
export interface AiSdkGuardOptions {
  /** How replies are judged; default `defaultPolicy`. */
  readonly policy?: GuardPolicy;
  /** Told of every turn, for logs: what was asked again, and what that did not mend. */
  readonly onTurn?: (turn: GuardedTurn) => void;
}

/** What is used of a request to a language model of the AI SDK. */
export interface AiSdkParams {
  /** The conversation. */
  readonly prompt: readonly object[];
  /** The tools on offer. */
  readonly tools?: readonly object[] | undefined;
  /** The choice that is left to the model. */
  readonly toolChoice?: { readonly type: string; readonly toolName?: string } | undefined;
}

/** One part of what a model wrote. */
export interface AiSdkPart {
  /** Tells parts apart. */
  readonly type: string;
}

/** Tokens as the AI SDK counts them. */
export interface AiSdkUsage {
  /** Tokens read. */
  readonly inputTokens: { readonly total: number | undefined };
  /** Tokens written. */
  readonly outputTokens: { readonly total: number | undefined };
}

/** What is used of the result of one request. */
export interface AiSdkResult {
  /** The parts, in order. */
  readonly content: readonly AiSdkPart[];
  /** Why it ended. */
  readonly finishReason: { readonly unified: string; readonly raw: string | undefined };
  /** Tokens. */
  readonly usage: AiSdkUsage;
}

/** What is used of the result of one streamed request. */
export interface AiSdkStreamResult {
  /** The parts as they come. */
  readonly stream: ReadableStream<AiSdkPart>;
}

/** What is used of a language model of the AI SDK. */
export interface AiSdkModel<Params, Result> {
  /** Performs one request. */
  doGenerate(params: Params): PromiseLike<Result>;
}

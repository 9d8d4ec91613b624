import type { JsonSchema } from '../json-schema/schema.ts';
import type { ModelImage } from './image.ts';

/** One call that a model asked for. */
export interface ModelToolCall {
  /** Pairs the call with its result; unique in the conversation. */
  readonly id: string;
  /** Name as the model wrote it. */
  readonly name: string;
  /** Arguments exactly as the model wrote them: JSON text when it is well-formed. */
  readonly arguments: string;
}

/** One message of a conversation, in the order in which the model sees them. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      /** What the model wrote besides its calls; null when there is nothing. */
      readonly content: string | null;
      /** What it asked for, in its order. */
      readonly tool_calls?: readonly ModelToolCall[];
      /** The continuation of the reply that this message was made of, as it came. */
      readonly continuation?: string;
    }
  | {
      readonly role: 'tool';
      /** The call that this answers. */
      readonly tool_call_id: string;
      /** Name of the tool that was called. */
      readonly name: string;
      /** The text that the tool gave. */
      readonly content: string;
      /** What the tool shows beside it; a model that is not declared to see is told so instead. */
      readonly images?: readonly ModelImage[];
    };

/** A tool as offered to the model. */
export interface ModelTool {
  /** Name, `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  /** What the model reads about it. */
  readonly description: string;
  /** Schema of the arguments, as compiled. */
  readonly parameters: JsonSchema;
}

/** One request to a model; the client adds what its profile fixes (model, sampling, limits). */
export interface ModelRequest {
  /** The conversation. The same objects come again in later requests, so encodings may be cached. */
  readonly messages: readonly ModelMessage[];
  /** The tools on offer. */
  readonly tools: readonly ModelTool[];
  /** What this request asks for besides; a client refuses what its model does not declare. */
  readonly options?: ModelRequestOptions;
}

/** What one request may ask of a model that declares it. */
export interface ModelRequestOptions {
  /** Whether a tool is to be called: any, none, one of that name, or as the model likes. */
  readonly tool_choice?: 'auto' | 'none' | 'required' | { readonly name: string };
  /** Whether the reply may hold several calls. */
  readonly parallel_tool_calls?: boolean;
  /** Tokens that the reply may have, instead of the profile's number. */
  readonly max_output_tokens?: number;
  /** Demands a reply whose text is JSON of that schema. */
  readonly structured_output?: {
    /** Name, `[A-Za-z0-9_-]{1,64}`. */
    readonly name: string;
    /** Schema of the text. */
    readonly schema: JsonSchema;
  };
}

/** Whether a server does something; `unknown` is treated as no where something is asked for. */
export type ModelSupport = 'supported' | 'unsupported' | 'unknown';

/** What a model is declared to do. Declared, never found out by trying. */
export interface ModelCapabilities {
  /** Takes tools and answers with calls. */
  readonly tool_calls: ModelSupport;
  /** Takes the option `tool_choice`. */
  readonly tool_choice: ModelSupport;
  /** Takes the option `parallel_tool_calls`. */
  readonly parallel_tool_calls: ModelSupport;
  /** Takes the option `max_output_tokens`. */
  readonly max_output_tokens: ModelSupport;
  /** Takes the option `structured_output`. */
  readonly structured_output: ModelSupport;
  /** Sees the images of tool results; absent is `unknown`. */
  readonly images?: ModelSupport;
}

/** A piece of a reply that is still being written, for display; the reply repeats all of it. */
export interface ModelDelta {
  /** `restart` takes back what came before: the request is sent once more. */
  readonly kind: 'text' | 'reasoning' | 'restart';
  /** The piece, not redacted; empty for `restart`. */
  readonly text: string;
}

/** Tokens of one exchange as the provider reported them. */
export interface ModelUsage {
  /** Tokens read. */
  readonly input_tokens: number;
  /** Tokens written. */
  readonly output_tokens: number;
  /** Cost in millionths of the currency unit, when the provider reports one. */
  readonly cost_micros?: number;
}

/** One reply of a model, decoded tolerantly; the content decides, never the finish reason. */
export interface ModelReply {
  /** Text; null when there is none or it is blank. */
  readonly content: string | null;
  /** Text that the provider marked as reasoning, to show; it goes back only as a continuation. */
  readonly reasoning: string | null;
  /**
   * What the client wants back with the message of this reply, opaque to everybody else.
   *
   * Only of a client whose server continues its reasoning between calls. It is recorded with the
   * reply, and never stands in an event, a trace or evidence.
   */
  readonly continuation?: string;
  /** Calls, possibly none. Ids are the provider's, or made up when it gave none. */
  readonly tool_calls: readonly ModelToolCall[];
  /** Why the provider says that the reply ended. */
  readonly finish_reason: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'unknown';
  /** Tokens, when reported. */
  readonly usage: ModelUsage | null;
  /** Model name that the provider reported. */
  readonly provider_model: string | null;
}

/** What kept a model from answering. */
export type ModelFailure =
  | 'authentication'
  | 'authorization'
  | 'rate_limit'
  | 'timeout'
  | 'connection'
  | 'invalid_request'
  | 'unsupported_capability'
  | 'malformed_response'
  | 'server_error'
  | 'cancelled'
  | 'unknown';

/** Answer of a model client: a reply, or why there is none after all retries. */
export type ModelCompletion =
  | {
      readonly kind: 'reply';
      /** What the model answered. */
      readonly reply: ModelReply;
      /** Requests sent, retries included. */
      readonly attempts: number;
    }
  | {
      readonly kind: 'failed';
      /** What kept it from answering. */
      readonly category: ModelFailure;
      /** One redacted sentence: what, where, what to do. */
      readonly message: string;
      /** Whether trying later may help. */
      readonly retryable: boolean;
      /** Whether any request reached the provider. */
      readonly sent: boolean;
    };

/** Talks to one model. Never throws for what a server does. */
export interface ModelClient {
  /** What the model is declared to do; a client without it declares nothing. */
  readonly capabilities?: ModelCapabilities;
  /** One exchange, with bounded time and retries. */
  complete(
    request: ModelRequest,
    options: {
      readonly signal: AbortSignal;
      readonly idempotencyKey?: string;
      /** Told of the reply while it is written, by clients that stream. */
      readonly onDelta?: (delta: ModelDelta) => void;
    },
  ): Promise<ModelCompletion>;
}

/** What is used of a request to a model of OpenAI Agents. */
export interface AgentsRequest {
  /** The conversation. */
  readonly input: string | readonly object[];
  /** The tools on offer. */
  readonly tools: readonly object[];
  /** The agents that can be handed over to, which the model calls like tools. */
  readonly handoffs?: readonly object[];
  /** Sampling and the choice that is left to the model. */
  readonly modelSettings: { readonly toolChoice?: string | undefined };
  /** Set where the server keeps the conversation. */
  readonly previousResponseId?: string | undefined;
  /** Set where the server keeps the conversation. */
  readonly conversationId?: string | undefined;
}

/** Tokens of one response. */
export interface AgentsUsage {
  /** Tokens read. */
  readonly inputTokens: number;
  /** Tokens written. */
  readonly outputTokens: number;
}

/** What is used of a response. */
export interface AgentsResponse {
  /** The items, in order. */
  readonly output: readonly object[];
  /** Tokens. */
  readonly usage: AgentsUsage;
}

/** One event of a streamed response. */
export interface AgentsEvent {
  /** Tells events apart. */
  readonly type: string;
}

/** What is used of a model. */
export interface AgentsModel {
  /** Performs one request. */
  getResponse(request: AgentsRequest): Promise<AgentsResponse>;
  /** Performs one request and tells of the response while it comes. */
  getStreamedResponse(request: AgentsRequest): AsyncIterable<AgentsEvent>;
}

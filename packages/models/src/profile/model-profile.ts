import type { JsonObject, ModelCapabilities, SchemaDialect } from '@millforge/contracts';

/** How to reach one model: where, which, under which limits. Plain JSON, closed, without secrets. */
export interface ModelProfile {
  /** Dotted id by which harnesses name the profile. */
  readonly profile_id: string;
  /** Root of the API, such as `http://127.0.0.1:11434/v1`; the path of the dialect is added to it. */
  readonly base_url: string;
  /** Model name as the server knows it. */
  readonly model: string;
  /** How the server is spoken to: `…/chat/completions` unless given, or `…/messages`. */
  readonly dialect?: 'openai-chat' | 'anthropic-messages';
  /**
   * Words in which the server is told the arguments of tools; as they were compiled unless given. `openai-strict`
   * also has it hold the model to them.
   */
  readonly tool_schemas?: SchemaDialect;
  /** How the key is sent; `none` unless given. */
  readonly auth?: ModelAuth;
  /** Environment variable that holds the key; read by the host program, never by the client. */
  readonly api_key_env?: string;
  /** Stored credential that holds the key; read by the host program, never by the client. */
  readonly credential?: string;
  /**
   * Proxy URL for this server, or `environment` for the one that `https_proxy`, `all_proxy` and `no_proxy` name; for
   * the host program, which hands in a `fetch` that uses it.
   */
  readonly proxy?: string;
  /** Accepts plain http to a host that is not loopback: prompts and key travel in the clear. */
  readonly allow_insecure_http?: boolean;
  /** Seconds for one exchange, retries and waits included; 300 unless given. */
  readonly timeout_seconds?: number;
  /** Takes the reply as it is written, so that a silent server is noticed early. */
  readonly stream?: boolean;
  /** Seconds that a streamed reply may be silent once it has begun; 60 unless given. */
  readonly idle_timeout_seconds?: number;
  /** What the model does, for requests that ask for it; what is not declared is not asked for. */
  readonly capabilities?: Partial<ModelCapabilities>;
  /** Further requests after the first when trying again may help, 0 to 10; 2 unless given. */
  readonly max_retries?: number;
  /** Tokens that a reply may have; the server's own limit unless given. */
  readonly max_output_tokens?: number;
  /** Request field that carries `max_output_tokens`; `max_tokens` unless given. */
  readonly max_output_tokens_field?: 'max_tokens' | 'max_completion_tokens';
  /**
   * Field under which the server wants the reasoning back that led to calls: `reasoning_content` or
   * `reasoning` of Chat Completions, `thinking` of the Messages API. Nothing is sent back unless given.
   */
  readonly reasoning_replay_field?: 'reasoning_content' | 'reasoning' | 'thinking';
  /** Sampling values to send; the server's own unless given. */
  readonly sampling?: ModelSampling;
  /** Sent beside tools when given; not every server knows the field. */
  readonly parallel_tool_calls?: boolean;
  /** Further request headers, none of them secret. */
  readonly headers?: { readonly [name: string]: string };
  /** Further request fields, such as `top_k` or `reasoning_effort`; never one that the client sets. */
  readonly extra_body?: JsonObject;
}

/** How a key is sent; a server that needs none gets none, whatever the scheme. */
export type ModelAuth =
  | { readonly scheme: 'none' }
  | { readonly scheme: 'bearer' }
  | {
      readonly scheme: 'header';
      /** Name of the header that carries the bare key. */
      readonly header: string;
    };

/** Sampling values, under their names on the wire. */
export interface ModelSampling {
  /** 0 to 2. */
  readonly temperature?: number;
  /** 0 to 1. */
  readonly top_p?: number;
  /** −2 to 2. */
  readonly presence_penalty?: number;
  /** −2 to 2. */
  readonly frequency_penalty?: number;
  /** A whole number; equal seeds give equal samples where the server honours it. */
  readonly seed?: number;
  /** Texts that end a reply, 1 to 16. */
  readonly stop?: readonly string[];
}

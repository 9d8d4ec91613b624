import type { JsonValue } from '@millforge/contracts';

/** One way in which a model server misbehaves. */
export type ScriptedFault =
  /** Answers rightly, but only after a while. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Takes the request and never answers. */
  | { readonly kind: 'hang' }
  /** Closes the connection instead of answering. */
  | { readonly kind: 'reset' }
  /** Refuses, in the error shape of the API unless `body` gives another. */
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Value of the header `Retry-After`. */
      readonly retryAfter?: string;
      /** Text of the error. */
      readonly message?: string;
      /** Whole body instead, as JSON. */
      readonly body?: JsonValue;
    }
  /** Sends elsewhere, with status 307. */
  | { readonly kind: 'redirect'; readonly location: string }
  /** Answers with a web page; status 200 unless given. */
  | { readonly kind: 'html'; readonly status?: number }
  /** Sends half of the reply, a stream or a body of declared length, and closes the connection. */
  | { readonly kind: 'cut-body' }
  /** Sends half of the reply, a stream or a body of declared length, and waits for ever. */
  | { readonly kind: 'stall-body' }
  /** Sends half of the JSON as if it were all. */
  | { readonly kind: 'malformed-json' }
  /** Cuts the arguments of every call. */
  | { readonly kind: 'malformed-arguments' }
  /** Gives calls no ids, one id for all, the ids of the first turn again, or numbers. */
  | { readonly kind: 'call-ids'; readonly ids: 'missing' | 'same' | 'restarted' | 'numbers' }
  /** Reports another model than was asked for. */
  | { readonly kind: 'model-alias'; readonly model: string }
  /** Sends the right body under another content type; null for none. */
  | { readonly kind: 'content-type'; readonly contentType: string | null }
  /** Sends at least so many bytes of valid JSON, in chunks, as long as someone reads. */
  | { readonly kind: 'oversized'; readonly bytes: number }
  /** Streams half of the reply, and then an event that reports an error. */
  | {
      readonly kind: 'error-event';
      /** The error; one of an overloaded server unless given. */
      readonly error?: JsonValue;
    }
  /** Streams a comment before every event, as servers do to keep a connection alive. */
  | { readonly kind: 'keep-alive' }
  /** Streams every byte on its own. */
  | { readonly kind: 'split-bytes' }
  /** Gives this reason for the end of the reply. */
  | { readonly kind: 'finish-reason'; readonly reason: string }
  /** Leaves out what was used. */
  | { readonly kind: 'no-usage' }
  /** Gives the text as a list of parts. */
  | { readonly kind: 'content-parts' }
  /** Gives the arguments of calls as objects, not as text. */
  | { readonly kind: 'arguments-object' }
  /** Gives reasoning that is no text. */
  | { readonly kind: 'reasoning-object' }
  /** Gives an empty list of choices. */
  | { readonly kind: 'no-choices' }
  /** Sends this instead. */
  | {
      readonly kind: 'raw';
      readonly status?: number;
      readonly headers?: { readonly [name: string]: string };
      readonly body: string | Uint8Array;
    };

import type { ExactJson, ModelMessage, ModelReply, ModelRequest } from '@millforge/contracts';
import type { ModelProfile } from '../profile/model-profile.ts';
import type { ServerEvent } from './server-events.ts';

/** An object of a body, number kinds kept. */
export type JsonFields = { readonly [key: string]: ExactJson };

/** Writes the body of a request. */
export type RequestEncoder = (request: ModelRequest) => string;

/** A reply, or what about the body is not one. */
export type DecodedReply =
  | { readonly ok: true; readonly reply: ModelReply }
  | {
      readonly ok: false;
      readonly message: string;
      /** What the server says went wrong, where that stands in the place of a reply. */
      readonly error?: ExactJson;
    };

/** One way in which model servers are spoken to over HTTP. */
export interface Dialect {
  /** Behind the base URL. */
  readonly path: string;
  /** Headers that every request carries; those of a profile win. */
  readonly headers: { readonly [name: string]: string };
  /** Makes the encoder of one client; each message is encoded once, by identity. */
  createEncoder(profile: ModelProfile): RequestEncoder;
  /** Reads a whole reply. */
  decode(body: JsonFields, conversation: readonly ModelMessage[]): DecodedReply;
  /** What of a whole reply goes back with its message so that reasoning continues; null for nothing. */
  continuation(body: JsonFields): string | null;
  /** Makes the assembler of one streamed reply. */
  createAssembler(): StreamAssembler;
}

/** What one event of a stream adds. */
export type StreamStep =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  /** Nothing to show. */
  | { readonly kind: 'none' }
  /** The stream is over as it should be; nothing behind it is read. */
  | { readonly kind: 'end' }
  /** The server reports a failure in the middle of its reply. */
  | { readonly kind: 'error'; readonly body: JsonFields }
  /** The event is none of this dialect. */
  | { readonly kind: 'malformed'; readonly message: string };

/** Puts a streamed reply together to the body that a whole reply would have. */
export interface StreamAssembler {
  /** Takes one event. */
  push(event: ServerEvent): StreamStep;
  /** The body; null when the stream ended before the reply did. */
  finish(): JsonFields | null;
}

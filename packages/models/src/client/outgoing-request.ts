import type { Clock, ModelDelta, ModelMessage } from '@millforge/contracts';
import type { Dialect } from './dialect.ts';
import type { ModelFetch } from './model-fetch.ts';
import type { Redact } from './redaction.ts';

/** One request, ready to send, and what is needed to understand the answer. */
export interface OutgoingRequest {
  readonly dialect: Dialect;
  readonly baseUrl: string;
  readonly model: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  readonly conversation: readonly ModelMessage[];
  readonly keySent: boolean;
  /** Whether reasoning goes back with the calls that it led to. */
  readonly continuesReasoning: boolean;
  readonly fetch: ModelFetch;
  readonly redact: Redact;
  readonly clock: Clock;
  /** For a streamed reply: how long it may be silent, and who hears of it; null when none was asked for. */
  readonly stream: {
    readonly idleMs: number;
    readonly onDelta: (delta: ModelDelta) => void;
  } | null;
}

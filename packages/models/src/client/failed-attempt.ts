import type { ModelFailure, ModelReply } from '@millforge/contracts';

/** Why one request brought no reply. The message is not yet redacted and never leaves the client as it is. */
export interface FailedAttempt {
  readonly kind: 'failed';
  readonly category: ModelFailure;
  readonly message: string;
  readonly retryable: boolean;
  /** Whether the request may have reached the provider. */
  readonly sent: boolean;
  /** What the server asked to wait. */
  readonly retryAfterMs: number | null;
}

/** What one request brought; `stopped` when the limit ended first. */
export type Attempt =
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'stopped' }
  | FailedAttempt;

/** Fills in what follows from the category alone. */
export function failedAttempt(
  category: ModelFailure,
  message: string,
  more: Partial<Pick<FailedAttempt, 'retryable' | 'sent' | 'retryAfterMs'>> = {},
): FailedAttempt {
  return {
    kind: 'failed',
    category,
    message,
    retryable: RETRYABLE.has(category),
    sent: true,
    retryAfterMs: null,
    ...more,
  };
}

/** The connection ended in the middle of a streamed reply. */
export function connectionCut(baseUrl: string): FailedAttempt {
  return failedAttempt(
    'connection',
    `The stream of ${new URL(baseUrl).origin} ended before the reply was complete; look at the log of the server.`,
  );
}

/** A streamed reply fell silent. */
export function streamIdle(baseUrl: string, idleMs: number): FailedAttempt {
  return failedAttempt(
    'timeout',
    `The stream of ${new URL(baseUrl).origin} was silent for ${idleMs / 1000} s in the middle of a reply; raise idle_timeout_seconds, or look at the log of the server.`,
  );
}

const RETRYABLE: ReadonlySet<ModelFailure> = new Set([
  'rate_limit',
  'timeout',
  'connection',
  'server_error',
]);

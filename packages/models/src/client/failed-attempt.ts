import type { ModelFailure } from '@millforge/contracts';

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

const RETRYABLE: ReadonlySet<ModelFailure> = new Set([
  'rate_limit',
  'timeout',
  'connection',
  'server_error',
]);

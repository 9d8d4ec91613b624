import type { ModelReply } from '@millforge/contracts';
import type { FailedAttempt } from './failed-attempt.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { retryDelayMs } from './retry-delay.ts';
import { sendRequest } from './send-request.ts';
import type { TimeLimit } from './time-limit.ts';

/** How an exchange ended, with the number of requests it took. */
export type Exchange = {
  readonly attempts: number;
  /** Whether any request may have reached the provider. */
  readonly sent: boolean;
} & (
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly last: FailedAttempt }
);

/** How often and how soon to try again. */
export interface RetryPolicy {
  readonly maxRetries: number;
  readonly random: () => number;
  /** Waits, or rejects when the signal aborts. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Sends a request until it brings a reply, trying again is useless, or a wait would outlast the limit. */
export async function sendWithRetries(
  request: OutgoingRequest,
  policy: RetryPolicy,
  limit: TimeLimit,
): Promise<Exchange> {
  let sent = false;
  for (let attempts = 1; ; attempts += 1) {
    if (limit.stopped() !== null) return { kind: 'stopped', attempts: attempts - 1, sent };
    const attempt = await sendRequest(request, limit);
    sent ||= attempt.kind !== 'failed' || attempt.sent;
    // A reply that arrives together with the end of the limit is not used.
    if (limit.stopped() !== null) return { kind: 'stopped', attempts, sent };
    if (attempt.kind !== 'failed') return { ...attempt, attempts, sent };
    const failed: Exchange = { kind: 'failed', last: attempt, attempts, sent };
    if (!attempt.retryable || attempts > policy.maxRetries) return failed;
    const waitMs = retryDelayMs({
      attempt: attempts,
      retryAfterMs: attempt.retryAfterMs,
      random: policy.random,
    });
    if (waitMs >= limit.remainingMs()) return failed;
    // What was shown of the reply that failed is taken back.
    request.stream?.onDelta({ kind: 'restart', text: '' });
    try {
      await limit.race(policy.delay(waitMs, limit.signal));
    } catch (error) {
      if (limit.stopped() === null) throw error;
      return { kind: 'stopped', attempts, sent };
    }
  }
}

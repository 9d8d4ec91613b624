/**
 * Milliseconds to wait before a retry: half a second, doubling, at most 30 s, with half of it jittered.
 *
 * A `Retry-After` of the server is a lower bound, never shortened.
 */
export function retryDelayMs(retry: {
  /** Requests sent so far, from 1. */
  readonly attempt: number;
  readonly retryAfterMs: number | null;
  readonly random: () => number;
}): number {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (retry.attempt - 1), MAX_DELAY_MS);
  const jittered = Math.round(backoff * (0.5 + retry.random() / 2));
  return Math.max(jittered, retry.retryAfterMs ?? 0);
}

/** Reads `Retry-After`, in seconds or as an HTTP date; null when absent or neither. */
export function readRetryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  // However many digits: a wait that outlasts the limit is a reason to stop, not to try at once.
  if (/^\d+(?:\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // `Date.parse` also takes forms that no server means as a date, such as a bare negative number.
  if (!/^[A-Z][a-z]+, /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** Time as the house sees it: every package below the umbrella is handed one. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch (UTC). */
  now(): number;
  /** Milliseconds from an arbitrary origin that never go backwards. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason when it aborts first. */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
}

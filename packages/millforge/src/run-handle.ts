import type { RunResult } from '@millforge/contracts';

/** A run that goes on in this process. */
export interface RunHandle {
  /** The run; the same as its goal in the trail. */
  readonly runId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<RunResult>;
  /** Suspends it, after the current operation or now; it can be resumed. */
  stop(options?: { readonly now?: boolean }): void;
  /** Ends it for good; `kernel/goal-ended` when it has ended. */
  cancel(reason: string): Promise<void>;
}

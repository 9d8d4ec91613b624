import type { RunResult } from '@millforge/contracts';

/** A run that goes on in this process. */
export interface RunHandle {
  /** The run; the same as its goal in the trail. */
  readonly runId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<RunResult>;
  /**
   * Says something to the model before its next turn; false when the run has ended.
   *
   * @throws `runtime/invalid-message` for text that is blank or too long, and when too many wait.
   */
  send(message: string): boolean;
  /** Asks it to end before its next turn, as cancelled; false when it has ended. */
  requestStop(reason: string): boolean;
  /** Suspends it, after the current operation or now, and without waiting for a model; it can be resumed. */
  stop(options?: { readonly now?: boolean }): void;
  /** Ends it for good; `kernel/goal-ended` when it has ended. */
  cancel(reason: string): Promise<void>;
}

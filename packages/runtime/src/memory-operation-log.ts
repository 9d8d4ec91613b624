import type { Clock, Ids, OperationLog } from '@millforge/contracts';

/** What a log in memory is made of. */
export interface MemoryOperationLogOptions {
  /** Time, for the deadline. */
  readonly clock: Clock;
  /** Names the run, so that idempotency keys of different runs differ. */
  readonly ids: Ids;
  /** Stops the run. */
  readonly signal?: AbortSignal;
  /** Milliseconds from the creation of the log after which live operations are refused. */
  readonly deadlineMs?: number;
}

/** An operation log that lives as long as its process. */
export interface MemoryOperationLog extends OperationLog {
  /** A log of the same run that replays what was recorded; `signal` stops it. */
  resume(options?: { readonly signal?: AbortSignal }): MemoryOperationLog;
}

/** Makes a log for a run that nobody will resume in another process. */
export function memoryOperationLog(options: MemoryOperationLogOptions): MemoryOperationLog {
  throw new Error(String(options));
}

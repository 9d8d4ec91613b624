import type { RunHandle, RunRequest } from './run-port.ts';

/** millforge-base, composed for one folder and one model. */
export interface BasePort {
  /** Capabilities that its runs are granted. */
  readonly grants: readonly string[];
  /** Files that the model is told. */
  readonly contextFiles: readonly ContextFile[];
  /** Files that were not taken and why, one sentence each. */
  readonly diagnostics: readonly string[];
  /** Starts a run. */
  start(
    request: Pick<
      RunRequest,
      'task' | 'timeoutMs' | 'onAmbiguous' | 'onEvent' | 'approvals' | 'output'
    >,
  ): Promise<RunHandle>;
}

/** What the model is told by a file of the project or of the user. */
export interface ContextFile {
  /** Path relative to the working directory, or below `~`. */
  readonly path: string;
  /** Bytes of it that the model is told. */
  readonly bytes: number;
  /** Whether it goes on. */
  readonly truncated: boolean;
}

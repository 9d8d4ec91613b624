/**
 * Runs a command somewhere else than in a process of this host: in a container, a sandbox, on another
 * machine. Resolves when it is over and all of its output has been handed over; rejects when it could
 * not be started.
 */
export type CommandRunner = (command: RunnableCommand) => Promise<RunnerExit>;

/** A command for a runner. */
export interface RunnableCommand {
  /** Text for the shell. */
  readonly command: string;
  /** Absolute path of the folder to run it in. */
  readonly folder: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts at the time-out and at a stop; the runner then ends the command and all it started. */
  readonly signal: AbortSignal;
  /** Takes what the command writes, both outputs in the order in which they came. */
  readonly write: (chunk: Uint8Array) => Promise<void>;
}

/** How a command of a runner ended. */
export interface RunnerExit {
  /** Exit code; null when a signal ended it. */
  readonly exitCode: number | null;
  /** Name of the signal that ended it, as `SIGKILL`; null when it exited. */
  readonly signal: NodeJS.Signals | null;
}

/** Runs the command of a criterion; the host decides inside which boundary. */
export type CheckRunner = (command: CheckCommand) => Promise<CheckExit>;

/** The command of a criterion. */
export interface CheckCommand {
  /** Program and arguments; no shell reads them. */
  readonly argv: readonly string[];
  /** Its working directory: a copy of the candidate that is thrown away afterwards. */
  readonly directory: string;
  /** A copy of the protected checks that is thrown away afterwards; null when there are none. */
  readonly checks: string | null;
  /** Milliseconds after which it is ended. */
  readonly timeoutMs: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** How the command of a criterion ended. One that could not be started is thrown, and no verdict. */
export interface CheckExit {
  /** Exit code; null when it was ended. */
  readonly exitCode: number | null;
  /** Whether its time was over. */
  readonly timedOut: boolean;
  /** What it wrote to both outputs, cut to its end where it is long. */
  readonly output: Uint8Array;
  /** The boundary that it ran inside, by name; null for a plain process of the user. */
  readonly boundary: string | null;
}

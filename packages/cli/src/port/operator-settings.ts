/** What the operator sets up for the built-in tools. */
export interface OperatorSettings {
  /** Commands that run tests, by the name that a model gives. */
  readonly testProfiles: Readonly<Record<string, CommandProfile>>;
  /** Commands that check without running. */
  readonly checkProfiles: Readonly<Record<string, CommandProfile>>;
  /** Paths of the workspace that are not written. */
  readonly protectedPaths: readonly string[];
}

/** A command of the operator. */
export interface CommandProfile {
  /** Program and arguments; no shell reads them. */
  readonly argv: readonly string[];
  /** Variables besides the few that every command gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Seconds until it is ended. */
  readonly timeoutSeconds?: number;
  /** Bytes of output that are shown. */
  readonly maxOutputBytes?: number;
}

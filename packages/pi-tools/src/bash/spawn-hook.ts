/** A command as it is about to be started. */
export interface SpawnContext {
  /** Text for the shell, behind the prefix that every command gets. */
  readonly command: string;
  /** Absolute path of the folder to run it in. */
  readonly cwd: string;
  /** The whole environment, without what looks like a secret. */
  readonly env: Readonly<Record<string, string>>;
}

/** Changes a command before it is started, as to choose another folder or to add a variable. */
export type SpawnHook = (context: SpawnContext) => SpawnContext;

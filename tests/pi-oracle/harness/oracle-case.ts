/** One call of a tool; numbers that JSON has no form for as `{ $number: 'NaN' }`. */
export interface ToolCall {
  readonly tool: 'read' | 'bash' | 'edit' | 'write' | 'grep' | 'find' | 'ls';
  readonly input: object;
  /** When it is stopped: beforehand, right after the call, or after some milliseconds. */
  readonly abort?: 'before' | 'after' | number;
  /** The shell of `bash`. */
  readonly shell?: string;
  /**
   * What the host does: with a command a prefix, a hook, or watching its output; with an image nothing to its
   * size, or showing it to a model that is blind; with any tool checking the arguments, as before a model's call.
   */
  readonly host?: 'prefix' | 'hook' | 'watch' | 'unscaled' | 'blind' | 'check';
}

/** One comparison of both sides. */
export interface OracleCase {
  /** Row of the list of cases. */
  readonly row: number;
  readonly title: string;
  /** Makes the folder that the calls work in. */
  readonly fixture: (folder: string) => void;
  readonly calls: readonly ToolCall[];
  /** Whether the calls are made at once. */
  readonly isParallel?: boolean;
  /** Whether the contents of the folder afterwards are compared, too. */
  readonly isChange?: boolean;
  /** Whether permissions have to hold, so that root cannot make the calls. */
  readonly isBounded?: boolean;
  /** Where the working folder is not the fixture itself. */
  readonly cwd?: string;
  /** Whether only the set of lines counts. */
  readonly isUnordered?: boolean;
  /** Whether it is left to chance which of the numbered names are shown. */
  readonly isAnySet?: boolean;
  /** Whether a busy machine may change what happens, so that it is tried again alone. */
  readonly isTimed?: boolean;
  /** Whether only the strict profile has to agree. */
  readonly isStrictOnly?: boolean;
  /** Why a profile differs on purpose. */
  readonly differs?: { readonly strict?: string; readonly default?: string };
}

/** A case that cannot be compared, and why. */
export interface SkippedCase {
  readonly row: number;
  readonly title: string;
  readonly reason: string;
}

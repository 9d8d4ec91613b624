import type { JsonValue } from '@millforge/contracts';
import type { SandboxLimits } from './sandbox-limits.ts';

/** A call of a JavaScript function that needs nothing of the host. */
export interface SandboxCall {
  /** Source of an ES module; it can import nothing. */
  readonly source: string;
  /** Name of the exported function; default `default`. It may return a promise. */
  readonly entry?: string;
  /** What the function gets; default null. */
  readonly input?: JsonValue;
  /** Limits that differ from the default. */
  readonly limits?: Partial<SandboxLimits>;
  /** What the clock of the code says all the time, in milliseconds since the epoch; default 0. */
  readonly nowMs?: number;
  /** Seed of `Math.random`; default 1. Equal seeds give equal numbers. */
  readonly seed?: number;
}

/** A program to run. */
export interface SandboxCommand {
  /** Program and arguments; a name without `/` is looked for in the system folders. */
  readonly command: readonly [string, ...string[]];
  /** Absolute path to start in; default the private folder. */
  readonly folder?: string;
  /** The whole environment beside `PATH` and `HOME`; nothing of the host is added. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the program reads on its standard input; default nothing. */
  readonly input?: string | Uint8Array;
  /** Absolute paths that the program may read, at the same place. */
  readonly readOnlyPaths?: readonly string[];
  /** Absolute paths that the program may change, at the same place. */
  readonly writablePaths?: readonly string[];
  /** Limits that differ from the default. */
  readonly limits?: Partial<SandboxLimits>;
  /** Whether both outputs come as one, in the order in which they were written. */
  readonly mergesOutput?: boolean;
  /** Gets the output as it comes, instead of the result; the program waits until it resolves. */
  readonly onOutput?: (chunk: Uint8Array) => Promise<void>;
}

/** What is given beside a request. */
export interface SandboxCallOptions {
  /** Ends the run when it aborts. */
  readonly signal?: AbortSignal;
}

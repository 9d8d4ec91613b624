import type { FindRun } from './builtin-run.ts';
import type { OnEffect } from './on-effect.ts';
import type { PathPolicyOptions } from './paths/create-path-policy.ts';
import type { ProcessOptions } from './process/profile-tools.ts';

/** What the built-in tools are given by the host. */
export interface BuiltinToolOptions extends PathPolicyOptions, ProcessOptions {
  /**
   * Finds what is known about a run. Without it the tools of requests and artifacts refuse, and the
   * others work.
   */
  readonly findRun?: FindRun;
  /** Called right before and right after a file is replaced or a process is started. For crash tests. */
  readonly onEffect?: OnEffect;
}

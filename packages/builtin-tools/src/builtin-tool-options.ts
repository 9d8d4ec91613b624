import type { FindRun } from './builtin-run.ts';
import type { PathPolicyOptions } from './paths/create-path-policy.ts';

/** What the built-in tools are given by the host. */
export interface BuiltinToolOptions extends PathPolicyOptions {
  /**
   * Finds what is known about a run. Without it the tools of requests and artifacts refuse, and the
   * others work.
   */
  readonly findRun?: FindRun;
  /** Called right before and right after a file is replaced or a process is started. For crash tests. */
  readonly onEffect?: OnEffect;
}

/** Told of the moment around an effect; what it throws breaks the call off at that point. */
export type OnEffect = (phase: 'before-effect' | 'after-effect', what: string) => void;

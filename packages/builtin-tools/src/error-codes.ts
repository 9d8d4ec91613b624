import type { PathRule } from './paths/path-fault.ts';

/** Codes of the errors that this package throws to the host program. */
export type BuiltinToolsErrorCode =
  /** A profile that cannot be run. */
  | 'builtin-tools/invalid-option'
  /** The captured beginning of a run cannot be read. */
  | 'baseline/corrupt'
  /** A path that the policy refuses; the rule follows. */
  | `path/${PathRule}`;

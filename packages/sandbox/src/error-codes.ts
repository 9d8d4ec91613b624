/** Codes of the errors that this package throws to the host program. */
export type SandboxErrorCode =
  /** A request or an option that no host could serve, such as a relative path. */
  | 'sandbox/invalid-request'
  /** A probe did not run, so that nothing can be said of what it would reach. */
  | 'sandbox/unmeasured'
  /** The sandbox was disposed of. */
  | 'sandbox/closed';

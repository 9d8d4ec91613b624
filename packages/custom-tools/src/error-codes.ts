/** Codes of the errors that this package throws to the host program. */
export type CustomToolsErrorCode =
  /** A record, a descriptor or code is not what its digest says. */
  | 'custom-tools/digest-mismatch'
  /** A tool asks for a function that the program did not give. */
  | 'custom-tools/missing-host-function'
  /** The program gave a function that no tool asks for. */
  | 'custom-tools/unknown-host-function';

/** Codes of the errors that this package throws to the host program. */
export type PiToolsErrorCode =
  /** Terminals, a prompt or a path that the base harness cannot be made of. */
  'pi-tools/invalid-option';

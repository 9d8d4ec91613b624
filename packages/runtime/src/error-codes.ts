/** Codes of the errors that this package throws; each is a mistake of the host program. */
export type RuntimeErrorCode = 'runtime/invalid-message' | 'runtime/invalid-output';

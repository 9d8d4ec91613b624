/** A part of a text that is a secret. */
export interface SecretSpan {
  /** Offset of its first code unit. */
  readonly start: number;
  /** Offset behind its last code unit. */
  readonly end: number;
  /** Whether it is reason enough to refuse a document; a weaker finding is only replaced in output. */
  readonly isCertain: boolean;
}

/** What stands in the place of a secret. */
export const REDACTED = '**redacted**';

/** A part of a text within which its beginning decides about its end, or its end about its beginning. */
export interface SecretReach {
  /** Offset of its first code unit. */
  readonly start: number;
  /** Offset behind its last code unit so far. */
  readonly end: number;
}

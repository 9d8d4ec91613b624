import { MillforgeError } from '@millforge/contracts';

/** Codes of the errors that the review throws. */
export type ReviewErrorCode =
  /** Roles, paths or limits of a review are wrong. */
  | 'review/options-invalid'
  /** There is no git on this machine. */
  | 'review/git-missing'
  /** The repository, the commit or the directory cannot be read. */
  | 'review/source-unreadable'
  /** The directory changed while it was captured. */
  | 'review/unstable-tree'
  /** The goal is no review, or one of another version. */
  | 'review/not-a-review';

/** Makes an error with one of the review's codes. */
export function reviewError(
  code: ReviewErrorCode,
  message: string,
  cause?: unknown,
): MillforgeError {
  return new MillforgeError(code, message, cause === undefined ? {} : { cause });
}

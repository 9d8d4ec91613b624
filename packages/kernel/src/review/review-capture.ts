import type { CapturedFile } from '../artifacts/captured-revision.ts';

/** What a review looks at: the bytes of one revision, by digest, and what of it could not be taken. */
export interface ReviewCapture {
  /** Type of this document. */
  readonly kind: 'review_capture';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** What was captured: `git:<commit>`, `tree:<digest>`. */
  readonly revision: string;
  /** Digest of the captured revision, the list of its files by digest. */
  readonly captured_revision: string;
  /** The files, by path. */
  readonly files: readonly CapturedFile[];
  /** Lines that differ from an earlier state, for files of which the source knows one. */
  readonly changes: readonly ChangedFile[];
  /** What is in scope and was not captured, by path. */
  readonly left_out: readonly LeftOut[];
}

/** The lines of one file that were added or changed since an earlier state. */
export interface ChangedFile {
  /** The file. */
  readonly path: string;
  /** First and last line of each piece, from 1, in order. */
  readonly lines: readonly (readonly [number, number])[];
}

/** A path in scope whose bytes were not captured. */
export interface LeftOut {
  /** The path. */
  readonly path: string;
  /** Why it was not captured. */
  readonly reason: LeftOutReason;
  /** The earlier state, as it was named, for what is `not-changed`. */
  readonly since?: string;
}

/** Why a path was not captured. */
export type LeftOutReason =
  /** The revision has nothing of that name. */
  | 'not-in-revision'
  /** Only what changed is looked at, and nothing of that name did. */
  | 'not-changed'
  /** It is larger than a file may be. */
  | 'file-too-large'
  /** The files before it were as many, or as large together, as a capture may be. */
  | 'scope-too-large'
  /** Its bytes are not in the repository. */
  | 'bytes-missing'
  /** It is a link, which is not followed. */
  | 'link'
  /** It is another repository. */
  | 'submodule'
  /** It is a socket, a pipe or a device. */
  | 'special'
  /** It may not be read. */
  | 'unreadable'
  /** It has a part that no file has: `..`, `.`, or an empty one. */
  | 'path-leaves-tree'
  /** Its name is not UTF-8. */
  | 'name-not-text';

/** How much a capture takes; what is beyond is left out and listed. */
export interface CaptureLimits {
  /** Most files. Default 5,000. */
  readonly maxFiles?: number;
  /** Most bytes of one file. Default 1 MiB. */
  readonly maxFileBytes?: number;
  /** Most bytes of all files. Default 64 MiB. */
  readonly maxBytes?: number;
}

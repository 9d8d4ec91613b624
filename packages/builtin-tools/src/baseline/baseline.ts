/** The workspace as it was when the run began. */
export interface Baseline {
  /** Its files by path. */
  readonly files: ReadonlyMap<string, BaselineFile>;
  /** Why it does not hold the whole workspace; null when it does. */
  readonly gap: string | null;
  /**
   * Reads the content of a file.
   *
   * @throws `baseline/corrupt` when it is not what was captured.
   */
  read(path: string): Promise<Buffer>;
}

/** One file of a baseline. */
export interface BaselineFile {
  /** Permission bits. */
  readonly mode: number;
  /** Number of bytes. */
  readonly bytes: number;
  /** Digest of the bytes. */
  readonly sha256: string;
  /** Place of the bytes among those that were kept; null for a file whose digest alone is known. */
  readonly offset: number | null;
  /**
   * Number and time of change of the entry of the disk: while they stay, so does the content. Null when
   * the file had changed just before, so that the time would not tell.
   */
  readonly stamp: string | null;
}

/** Files that a baseline holds at most. */
export const MAX_BASELINE_FILES = 50_000;

/** Bytes that it keeps at most. */
export const MAX_BASELINE_BYTES = 512 * 1024 * 1024;

/** Bytes of a file whose content is kept; of larger ones the digest is known. */
export const MAX_KEPT_BYTES = 4 * 1024 * 1024;

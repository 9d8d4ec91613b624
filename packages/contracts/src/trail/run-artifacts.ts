/** An artifact of a run: what the manifest of the run says about it. */
export interface ArtifactEntry {
  /** Names it in the run, such as `plan`. */
  readonly artifact_id: string;
  /** Name of its file in the folder of the run. */
  readonly path: string;
  /** Media type as it was written. */
  readonly media_type: string;
  /** Number of bytes. */
  readonly byte_size: number;
  /** Digest of the bytes. */
  readonly sha256_hex: string;
  /** Who wrote it: the id of a tool, or a part of the host. */
  readonly producer: string;
  /** Whether the bytes are all there; false only between the start and the end of a write. */
  readonly complete: boolean;
  /** Why it is not complete; null exactly when it is. */
  readonly failure_code: string | null;
}

/** The named artifacts of one run: one store for what tools write and what the host writes. */
export interface RunArtifacts {
  /**
   * Stores an artifact durably in one step, in place of an earlier one of that id.
   *
   * @throws `artifact/invalid` for an id that is none; `artifact/too-large`; nothing is changed then.
   */
  write(
    artifactId: string,
    bytes: Uint8Array,
    options: { readonly mediaType: string; readonly producer: string; readonly maxBytes?: number },
  ): Promise<ArtifactEntry>;
  /**
   * Reads an artifact whose digest was compared; null when there is none.
   *
   * @throws `artifact/corrupt` when the bytes are not those of the manifest.
   */
  read(
    artifactId: string,
  ): Promise<{ readonly entry: ArtifactEntry; readonly bytes: Uint8Array } | null>;
  /** All that there are, sorted by id. */
  list(): Promise<readonly ArtifactEntry[]>;
}

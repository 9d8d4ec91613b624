/** A stored artifact, named by its content. */
export interface ArtifactRef {
  /** Digest of the bytes. */
  readonly sha256: string;
  /** Number of bytes. */
  readonly bytes: number;
  /** Media type as given when it was stored. */
  readonly media_type: string;
}

/** Keeps bytes by digest. */
export interface ArtifactStore {
  /** Stores bytes durably; refuses more than `maxBytes` (`artifact/too-large`) and keeps nothing then. */
  put(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options: { readonly mediaType: string; readonly maxBytes: number },
  ): Promise<ArtifactRef>;
  /** Reads verified bytes; `artifact/not-found` or `artifact/corrupt` otherwise. */
  open(sha256: string): AsyncIterable<Uint8Array>;
}

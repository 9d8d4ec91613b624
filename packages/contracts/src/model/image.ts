/** Media types of the images that models are shown. */
export const IMAGE_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** Media type of an image that models are shown. */
export type ImageMediaType = (typeof IMAGE_MEDIA_TYPES)[number];

/** An image as the code of a tool hands it over. */
export interface ToolImage {
  /** What it is; its bytes must agree. */
  readonly mediaType: ImageMediaType;
  /** The bytes in Base64. */
  readonly data: string;
}

/** An image beside the text of a tool result, as the model is shown it. */
export interface ModelImage {
  /** What it is. */
  readonly media_type: ImageMediaType;
  /** Digest of the bytes. */
  readonly sha256: string;
  /** The bytes in Base64. */
  readonly data: string;
}

/** An image of a recorded outcome: with its bytes, or where an artifact store keeps those, by digest. */
export interface OutcomeImage {
  /** What it is. */
  readonly media_type: ImageMediaType;
  /** Digest of the bytes, by which the artifact store has them. */
  readonly sha256: string;
  /** Number of bytes. */
  readonly bytes: number;
  /** The bytes in Base64; absent where an artifact store keeps them. */
  readonly data?: string;
}

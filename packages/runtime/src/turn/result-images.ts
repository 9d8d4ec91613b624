import type {
  ArtifactStore,
  ModelImage,
  ModelMessage,
  OutcomeImage,
  ToolOutcome,
} from '@millforge/contracts';

type ToolMessage = Extract<ModelMessage, { readonly role: 'tool' }>;

/**
 * Moves the bytes of an outcome's images into an artifact store, so that what is recorded of the call stays
 * small. Without a store they stay with the outcome.
 */
export async function keepImages(
  outcome: ToolOutcome,
  artifacts: Pick<ArtifactStore, 'put'> | undefined,
): Promise<ToolOutcome> {
  const { images } = outcome;
  if (images === undefined || artifacts === undefined) return outcome;
  const kept: OutcomeImage[] = [];
  for (const { data, ...image } of images) {
    if (data !== undefined) {
      const bytes = Buffer.from(data, 'base64');
      await artifacts.put(bytes, { mediaType: image.media_type, maxBytes: bytes.length });
    }
    kept.push(image);
  }
  return { ...outcome, images: kept };
}

/** What the model reads of a result, with the images that can still be had. */
export async function resultMessage(
  message: Omit<ToolMessage, 'images'>,
  images: readonly OutcomeImage[],
  artifacts: Pick<ArtifactStore, 'open'> | undefined,
): Promise<ToolMessage> {
  const shown: ModelImage[] = [];
  for (const { media_type, sha256, data } of images) {
    const found = data ?? (await readBase64(sha256, artifacts));
    if (found !== null) shown.push(Object.freeze({ media_type, sha256, data: found }));
  }
  const missing = images.length - shown.length;
  const content = missing === 0 ? message.content : `${message.content}\n${GONE}`;
  return shown.length === 0
    ? { ...message, content }
    : { ...message, content, images: Object.freeze(shown) };
}

/** The message for a model that is not declared to see: the note is of the request, so nothing keeps it. */
export function withoutImages(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool' || message.images === undefined) return message;
  const known = blind.get(message);
  if (known !== undefined) return known;
  const { images: _, ...rest } = message;
  const told = Object.freeze({ ...rest, content: `${message.content}\n${NOT_SEEN}` });
  blind.set(message, told);
  return told;
}

async function readBase64(
  sha256: string,
  artifacts: Pick<ArtifactStore, 'open'> | undefined,
): Promise<string | null> {
  if (artifacts === undefined) return null;
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of artifacts.open(sha256)) pieces.push(piece);
    return Buffer.concat(pieces).toString('base64');
  } catch {
    // An image that is gone must not keep a run from going on; the model is told.
    return null;
  }
}

/** Clients encode a message once, by identity. */
const blind = new WeakMap<ModelMessage, ModelMessage>();
const NOT_SEEN =
  '[Current model does not support images. The image will be omitted from this request.]';
const GONE = '[An image of this result is not kept any more.]';

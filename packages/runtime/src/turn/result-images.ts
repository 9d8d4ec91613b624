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

/**
 * A result with its images. Those whose bytes cannot be had any more stand in it without data: what is
 * recorded of the conversation must not depend on that.
 */
export async function resultMessage(
  message: Omit<ToolMessage, 'images'>,
  images: readonly OutcomeImage[],
  artifacts: Pick<ArtifactStore, 'open'> | undefined,
): Promise<ToolMessage> {
  const found: ModelImage[] = [];
  for (const { media_type, sha256, data } of images) {
    const bytes = data ?? (await readBase64(sha256, artifacts));
    found.push(Object.freeze({ media_type, sha256, data: bytes }));
  }
  return { ...message, images: Object.freeze(found) };
}

/**
 * A message as a model is shown it: without images where it is not declared to see. What it is told then is
 * of the request, and nothing keeps it.
 */
export function shownMessage(message: ModelMessage, sees: boolean): ModelMessage {
  if (message.role !== 'tool' || message.images === undefined) return message;
  const known = (sees ? seen : unseen).get(message);
  if (known !== undefined) return known;
  const { images: all, ...text } = message;
  const images = sees ? all.filter(({ data }) => data !== '') : [];
  const note = sees ? GONE : NOT_SEEN;
  const content = images.length === all.length ? message.content : `${message.content}\n${note}`;
  const shown = Object.freeze({ ...text, content, ...(images.length === 0 ? {} : { images }) });
  (sees ? seen : unseen).set(message, shown);
  return shown;
}

async function readBase64(
  sha256: string,
  artifacts: Pick<ArtifactStore, 'open'> | undefined,
): Promise<string> {
  if (artifacts === undefined) return '';
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of artifacts.open(sha256)) pieces.push(piece);
    return Buffer.concat(pieces).toString('base64');
  } catch {
    // An image that is gone must not keep a run from going on; the model is told.
    return '';
  }
}

/** Clients encode a message once, by identity. */
const seen = new WeakMap<ModelMessage, ModelMessage>();
const unseen = new WeakMap<ModelMessage, ModelMessage>();
const NOT_SEEN =
  '[Current model does not support images. The image will be omitted from this request.]';
const GONE = '[An image of this result is not kept any more.]';

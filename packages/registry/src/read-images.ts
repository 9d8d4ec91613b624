import {
  IMAGE_MEDIA_TYPES,
  type ImageMediaType,
  type JsonValue,
  type OutcomeImage,
  sha256,
} from '@millforge/contracts';
import { isJsonObject } from './plain-json.ts';

/** Reads the images that a tool hands over; null when one is none that a model can be shown, or too many. */
export function readImages(given: JsonValue): readonly OutcomeImage[] | null {
  if (!Array.isArray(given) || given.length > MAX_IMAGES) return null;
  const images: OutcomeImage[] = [];
  let characters = 0;
  for (const image of given) {
    const read = readImage(image);
    if (read === null) return null;
    characters += read.data.length;
    if (characters > MAX_CHARACTERS) return null;
    images.push(read);
  }
  return images;
}

function readImage(given: JsonValue): (OutcomeImage & { readonly data: string }) | null {
  if (!isJsonObject(given)) return null;
  const { mediaType, data } = given;
  if (!isMediaType(mediaType) || typeof data !== 'string' || data === '') return null;
  if (data.length > MAX_CHARACTERS) return null;
  const bytes = Buffer.from(data, 'base64');
  // Whatever else the text holds would be passed over, and be sent on as it is.
  if (bytes.toString('base64') !== data) return null;
  return { media_type: mediaType, sha256: sha256(bytes), bytes: bytes.length, data };
}

function isMediaType(given: JsonValue | undefined): given is ImageMediaType {
  return IMAGE_MEDIA_TYPES.some((type) => type === given);
}

const MAX_IMAGES = 16;
const MAX_CHARACTERS = 32 * 1024 * 1024;

import { isUtf8 } from 'node:buffer';
import {
  IMAGE_MEDIA_TYPES,
  type ImageMediaType,
  type ToolImage,
  type ToolResult,
} from '@millforge/contracts';
import { type PlainFile, readWhole } from '../plain-file.ts';
import type { ProfileSwitches } from '../profile.ts';
import { toolFault } from '../tool-fault.ts';
import { fitImage } from './fit-image.ts';

/** How an image is read. */
export interface ImageReading {
  /** What it is by its first bytes. */
  readonly mediaType: string;
  /** Whether it is brought within the limits of a request. */
  readonly resizes: boolean;
  readonly profile: ProfileSwitches;
  readonly signal: AbortSignal;
}

/** Reads an image to be shown beside the text; null for what turns out to be text that begins like one. */
export async function readImage(
  file: PlainFile,
  { mediaType, resizes, profile, signal }: ImageReading,
): Promise<ToolResult | null> {
  if (file.stats.size > MAX_BYTES) return described(mediaType, [OMITTED]);
  const bytes = await readWhole(file, { maxBytes: MAX_BYTES, tooLarge });
  const known = IMAGE_MEDIA_TYPES.find((type) => type === mediaType);
  if (!resizes && known !== undefined) return described(mediaType, [], imageOf(known, bytes));
  const isShownAsIs = known !== undefined;
  const fitted = await fitImage(bytes, { isShownAsIs, signal });
  if (fitted.kind === 'made') {
    const [[width, height], [w, h]] = [fitted.original, fitted.shown];
    const scale = (width / w).toFixed(2);
    const note = `[Image: original ${width}x${height}, displayed at ${w}x${h}. Multiply coordinates by ${scale} to map to original image.]`;
    return described(fitted.mediaType, [note], imageOf(fitted.mediaType, fitted.bytes));
  }
  if (fitted.kind === 'as-is' && known !== undefined) {
    return described(mediaType, [], imageOf(known, bytes));
  }
  return profile.knowsImages && isUtf8(bytes) ? null : described(mediaType, [OMITTED]);
}

function described(mediaType: string, notes: readonly string[], image?: ToolImage): ToolResult {
  return {
    kind: 'done',
    text: [`Read image file [${mediaType}]`, ...notes].join('\n'),
    truncated: false,
    data: { truncated: false },
    ...(image === undefined ? {} : { images: [image] }),
  };
}

function imageOf(mediaType: ImageMediaType, bytes: Uint8Array): ToolImage {
  return { mediaType, data: Buffer.from(bytes).toString('base64') };
}

function tooLarge(): Error {
  return toolFault('io_error', 'The image grew while it was read; read it again.');
}

const OMITTED = '[Image omitted: could not be resized below the inline image size limit.]';
const MAX_BYTES = 64 * 1024 * 1024;

// Decodes one image in a thread of its own, so that a large one or a broken one holds up nothing else.
import { parentPort, workerData } from 'node:worker_threads';
import photon from '@silvia-odwyer/photon-node';
import { imageSize } from 'image-size';

/** Limits of what is shown, as `read-image.ts` sets them. */
const { bytes, isShownAsIs, maxSide, maxCharacters, maxPixels } = workerData;

function answer() {
  try {
    // The size is in the header: nobody has to unpack a thousand million pixels to know it.
    const { width, height, orientation } = imageSize(bytes);
    if (width * height > maxPixels) return { kind: 'unfit' };
    const image = upright(photon.PhotonImage.new_from_byteslice(bytes), orientation);
    return fitted(image);
  } catch {
    // The decoder throws for what is no image, or is one that is broken.
    return { kind: 'unfit' };
  }
}

function fitted(image) {
  const original = sizeOf(image);
  const isSmall = Math.max(...original) <= maxSide && charactersOf(bytes) < maxCharacters;
  if (isSmall && isShownAsIs) return { kind: 'as-is' };
  for (let shown = withinSide(original); ; shown = shown.map(smaller)) {
    const scaled = isSame(shown, original) ? image : photon.resize(image, ...shown, LANCZOS);
    for (const [mediaType, encode] of encodings(scaled)) {
      const made = encode();
      if (charactersOf(made) < maxCharacters) {
        return { kind: 'made', bytes: made, mediaType, original, shown };
      }
    }
    if (Math.max(...shown) === 1) return { kind: 'unfit' };
  }
}

/** What is tried one after the other, until something is small enough. */
function encodings(image) {
  const asJpeg = (quality) => ['image/jpeg', () => image.get_bytes_jpeg(quality)];
  return [['image/png', () => image.get_bytes()], ...[80, 85, 70, 55, 40].map(asJpeg)];
}

function withinSide([width, height]) {
  let [w, h] = [width, height];
  if (w > maxSide) [w, h] = [maxSide, Math.round((h * maxSide) / w)];
  if (h > maxSide) [w, h] = [Math.round((w * maxSide) / h), maxSide];
  return [Math.max(1, w), Math.max(1, h)];
}

function smaller(side) {
  return Math.max(1, Math.floor(side * 0.75));
}

/** Turns an image as its camera was held: 1 to 8 as EXIF numbers it. */
function upright(image, orientation = 1) {
  const placesOf = PLACES[orientation];
  if (placesOf === undefined) return image;
  const [width, height] = sizeOf(image);
  const place = placesOf(width - 1, height - 1);
  const [w, h] = orientation > 4 ? [height, width] : [width, height];
  const from = new Uint32Array(image.get_raw_pixels().slice().buffer);
  const to = new Uint32Array(from.length);
  for (let y = 0, at = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1, at += 1) {
      const [sourceX, sourceY] = place(x, y);
      to[at] = from[sourceY * width + sourceX];
    }
  }
  return new photon.PhotonImage(new Uint8Array(to.buffer), w, h);
}

function sizeOf(image) {
  return [image.get_width(), image.get_height()];
}

function isSame([width, height], [w, h]) {
  return width === w && height === h;
}

/** Characters of bytes in Base64. */
function charactersOf({ length }) {
  return Math.ceil(length / 3) * 4;
}

const LANCZOS = 5;
/** Where a pixel of the upright image comes from, by the last column and row of the source. */
const PLACES = {
  2: (right) => (x, y) => [right - x, y],
  3: (right, bottom) => (x, y) => [right - x, bottom - y],
  4: (_right, bottom) => (x, y) => [x, bottom - y],
  5: () => (x, y) => [y, x],
  6: (_right, bottom) => (x, y) => [y, bottom - x],
  7: (right, bottom) => (x, y) => [right - y, bottom - x],
  8: (right) => (x, y) => [right - y, x],
};

const given = answer();
parentPort.postMessage(given, given.kind === 'made' ? [given.bytes.buffer] : []);

import photon from '@silvia-odwyer/photon-node';

/** Colour of a pixel: red, green, blue. */
export type Pixel = (x: number, y: number) => readonly [number, number, number];

/** A colour that changes from pixel to pixel, slowly. */
export const GRADIENT: Pixel = (x, y) => [x & 255, y & 255, (x + y) & 255];

/** Colours that nothing makes smaller, the same ones each time. */
export function noise(): Pixel {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 16) & 255;
  };
  return () => [next(), next(), next()];
}

/** Makes a PNG. */
export function drawing(width: number, height: number, pixel: Pixel): Buffer {
  return Buffer.from(imageOf(width, height, pixel).get_bytes());
}

/** Makes a photograph whose camera was turned. */
export function turnedPhotograph(width: number, height: number, pixel: Pixel): Buffer {
  const bytes = Buffer.from(imageOf(width, height, pixel).get_bytes_jpeg(90));
  const exif = Buffer.from(
    'Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0',
    'latin1',
  );
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([bytes.subarray(0, 2), head, exif, bytes.subarray(2)]);
}

function imageOf(width: number, height: number, pixel: Pixel): photon.PhotonImage {
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) pixels.set([...pixel(x, y), 255], at);
  }
  return new photon.PhotonImage(pixels, width, height);
}

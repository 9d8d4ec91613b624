import { deflateSync } from 'node:zlib';
import photon from '@silvia-odwyer/photon-node';

/** Colour of a pixel: red, green, blue. */
export type Pixel = (x: number, y: number) => readonly [number, number, number];

/** Makes a PNG. */
export function png(width: number, height: number, pixel: Pixel): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0, at = 0; y < height; y += 1) {
    // Each row begins with its filter: none.
    at += 1;
    for (let x = 0; x < width; x += 1, at += 3) rows.set(pixel(x, y), at);
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const body = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...body]);
}

/** Makes a photograph whose camera was turned; its first application segment is about something else. */
export function turnedJpeg(size: readonly [number, number], turn: number, pixel: Pixel): Buffer {
  const [width, height] = size;
  const upright = photon.PhotonImage.new_from_byteslice(png(width, height, pixel));
  const bytes = Buffer.from(upright.get_bytes_jpeg(90));
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0', 'latin1'),
    Buffer.from([turn, 0, 0, 0, 0, 0, 0, 0]),
  ]);
  const xmp = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
  const start = bytes.subarray(0, 2);
  return Buffer.concat([start, segment(xmp), segment(exif), bytes.subarray(2)]);
}

/** Makes a bitmap of one colour. */
export function bitmap(width: number, height: number): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 0x7f);
  bytes.fill(0, 0, 54);
  bytes.write('BM', 'latin1');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

/** The pixels of an image in Base64. */
export function decoded(data: string): {
  readonly size: readonly [number, number];
  readonly at: (x: number, y: number) => readonly number[];
} {
  const image = photon.PhotonImage.new_from_byteslice(Buffer.from(data, 'base64'));
  const [width, height] = [image.get_width(), image.get_height()];
  const pixels = image.get_raw_pixels();
  return {
    size: [width, height],
    at: (x, y) => Array.from(pixels.slice((y * width + x) * 4, (y * width + x) * 4 + 3)),
  };
}

function chunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(data.length);
  return Buffer.concat([frame, body, checksum(body)]);
}

function checksum(bytes: Buffer): Buffer {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  const result = Buffer.alloc(4);
  result.writeUInt32BE((sum ^ 0xffffffff) >>> 0);
  return result;
}

function segment(data: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

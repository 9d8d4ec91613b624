import { type PlainFile, readPiece } from '../plain-file.ts';

/** The media type of an image by its first bytes; null for anything else. The name says nothing. */
export async function sniffImage(
  file: PlainFile,
  { knowsImages }: { readonly knowsImages: boolean },
): Promise<string | null> {
  const buffer = Buffer.allocUnsafe(4100);
  const head = buffer.subarray(0, await readPiece(file, buffer, 0));
  if (startsWith(head, 0, [0xff, 0xd8, 0xff]) && head[3] !== 0xf7) return 'image/jpeg';
  if (startsWith(head, 0, PNG) && head.length >= 16) return isAnimated(head) ? null : 'image/png';
  const start = head.toString('latin1', 0, 12);
  if ((knowsImages ? GIF : ANY_GIF).test(start)) return 'image/gif';
  if (knowsImages && isBitmap(head)) return 'image/bmp';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null;
}

/** Two letters begin many a text, so the sizes of the headers count, too. */
function isBitmap(head: Buffer): boolean {
  if (head.length < 26 || head.toString('latin1', 0, 2) !== 'BM') return false;
  return head.readUInt32LE(6) === 0 && BITMAP_HEADERS.has(head.readUInt32LE(14));
}

function isAnimated(head: Buffer): boolean {
  const control = head.indexOf('acTL', 0, 'latin1');
  const data = head.indexOf('IDAT', 0, 'latin1');
  return control >= 0 && (data < 0 || control < data);
}

function startsWith(bytes: Buffer, at: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, index) => bytes[at + index] === byte);
}

const GIF = /^GIF8[79]a/;
const BITMAP_HEADERS: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124]);
const ANY_GIF = /^GIF/;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Counts the line feeds from an offset on, four bytes at a time. */
export function countFeeds(bytes: Buffer, from: number): number {
  let count = 0;
  let at = from;
  for (; at < bytes.length && (bytes.byteOffset + at) % 4 !== 0; at++) {
    if (bytes[at] === 0x0a) count++;
  }
  // A view has to begin at a whole word, even one of no words.
  const rest = (bytes.length - at) >> 2;
  const words = rest === 0 ? NONE : new Uint32Array(bytes.buffer, bytes.byteOffset + at, rest);
  for (let index = 0; index < words.length; index++) {
    // A byte that is a line feed becomes zero; of every zero byte only its highest bit is left.
    const zeros = (words[index] ?? 0) ^ 0x0a0a0a0a;
    const others = ((zeros & 0x7f7f7f7f) + 0x7f7f7f7f) | zeros | 0x7f7f7f7f;
    if (others !== -1) count += Math.imul(~others >>> 7, 0x01010101) >>> 24;
  }
  for (at += words.length * 4; at < bytes.length; at++) if (bytes[at] === 0x0a) count++;
  return count;
}

const NONE = new Uint32Array(0);

/** Counts the line feeds in some bytes, four at a time. */
export function countFeeds(bytes: Buffer): number {
  let count = 0;
  let at = 0;
  for (; at < bytes.length && (bytes.byteOffset + at) % 4 !== 0; at++) {
    if (bytes[at] === 0x0a) count++;
  }
  // A view has to begin at a whole word, even one of no words.
  const rest = (bytes.length - at) >> 2;
  const words = rest === 0 ? NONE : new Uint32Array(bytes.buffer, bytes.byteOffset + at, rest);
  // One counter per byte of a word, emptied before one of them can run over.
  for (let from = 0; from < words.length; from += 255) {
    const end = Math.min(words.length, from + 255);
    let counters = 0;
    for (let index = from; index < end; index++) {
      // A byte that is a line feed becomes zero; of every zero byte only its highest bit is left.
      const zeros = (words[index] ?? 0) ^ 0x0a0a0a0a;
      const others = ((zeros & 0x7f7f7f7f) + 0x7f7f7f7f) | zeros | 0x7f7f7f7f;
      counters = (counters + (~others >>> 7)) | 0;
    }
    const pairs = (counters & 0x00ff00ff) + ((counters >>> 8) & 0x00ff00ff);
    count += (pairs & 0xffff) + (pairs >>> 16);
  }
  for (at += words.length * 4; at < bytes.length; at++) if (bytes[at] === 0x0a) count++;
  return count;
}

const NONE = new Uint32Array(0);

/** Reads a stream of bytes in lines and exact pieces. */
export interface ByteReader {
  /** Bytes up to the next line feed, which is taken as well; null at the end. */
  line(): Promise<string | null>;
  /** Exactly so many bytes; null when there are fewer. */
  exact(count: number): Promise<Buffer | null>;
}

/** Begins to read; the source is read no further than is asked for. */
export function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);

  const more = async (): Promise<boolean> => {
    const next = await chunks.next();
    if (next.done === true) return false;
    buffered = Buffer.concat([buffered, next.value]);
    return true;
  };

  return {
    async line() {
      let end = buffered.indexOf(LINE_FEED);
      while (end < 0) {
        if (!(await more())) return null;
        end = buffered.indexOf(LINE_FEED);
      }
      const line = buffered.subarray(0, end).toString('utf8');
      buffered = buffered.subarray(end + 1);
      return line;
    },
    async exact(count) {
      // Pieces are joined once: a large object comes in many of them.
      const parts = [buffered];
      let length = buffered.byteLength;
      while (length < count) {
        const next = await chunks.next();
        if (next.done === true) return null;
        parts.push(next.value);
        length += next.value.byteLength;
      }
      const whole = Buffer.concat(parts);
      buffered = whole.subarray(count);
      return whole.subarray(0, count);
    },
  };
}

const LINE_FEED = 0x0a;

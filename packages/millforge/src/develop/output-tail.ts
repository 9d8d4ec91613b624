/** The end of an output, however long it is. */
export interface OutputTail {
  /** Takes the next piece. */
  readonly add: (chunk: Uint8Array) => void;
  /** The last bytes. */
  readonly bytes: () => Uint8Array;
}

/** Keeps at most 256 KiB. */
export function createTail(): OutputTail {
  let kept: Buffer[] = [];
  let length = 0;
  const last = (): Buffer => Buffer.concat(kept).subarray(-MAX_BYTES);
  return {
    add(chunk) {
      kept.push(Buffer.from(chunk));
      length += chunk.length;
      // Cut now and then only, so that many small pieces cost no more than their bytes.
      if (length <= 2 * MAX_BYTES) return;
      kept = [Buffer.from(last())];
      length = MAX_BYTES;
    },
    bytes: last,
  };
}

const MAX_BYTES = 262_144;

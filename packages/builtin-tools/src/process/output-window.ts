import { endOfWord, startOfWord } from '../files/token-cut.ts';

/** Takes output of any length in fixed memory: keeps its beginning and, mostly, its end. */
export interface OutputWindow {
  add(chunk: Buffer): void;
  /** What is kept, with a line about what is not. */
  text(): { readonly text: string; readonly isCut: boolean };
}

/** Makes a window of at most `maxBytes`: a quarter for the beginning, the rest for the end. */
export function outputWindow(maxBytes: number): OutputWindow {
  const headBytes = Math.floor(maxBytes / 4);
  const tailBytes = maxBytes - headBytes;
  const head: Buffer[] = [];
  let headLength = 0;
  let tail: Buffer[] = [];
  let tailLength = 0;
  let total = 0;
  return {
    add(chunk) {
      total += chunk.length;
      const first = chunk.subarray(0, headBytes - headLength);
      if (first.length > 0) head.push(first);
      headLength += first.length;
      const rest = chunk.subarray(first.length);
      if (rest.length === 0) return;
      tail.push(rest);
      tailLength += rest.length;
      // Joined now and then only, so that many small pieces cost no more than a large one.
      if (tailLength > 4 * tailBytes + 65_536) {
        const kept = Buffer.from(Buffer.concat(tail).subarray(-tailBytes));
        tail = [kept];
        tailLength = kept.length;
      }
    },
    text() {
      const end = Buffer.concat(tail).subarray(-tailBytes);
      const left = total - headLength - end.length;
      if (left === 0) return { text: decode(Buffer.concat([...head, end])), isCut: false };
      const first = Buffer.concat(head);
      const [stop, start] = [lastEnd(first), firstStart(end)];
      const kept = stop + end.length - start;
      const note = `\n[${total - kept} bytes left out]\n`;
      const [before, after] = [first.subarray(0, stop), end.subarray(start)];
      const text = [
        decode(before).replace(HALF_AT_END, ''),
        decode(after).replace(HALF_AT_START, ''),
      ];
      return { text: text.join(note), isCut: true };
    },
  };
}

function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The end of the last whole word: what follows the bytes is not known, so the last one counts as cut. */
function lastEnd(bytes: Buffer): number {
  return endOfWord(Buffer.concat([bytes, WORD]), bytes.length);
}

/** The beginning of the first whole word, likewise. */
function firstStart(bytes: Buffer): number {
  return startOfWord(Buffer.concat([WORD, bytes]), WORD.length) - WORD.length;
}

/** What is left of a character at a cut. */
const HALF_AT_END = /\ufffd{1,3}$/;
const HALF_AT_START = /^\ufffd{1,3}/;
const WORD = Buffer.from('x');

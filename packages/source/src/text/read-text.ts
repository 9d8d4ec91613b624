import { sha256 } from '@millforge/contracts';
import type { SourceFault } from '../diagnostics.ts';
import { createPositions } from './positions.ts';

/** A document as normalised text with its digest, or the reason why it is no text. */
export type ReadText =
  | { readonly ok: true; readonly text: string; readonly sha256: string }
  | { readonly ok: false; readonly fault: SourceFault };

/** Turns raw content into text: no byte order mark, LF line ends, no characters that are not text. */
export function readText(content: Uint8Array | string, maxBytes: number): ReadText {
  const size = byteLength(content, maxBytes);
  if (size > maxBytes) {
    return refuse({ rule: 'too-large', location: START, sourceSize: size });
  }
  const decoded = typeof content === 'string' ? content : decode(content);
  if (typeof decoded !== 'string') return refuse(decoded);
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  const surrogate = text.search(LONE_SURROGATE);
  if (surrogate >= 0) return refuseAt('surrogate', text, surrogate);
  const control = text.search(CONTROL);
  if (control >= 0) return refuseAt('control-character', text, control);
  const normalised = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  return { ok: true, text: normalised, sha256: sha256(normalised) };
}

function byteLength(content: Uint8Array | string, maxBytes: number): number {
  if (typeof content !== 'string') return content.byteLength;
  // Every UTF-16 unit stands for at least one byte: a hopeless text is not encoded to be measured.
  if (content.length > maxBytes) return content.length;
  // And for at most three, so neither is one that is surely small enough.
  if (content.length * 3 <= maxBytes) return content.length;
  return new TextEncoder().encode(content).byteLength;
}

function decode(bytes: Uint8Array): string | SourceFault {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder's only failure is ill-formed input; it does not say where.
    return { rule: 'not-utf8', location: locationAfter(decodablePrefix(bytes)) };
  }
}

/** The text before the first ill-formed sequence, found by halving: the decoder names no offset. */
function decodablePrefix(bytes: Uint8Array): string {
  let good = 0;
  let bad = bytes.length + 1;
  let prefix = '';
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    const text = decodeStart(bytes.subarray(0, middle));
    if (text === null) bad = middle;
    else {
      good = middle;
      prefix = text;
    }
  }
  return prefix;
}

function decodeStart(bytes: Uint8Array): string | null {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

function locationAfter(decoded: string) {
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  return createPositions(text).at(text.length);
}

function refuse(fault: SourceFault): ReadText {
  return { ok: false, fault };
}

function refuseAt(rule: SourceFault['rule'], text: string, offset: number): ReadText {
  return refuse({ rule, location: createPositions(text).at(offset) });
}

const START = { line: 1, column: 1 };
const BYTE_ORDER_MARK = '\ufeff';
// Cc is exactly U+0000–001F and U+007F–009F.
const CONTROL = /[^\P{Cc}\t\n\r]/u;
const LONE_SURROGATE = /\p{Cs}/u;

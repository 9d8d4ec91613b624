import type { JsonValue } from '@millforge/contracts';
import {
  type BlockReading,
  type BlockSource,
  brokenCall,
  callsUpTo,
  otherUpTo,
} from './text-call.ts';
import { betweenTags, nameAt, skipSpace } from './text-walk.ts';

/** Reads `<tool><key>value</key></tool>` of a tool that is on offer; any other tag is no call. */
export function readToolTag({ text, isTool }: BlockSource, at: number): BlockReading {
  const opening = nameAt(TAG, text, at);
  if (opening === null || !isTool(opening.name)) return otherUpTo(at + 1);
  const { name } = opening;
  // A tag around plain text may be markup of any kind; a call has tags inside.
  const inside = skipSpace(text, opening.end);
  if (text[inside] !== '<') return otherUpTo(at + 1);
  const args = new Map<string, JsonValue>();
  let { end } = opening;
  for (;;) {
    const tag = nameAt(TAG, text, end);
    if (tag === null) break;
    const { name: key, end: from } = tag;
    const closing = `</${key}>`;
    const to = text.indexOf(closing, from);
    if (to < 0 || args.has(key)) return brokenCall(name, to < 0);
    args.set(key, betweenTags(text, from, to));
    end = to + closing.length;
  }
  const close = skipSpace(text, end);
  const closing = `</${name}>`;
  if (!text.startsWith(closing, close)) {
    return brokenCall(name, close >= text.length);
  }
  const call = { name, arguments: Object.fromEntries(args), format: 'tool-tag' } as const;
  return callsUpTo(close + closing.length, [call]);
}

const TAG = /\s*<([A-Za-z_][\w-]{0,63})>/y;

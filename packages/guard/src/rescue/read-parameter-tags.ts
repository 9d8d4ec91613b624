import type { JsonValue } from '@millforge/contracts';
import { readJsonAt } from './read-json-block.ts';
import { type BlockReader, brokenCall, callsUpTo, type TextCallFormat } from './text-call.ts';
import { betweenTags, endAt, nameAt, skipSpace, TAG_PREFIX } from './text-walk.ts';

/** The spelling of one family of tags. */
interface TagForm {
  readonly format: TextCallFormat;
  readonly opening: RegExp;
  readonly parameter: RegExp;
  /** Where a value ends: its own closing tag, the next parameter, or the end of the call. */
  readonly valueEnd: RegExp;
  readonly closing: RegExp;
}

/** The reader of one family. */
function readerOf(form: TagForm): BlockReader {
  return (source, at) => {
    const { text } = source;
    const opening = nameAt(form.opening, text, at);
    if (opening === null) {
      return brokenCall(null, at >= text.length || (text[at] === '<' && text.indexOf('>', at) < 0));
    }
    const { name } = opening;
    const from = skipSpace(text, opening.end);
    const body = text[from] === '{' ? readJsonAt(source, from) : readParameters(text, from, form);
    if (!body.ok) return brokenCall(name, body.isCut);
    const end = endAt(form.closing, text, body.end);
    if (end < 0) {
      // Text between the parameters would be lost.
      return brokenCall(name, skipSpace(text, body.end) >= text.length);
    }
    const call = { name, arguments: body.value, format: form.format };
    return callsUpTo(end, [call]);
  };
}

type Parameters =
  | { readonly ok: true; readonly value: JsonValue; readonly end: number }
  | { readonly ok: false; readonly isCut: boolean };

function readParameters(text: string, at: number, form: TagForm): Parameters {
  const args = new Map<string, JsonValue>();
  let end = at;
  for (;;) {
    const tag = nameAt(form.parameter, text, end);
    if (tag === null) break;
    const { name: key, end: from } = tag;
    form.valueEnd.lastIndex = from;
    const stop = form.valueEnd.exec(text);
    if (stop === null) return { ok: false, isCut: true };
    if (args.has(key)) return { ok: false, isCut: false };
    args.set(key, betweenTags(text, from, stop.index));
    // What begins the next parameter or ends the call is read in the next round.
    end = stop.index + (stop[1] === undefined ? 0 : stop[0].length);
  }
  return { ok: true, value: Object.fromEntries(args), end };
}

/** Reads `<function=name>` with `<parameter=key>` tags or a JSON object inside. */
export const readFunctionTag = readerOf({
  format: 'function-tag',
  opening: /<function=([\w.:/-]{1,128})>/y,
  parameter: /\s*<parameter=([\w.-]{1,128})>/y,
  valueEnd: /(<\/parameter>)|<parameter=|<\/function>/g,
  closing: /\s*<\/function>/y,
});

/** Reads `name<arg_key>k</arg_key><arg_value>v</arg_value>…`, the inside of a call of GLM. */
export const readArgumentTags = readerOf({
  format: 'argument-tags',
  opening: /([A-Za-z_][\w.:/-]{0,127})\s*(?=<arg_key>|<\/tool_call>)/y,
  parameter: /\s*<arg_key>\s*([^<>\s]{1,128})\s*<\/arg_key>\s*<arg_value>/y,
  valueEnd: /(<\/arg_value>)/g,
  // Text that is no argument would be lost.
  closing: /\s*(?=<\/tool_call>)/y,
});

/** Reads `<invoke name="…">` with `<parameter name="…">` tags, under any prefix of the tags. */
export const readInvokeTag = readerOf({
  format: 'invoke-tag',
  opening: new RegExp(`<${TAG_PREFIX}invoke\\s+name="([^"<>]{1,128})"\\s*>`, 'y'),
  parameter: new RegExp(`\\s*<${TAG_PREFIX}parameter\\s+name="([^"<>]{1,128})"[^<>]{0,64}>`, 'y'),
  valueEnd: new RegExp(
    `(</${TAG_PREFIX}parameter>)|<${TAG_PREFIX}parameter\\s+name=|</${TAG_PREFIX}invoke>`,
    'g',
  ),
  closing: new RegExp(`\\s*</${TAG_PREFIX}invoke>`, 'y'),
});

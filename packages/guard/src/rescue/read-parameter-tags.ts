import type { JsonValue } from '@millforge/contracts';
import { readJsonAt } from './read-json-block.ts';
import type { BlockReading, BlockSource, TextCallFormat } from './text-call.ts';
import { betweenTags, matchAt, skipSpace } from './text-walk.ts';

/** Reads `<function=name>` with `<parameter=key>` tags or a JSON object inside. */
export function readFunctionTag(source: BlockSource, at: number): BlockReading {
  return readTag(source, at, FUNCTION);
}

/** Reads `<invoke name="…">` with `<parameter name="…">` tags, under any prefix of the tags. */
export function readInvokeTag(source: BlockSource, at: number): BlockReading {
  return readTag(source, at, INVOKE);
}

/** The spelling of one family of tags. */
interface TagForm {
  readonly format: TextCallFormat;
  readonly opening: RegExp;
  readonly parameter: RegExp;
  /** Where a value ends: its own closing tag, the next parameter, or the end of the call. */
  readonly valueEnd: RegExp;
  readonly closing: RegExp;
}

function readTag(source: BlockSource, at: number, form: TagForm): BlockReading {
  const { text } = source;
  const [opening, name] = matchAt(form.opening, text, at) ?? [];
  if (opening === undefined || name === undefined) {
    return { kind: 'broken', name: null, isCut: text.indexOf('>', at) < 0 };
  }
  const from = skipSpace(text, at + opening.length);
  const body = text[from] === '{' ? readJsonAt(source, from) : readParameters(text, from, form);
  if (!body.ok) return { kind: 'broken', name, isCut: body.isCut };
  const [closing] = matchAt(form.closing, text, body.end) ?? [];
  if (closing === undefined) {
    // Text between the parameters would be lost.
    return { kind: 'broken', name, isCut: skipSpace(text, body.end) >= text.length };
  }
  const call = { name, arguments: body.value, format: form.format };
  return { kind: 'calls', calls: [call], end: body.end + closing.length };
}

type Parameters =
  | { readonly ok: true; readonly value: JsonValue; readonly end: number }
  | { readonly ok: false; readonly isCut: boolean };

function readParameters(text: string, at: number, form: TagForm): Parameters {
  const args = new Map<string, JsonValue>();
  let end = at;
  for (;;) {
    const [tag, key] = matchAt(form.parameter, text, end) ?? [];
    if (tag === undefined || key === undefined) break;
    const from = end + tag.length;
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

const FUNCTION: TagForm = {
  format: 'function-tag',
  opening: /<function=([\w.:/-]{1,128})>/y,
  parameter: /\s*<parameter=([\w.-]{1,128})>/y,
  valueEnd: /(<\/parameter>)|<parameter=|<\/function>/g,
  closing: /\s*<\/function>/y,
};

const PREFIX = String.raw`(?:[\w-]{1,32}:|｜\w{1,32}｜)?`;
const INVOKE: TagForm = {
  format: 'invoke-tag',
  opening: new RegExp(`<${PREFIX}invoke\\s+name="([^"<>]{1,128})"\\s*>`, 'y'),
  parameter: new RegExp(`\\s*<${PREFIX}parameter\\s+name="([^"<>]{1,128})"[^<>]{0,64}>`, 'y'),
  valueEnd: new RegExp(
    `(</${PREFIX}parameter>)|<${PREFIX}parameter\\s+name=|</${PREFIX}invoke>`,
    'g',
  ),
  closing: new RegExp(`\\s*</${PREFIX}invoke>`, 'y'),
};

import type { LooseJsonOptions } from '../read-loose-json.ts';
import { readJsonAt } from './read-json-block.ts';
import {
  type BlockReading,
  type BlockSource,
  brokenCall,
  callsUpTo,
  type TextCall,
  type TextCallFormat,
} from './text-call.ts';
import { endAt, nameAt, skipSpace } from './text-walk.ts';

/** A format in which every call has a head with its name, the JSON of its arguments, and perhaps a tail. */
export interface HeadedForm {
  readonly format: TextCallFormat;
  /** Ends where the JSON begins; its group is the name. */
  readonly head: RegExp;
  /** What stands behind the JSON; nothing unless given. */
  readonly tail?: RegExp;
  /** Whether the tail must not be missing at the end of the text either; default false. */
  readonly needsTail?: boolean;
  /** What may stand around all calls together. */
  readonly end?: RegExp;
  /** How the JSON departs from JSON. */
  readonly json?: LooseJsonOptions;
  /** Of which calls the name has to be a tool, so that reading stops before another one; default of none. */
  readonly tools?: 'every' | 'further';
}

/** Reads one or more calls of a form, or null where not even one begins. */
export function readHeadedCalls(
  source: BlockSource,
  at: number,
  form: HeadedForm,
): BlockReading | null {
  const { text } = source;
  const calls: TextCall[] = [];
  let end = at;
  for (;;) {
    const head = nameAt(form.head, text, end);
    if (head === null) break;
    const { name } = head;
    const isJudged = form.tools === 'every' || (form.tools === 'further' && calls.length > 0);
    if (isJudged && !source.isTool(name)) break;
    const block = readJsonAt(source, skipSpace(text, head.end), form.json);
    if (!block.ok) return brokenCall(name, block.isCut);
    end = block.end;
    if (form.tail !== undefined) {
      const isEnd = skipSpace(text, end) >= text.length;
      const behind = endAt(form.tail, text, end);
      if (behind < 0 && (!isEnd || form.needsTail === true)) return brokenCall(name, isEnd);
      end = Math.max(end, behind);
    }
    calls.push({ name, arguments: block.value, format: form.format });
  }
  if (calls.length === 0) return null;
  return callsUpTo(Math.max(end, form.end === undefined ? -1 : endAt(form.end, text, end)), calls);
}

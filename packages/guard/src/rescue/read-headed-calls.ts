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
import { matchAt, skipSpace } from './text-walk.ts';

/** A format in which every call has a head with its name, the JSON of its arguments, and perhaps a tail. */
export interface HeadedForm {
  readonly format: TextCallFormat;
  /** Ends where the JSON begins; its group is the name. */
  readonly head: RegExp;
  /** What stands behind the JSON; nothing unless given. */
  readonly tail?: RegExp;
  /** Whether the tail may be missing at the end of the text; default false. */
  readonly mayLackTail?: boolean;
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
    const [head, name] = matchAt(form.head, text, end) ?? [];
    if (head === undefined || name === undefined) break;
    const isJudged = form.tools === 'every' || (form.tools === 'further' && calls.length > 0);
    if (isJudged && !source.isTool(name)) break;
    const block = readJsonAt(source, skipSpace(text, end + head.length), form.json);
    if (!block.ok) return brokenCall(name, block.isCut);
    end = block.end;
    if (form.tail !== undefined) {
      const [tail] = matchAt(form.tail, text, end) ?? [];
      const isEnd = skipSpace(text, end) >= text.length;
      if (tail === undefined && !(isEnd && form.mayLackTail === true)) {
        return brokenCall(name, isEnd);
      }
      end += (tail ?? '').length;
    }
    calls.push({ name, arguments: block.value, format: form.format });
  }
  if (calls.length === 0) return null;
  const [closing] = (form.end === undefined ? null : matchAt(form.end, text, end)) ?? [];
  return callsUpTo(end + (closing ?? '').length, calls);
}

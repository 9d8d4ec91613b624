import type { GuardTool } from '../guard-tool.ts';
import { foldName } from '../names/fold-name.ts';
import { toolIndex } from '../names/tool-index.ts';

/** Lets the text of a reply through while it is written, as far as it cannot be a call. */
export interface TextRelease {
  /** Takes the next piece and gives what may be shown of all that has come. */
  push(piece: string): string;
  /** Gives what was held back, once the reply is judged to be text. */
  rest(): string;
}

/**
 * Makes the gate for one reply.
 *
 * Ordinary text passes at once or after a few characters: held back is only what begins like a call, at the
 * beginning of a line or with a mark made for calls, and then until the reply ends. JSON that does not name a
 * tool within its first 300 characters passes as well.
 */
export function createTextRelease(tools: readonly GuardTool[]): TextRelease {
  let held = '';
  let isLineStart = true;
  let isSure = tools.length === 0 ? false : null;
  let isInFence = false;
  const names = toolIndex(tools).names.map(foldName);
  const take = (length: number): string => {
    const shown = held.slice(0, length);
    held = held.slice(length);
    if (shown !== '') isLineStart = shown.endsWith('\n');
    return shown;
  };
  return {
    push(piece) {
      held += piece;
      if (isSure === false) return take(held.length);
      let shown = '';
      // Each round passes on what comes before the next place of interest, or that place itself.
      while (isSure === null) {
        const place = nextPlace(held, isLineStart);
        shown += take(place < 0 ? held.length : place);
        if (held === '') break;
        const verdict = judgeStart(held, { isLineStart, isInFence, names });
        if (verdict === 'wait') break;
        if (verdict === 'hold') {
          isSure = true;
        } else {
          if (verdict.togglesFence) isInFence = !isInFence;
          shown += take(verdict.pass);
        }
      }
      return shown;
    },
    rest() {
      isSure = false;
      return take(held.length);
    },
  };
}

type Verdict = 'hold' | 'wait' | { readonly pass: number; readonly togglesFence?: boolean };

/** The first place at which a call may begin: a line, or a character that begins a mark. */
function nextPlace(text: string, isLineStart: boolean): number {
  if (isLineStart) return 0;
  PLACE.lastIndex = 0;
  const found = PLACE.exec(text);
  if (found === null) return -1;
  return found[0] === '\n' ? found.index + 1 : found.index;
}

interface Start {
  readonly isLineStart: boolean;
  readonly isInFence: boolean;
  readonly names: readonly string[];
}

function judgeStart(text: string, start: Start): Verdict {
  const [mark] = text;
  if (mark === '<' || mark === '[') {
    if (!start.isInFence && MARKS.some((one) => text.startsWith(one))) return 'hold';
    if (text.length < MAX_MARK && MARKS.some((one) => one.startsWith(text))) return 'wait';
    if (/^<[\w-]{0,32}:?$/.test(text)) return 'wait';
    if (!start.isInFence && /^<[\w-]{1,32}:invoke\s/.test(text)) return 'hold';
  }
  return start.isLineStart ? judgeLine(text, start) : { pass: 1 };
}

function judgeLine(text: string, { isInFence, names }: Start): Verdict {
  const indent = /^[ \t]{0,8}/.exec(text)?.[0].length ?? 0;
  const line = text.slice(indent);
  if (line === '') return 'wait';
  if (line.startsWith('`')) return judgeFence(text, line, { isInFence, names });
  if (isInFence) return { pass: 1 };
  if (line[0] === '{' || line[0] === '[') return judgeJson(line, names);
  if (line.startsWith('>'))
    return line.length < 4 ? 'wait' : line.startsWith('>>>') ? 'hold' : PASS;
  const [word] = /^<?[A-Za-z_][\w.:/-]{0,127}/.exec(line) ?? [];
  if (word === undefined) return PASS;
  const isWhole = line.length > word.length;
  if (word.startsWith('Action:') || 'Action:'.startsWith(word)) return isWhole ? 'hold' : 'wait';
  const fold = foldName(word.replace(/^.*(?:[.:/]|__)/, ''));
  if (!isWhole) {
    const isBegun = names.some((name) => name.startsWith(fold));
    return isBegun || PREFIXES.some((one) => one.startsWith(word)) ? 'wait' : PASS;
  }
  if (!names.includes(fold)) return PASS;
  const behind = line.slice(word.length);
  if (/^[ \t]{0,4}\r?\n?[ \t]{0,8}$/.test(behind)) return 'wait';
  return /^(?:[({>]|[ \t]{0,4}(?:\[|\{|\r?\n[ \t]{0,8}\{))/.test(behind) ? 'hold' : PASS;
}

/** Code in a language passes; a fence that may hold a call is judged by what is in it. */
function judgeFence(
  text: string,
  line: string,
  { isInFence, names }: Omit<Start, 'isLineStart'>,
): Verdict {
  if (line.length < 3) return 'wait';
  if (!line.startsWith('```')) return PASS;
  const end = text.indexOf('\n');
  if (isInFence) return { pass: 1, togglesFence: true };
  if (end < 0) return text.length > MAX_MARK ? PASS : 'wait';
  const info = line
    .slice(3, end - (text.length - line.length))
    .trim()
    .toLowerCase();
  if (/^tool|^function/.test(info)) return 'hold';
  const inside = text.slice(end + 1).trimStart();
  const verdict = !PLAIN.test(info)
    ? PASS
    : inside === ''
      ? 'wait'
      : inside.startsWith('<')
        ? 'hold'
        : /^[{[]/.test(inside)
          ? judgeJson(inside, names)
          : judgeLine(inside, { isLineStart: true, isInFence: false, names });
  return typeof verdict === 'string' ? verdict : { pass: end + 1, togglesFence: true };
}

function judgeJson(json: string, names: readonly string[]): Verdict {
  if (/^[{[]\s*$/.test(json)) return 'wait';
  if (!/^(?:\{\s*["'}]|\[\s*(?:[{[]|[A-Za-z_]))/.test(json)) return PASS;
  if (/^\[\s*[A-Za-z_]/.test(json)) {
    const [, name, mark] = /^\[\s*([A-Za-z_][\w.-]{0,127})(.?)/s.exec(json) ?? [];
    if (mark === '') return 'wait';
    return mark === '(' && names.includes(foldName(name ?? '')) ? 'hold' : PASS;
  }
  const head = json.slice(0, MAX_JSON_HEAD);
  const named = [...head.matchAll(NAMED)].map(([, name]) =>
    foldName((name ?? '').replace(/^.*[.:/]/, '')),
  );
  if (named.some((name) => names.includes(name))) return 'hold';
  return json.length < MAX_JSON_HEAD ? 'wait' : PASS;
}

const PASS = { pass: 1 } as const;
const PLACE = /[\n<[]/g;
const MARKS = [
  '<tool_call',
  '<toolcall',
  '<function_call',
  '<function=',
  '<tool_use>',
  '<invoke ',
  '<start_function_call>',
  '<|',
  '<｜',
  '<think',
  '[TOOL_CALLS]',
  '[THINK]',
];
/** What models put in front of a tool's name. */
const PREFIXES = ['functions.', 'default_api.', 'mcp__'];
const MAX_MARK = 40;
const MAX_JSON_HEAD = 300;
const PLAIN = /^(?:|json[c5]?|xml|te?xt|plaintext)$/;
const NAMED =
  /["'](?:name|tool|tool_name|function|function_name|action)["']\s*:\s*["']([\w.:/-]{1,128})["']/g;

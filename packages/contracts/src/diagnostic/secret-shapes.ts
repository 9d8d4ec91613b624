import { looksRandom } from './credential-form.ts';
import { REDACTED, type SecretReach, type SecretSpan } from './secret-span.ts';

/** Finds secrets that are known by their own shape: issued keys, bearer tokens, JWTs, private keys. */
export function findShapes(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (!ANY_SHAPE.test(text)) return spans;
  for (const { pattern, judge } of SHAPES) {
    for (const match of text.matchAll(pattern)) {
      const [whole, lead = ''] = match;
      const verdict = judge(whole.slice(lead.length));
      if (verdict === 'ordinary') continue;
      const end = match.index + whole.length;
      spans.push({ start: match.index + lead.length, end, isCertain: verdict === 'certain' });
    }
  }
  findPrivateKeys(text, spans);
  findKeyEnds(text, spans);
  return spans;
}

/** Finds what has the shape of a secret of several words, or may get it from what follows the text. */
export function reachOfShapes(text: string): readonly SecretReach[] {
  const reaches: SecretReach[] = [];
  for (const { index, 0: word, 1: token = '' } of text.matchAll(BEARER))
    reaches.push({ start: index, end: index + word.length + token.length });
  if (!MAY_HOLD_KEY.test(text)) return reaches;
  let end = -1;
  for (const { index, 0: line } of text.matchAll(PRIVATE_KEY)) {
    const start = index + line.length;
    if (end < start) end = indexOrEnd(text, '-----END ', start);
    reaches.push({ start: index, end: reachOfKey(text, start, end) });
  }
  for (const { index, 0: line } of text.matchAll(PRIVATE_KEY_END))
    reaches.push({ start: linesBefore(text, index), end: index + line.length });
  const begun = KEY_LINE_BEGUN.exec(text.slice(-MAX_KEY_LINE))?.[0].length ?? 0;
  reaches.push({ start: linesBefore(text, text.length - begun), end: text.length });
  return reaches;
}

function reachOfKey(text: string, start: number, lastLine: number): number {
  const run = lastLine - start <= MAX_KEY_CHARS ? LAST_LINE : BASE64_RUN;
  run.lastIndex = run === LAST_LINE ? lastLine : start;
  return run.test(text) ? run.lastIndex : text.length;
}

function linesBefore(text: string, end: number): number {
  return startOfLines(text, end, Math.max(0, end - MAX_KEY_CHARS));
}

type Verdict = 'certain' | 'likely' | 'ordinary';

/**
 * One shape: a pattern that takes a whole run of token characters, and a judge of what it took.
 *
 * The pattern alone must stay linear: it begins at a word boundary and nothing may follow its last repetition.
 * Its first group, if any, is kept.
 */
interface SecretShape {
  readonly pattern: RegExp;
  readonly judge: (token: string) => Verdict;
}

const always = (): Verdict => 'certain';

const SHAPES: readonly SecretShape[] = [
  { pattern: /\b(?:sk|pk|org|sess)-[A-Za-z0-9_-]+/g, judge: judgeDashedKey },
  { pattern: /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{8,}/g, judge: always },
  { pattern: /\bgh[oprsu]_[A-Za-z0-9]{16,}/g, judge: always },
  { pattern: /\bgithub_pat_[A-Za-z0-9_]{16,}/g, judge: always },
  { pattern: /\bglpat-[A-Za-z0-9_-]{16,}/g, judge: always },
  { pattern: /\b(?:npm|hf|gsk)_[A-Za-z0-9]{30,}/g, judge: always },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}/g, judge: always },
  { pattern: /\bAIza[A-Za-z0-9_-]{30,}/g, judge: always },
  { pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g, judge: always },
  { pattern: /\beyJ[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)*/g, judge: judgeJwt },
  // What is taken ends before another `Bearer`, which would otherwise lose its own token.
  { pattern: /(\bbearer\s+)(?:(?!\bbearer\s)[A-Za-z0-9._~+/=-])+/gi, judge: judgeBearer },
];

function judgeDashedKey(token: string): Verdict {
  const parts = token.split(/[-_]/).slice(1);
  if (parts.some((part) => part.length >= 16)) return 'certain';
  if (token.length >= 40 && /[0-9]/.test(token) && /[A-Z]/.test(token)) return 'certain';
  return parts.some((part) => part.length >= 8 && looksRandom(part)) ? 'likely' : 'ordinary';
}

function judgeJwt(token: string): Verdict {
  const parts = token.split('.');
  // The run may begin with something else in the same characters, such as the end of another token.
  const isHeld = parts.some(
    (header, index) =>
      header.startsWith('eyJ') &&
      header.length >= 8 &&
      (parts[index + 1] ?? '').length >= 8 &&
      parts[index + 2] !== undefined,
  );
  return isHeld ? 'certain' : 'ordinary';
}

function judgeBearer(token: string): Verdict {
  if (!looksRandom(token)) return 'ordinary';
  if (token.length >= 16) return 'certain';
  return token.length >= 6 ? 'likely' : 'ordinary';
}

/** Everything between the lines of a private key; a key without its last line ends where base64 does. */
function findPrivateKeys(text: string, spans: SecretSpan[]): void {
  PRIVATE_KEY.lastIndex = 0;
  let nextEnd = -1;
  for (let match = PRIVATE_KEY.exec(text); match !== null; match = PRIVATE_KEY.exec(text)) {
    const start = match.index + match[0].length;
    if (text.startsWith(REDACTED, start)) continue;
    // Looked up only when passed: many first lines without a last one would make the search quadratic.
    if (nextEnd < start) nextEnd = indexOrEnd(text, '-----END ', start);
    BASE64_RUN.lastIndex = start;
    BASE64_RUN.test(text);
    const end =
      nextEnd - start <= MAX_KEY_CHARS && nextEnd < text.length ? nextEnd : BASE64_RUN.lastIndex;
    spans.push({ start, end, isCertain: true });
    PRIVATE_KEY.lastIndex = end;
  }
}

/** What is left of a private key whose beginning was cut off: whole lines of base64 before its last line. */
function findKeyEnds(text: string, spans: SecretSpan[]): void {
  const known = new Set(spans.map(({ end }) => end));
  let passed = 0;
  for (const { index: end, 0: line } of text.matchAll(PRIVATE_KEY_END)) {
    const start = known.has(end)
      ? end
      : startOfLines(text, end, Math.max(passed, end - MAX_KEY_CHARS));
    if (start < end) spans.push({ start, end, isCertain: true });
    passed = end + line.length;
  }
}

/** Steps back over lines of base64; the last may be short, the others have at least the length of a line. */
function startOfLines(text: string, end: number, least: number): number {
  let start = end;
  let at = end;
  for (let isLast = true; ; isLast = false) {
    at = skipBack(text, at, least);
    const lineEnd = at;
    // The letter of an escaped line end stands like one of the line.
    while (at > least && isBase64(text.charCodeAt(at - 1))) at -= 1;
    if (at === lineEnd) return start;
    if (lineEnd - at >= MIN_LINE) start = at;
    else if (!isLast) return start;
  }
}

/** Steps back over white space and over line ends that are written as escapes. */
function skipBack(text: string, from: number, least: number): number {
  let at = from;
  while (at > least) {
    if (/\s/.test(text.charAt(at - 1))) at -= 1;
    else if (at - 1 > least && /^\\[nr]$/.test(text.slice(at - 2, at))) at -= 2;
    else break;
  }
  return at > least && text.charAt(at - 1) === '\\' ? at - 1 : at;
}

function isBase64(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === 0x2b ||
    unit === 0x2f ||
    unit === 0x3d
  );
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_LINE = /-----(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const PRIVATE_KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** A first or last line that the text breaks off in. */
const KEY_LINE_BEGUN = /-{1,5}$|-----(?:E|EN|(?:BEGIN|END) ?[A-Z0-9 ]{0,58}-{0,5})$/;
const MAX_KEY_LINE = 80;
const LAST_LINE = /-----END [A-Z0-9 ]{0,58}-{0,5}/y;
/** Cheap first look: a line before or behind a key, or one that may be of it. */
const MAY_HOLD_KEY = /-----(?:BEGIN|END) |[A-Za-z0-9+/=]{32}/;
const BEARER = /\bbearer(?=(\s+[A-Za-z0-9._~+/=-]*))/gi;
const MIN_LINE = 32;
const BASE64_RUN = /[A-Za-z0-9+/=\s\\]*/y;
const MAX_KEY_CHARS = 65_536;
/** One look tells that a text has none of all these, which is nearly always so. */
const ANY_SHAPE = new RegExp(
  [KEY_LINE, ...SHAPES.map(({ pattern }) => pattern)].map(({ source }) => source).join('|'),
  'i',
);

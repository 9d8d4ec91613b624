import {
  isExpression,
  isPlaceholder,
  looksLikeCredential,
  looksRandom,
} from './credential-form.ts';
import { isSecretName } from './secret-name.ts';
import { REDACTED, type SecretReach, type SecretSpan } from './secret-span.ts';

/**
 * Finds values that follow the name of a secret: `API_KEY=…`, `"password": "…"`, `?token=…`, header lines.
 *
 * Looks backward from each separator, at most a name's length, so that no text makes it slow. After a colon or
 * spaces the value must look like a credential, because prose and code say `password: required` too.
 */
export function findAssignments(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (!text.includes('=') && !text.includes(':')) return spans;
  const runs = newRuns();
  const separators = new RegExp(SEPARATOR);
  for (let match = separators.exec(text); match !== null; match = separators.exec(text)) {
    const name = secretNameBefore(text, match.index);
    if (name === null) continue;
    const span = readValue(text, { name, operator: match[0], at: separators.lastIndex, runs });
    if (span === null) continue;
    spans.push(span);
    separators.lastIndex = Math.max(separators.lastIndex, span.end);
  }
  return spans;
}

/**
 * Finds the names of secrets with what stands in the place of their values, whether or not that is a secret yet.
 *
 * A name at the end of the text counts too, since its separator may follow.
 */
export function reachOfAssignments(text: string): readonly SecretReach[] {
  const reaches: SecretReach[] = [];
  const runs = newRuns();
  const separators = new RegExp(SEPARATOR);
  for (let match = separators.exec(text); match !== null; match = separators.exec(text)) {
    const name = secretNameBefore(text, match.index);
    if (name === null) continue;
    const assignment = { name, operator: match[0], at: separators.lastIndex, runs };
    reaches.push({ start: name.start, end: reachOfValue(text, assignment) });
  }
  const last = secretNameBefore(text, text.length);
  if (last !== null) reaches.push({ start: last.start, end: text.length });
  return reaches;
}

function reachOfValue(text: string, { name, operator, at: after, runs }: Assignment): number {
  const at = skipBlanks(text, after);
  if (operator === ':' && COOKIE_NAME.test(name.text)) {
    const cookies = readCookies(text, at, runs.line);
    if (cookies !== null) return cookies.end;
  }
  const escape = text.charAt(at) === '\\' ? 1 : 0;
  if (isQuote(text.charAt(at + escape))) return closingQuote(text, at + escape + 1, escape === 1);
  SCHEME.lastIndex = at;
  return runEnd(text, SCHEME.test(text) ? SCHEME.lastIndex : at, runs.value);
}

interface Name {
  readonly text: string;
  readonly start: number;
  /** Whether the separator follows at once, as in `TOKEN=`. */
  readonly isTight: boolean;
}

function secretNameBefore(text: string, separator: number): Name | null {
  const name = nameBefore(text, separator);
  return name !== null && (isSecretName(name.text) || isSignature(text, name)) ? name : null;
}

function nameBefore(text: string, separator: number): Name | null {
  let end = separator;
  while (separator - end < MAX_GAP && isBlank(text.charAt(end - 1))) end--;
  const isTight = end === separator;
  if (isQuote(text.charAt(end - 1))) {
    end--;
    if (text.charAt(end - 1) === '\\') end--;
  }
  let start = end;
  while (end - start < MAX_NAME && isNameUnit(text.charCodeAt(start - 1))) start--;
  return start === end ? null : { text: text.slice(start, end), start, isTight };
}

/** Signatures of URLs have names too common to be secret outside a query. */
function isSignature(text: string, name: Name): boolean {
  const before = text.charAt(name.start - 1);
  return (before === '?' || before === '&') && SIGNATURE.test(name.text);
}

interface Assignment {
  readonly name: Name;
  readonly operator: string;
  readonly at: number;
  readonly runs: Runs;
}

interface Runs {
  readonly value: Run;
  readonly item: Run;
  readonly line: Run;
}

function readValue(text: string, assignment: Assignment): SecretSpan | null {
  const { name, operator, runs } = assignment;
  if (operator === '==' || operator === '===' || operator === '::') return null;
  const at = skipBlanks(text, assignment.at);
  if (operator === ':') {
    if (/authorization$/i.test(name.text)) return readAuthorization(text, at, runs.value);
    if (COOKIE_NAME.test(name.text)) return readCookies(text, at, runs.line);
  }
  const isTight = operator === '=' && name.isTight && at === assignment.at;
  const escape = text.charAt(at) === '\\' ? 1 : 0;
  if (isQuote(text.charAt(at + escape))) {
    const start = at + escape + 1;
    const end = closingQuote(text, start, escape === 1);
    return isTight
      ? judgeTight(text, { start, end }, name)
      : judgeLoose(text, { start, end }, true);
  }
  return isTight
    ? judgeTight(text, { start: at, end: runEnd(text, at, runs.value) }, name)
    : judgeLoose(text, { start: at, end: runEnd(text, at, runs.item) }, false);
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at - from < MAX_GAP && isBlank(text.charAt(at))) at++;
  return at;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function judgeTight(text: string, { start, end }: Range, name: Name): SecretSpan | null {
  const value = text.slice(start, end);
  if (value === '' || value === REDACTED || isPlaceholder(value) || isExpression(value))
    return null;
  return { start, end, isCertain: value.length >= 8 || !BARE_NAME.test(name.text) };
}

function judgeLoose(text: string, { start, end }: Range, isQuoted: boolean): SecretSpan | null {
  const verdict = looksLikeCredential(text.slice(start, end), isQuoted);
  return verdict === 'no' ? null : { start, end, isCertain: verdict === 'certain' };
}

function readAuthorization(text: string, at: number, run: Run): SecretSpan | null {
  SCHEME.lastIndex = at;
  const scheme = SCHEME.exec(text)?.[1];
  const start = scheme === undefined ? at : SCHEME.lastIndex;
  const end = runEnd(text, start, run);
  const value = text.slice(start, Math.min(end, start + 64));
  if (value === REDACTED || isPlaceholder(value)) return null;
  const isSecret = scheme === undefined ? value.length >= 8 && looksRandom(value) : value !== '';
  return isSecret ? { start, end, isCertain: value.length >= 16 } : null;
}

/** A cookie header is secret to the end of its line; `cookie: yes` is not a header. */
function readCookies(text: string, at: number, run: Run): SecretSpan | null {
  const start = isQuote(text.charAt(at)) ? at + 1 : at;
  COOKIE_PAIR.lastIndex = start;
  if (!COOKIE_PAIR.test(text)) return null;
  return { start, end: runEnd(text, start, run), isCertain: true };
}

function closingQuote(text: string, start: number, isEscaped: boolean): number {
  const quote = text.charAt(start - 1);
  const limit = Math.min(text.length, start + MAX_QUOTED);
  for (let at = start; at < limit; at++) {
    const unit = text.charAt(at);
    if (unit === quote || unit === '\n' || unit === '\r') return at;
    if (unit === '\\') {
      if (isEscaped) return at;
      at++;
    }
  }
  return limit;
}

/** The latest run of its characters; many separators in one run would otherwise each walk to its end. */
interface Run {
  readonly pattern: RegExp;
  start: number;
  end: number;
}

function newRuns(): Runs {
  return { value: newRun(VALUE_RUN), item: newRun(ITEM_RUN), line: newRun(LINE_RUN) };
}

function newRun(pattern: RegExp): Run {
  return { pattern, start: 0, end: -1 };
}

function runEnd(text: string, at: number, run: Run): number {
  if (at < run.start || at > run.end) {
    run.pattern.lastIndex = at;
    run.pattern.test(text);
    run.start = at;
    run.end = run.pattern.lastIndex;
  }
  return run.end;
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'" || character === '`';
}

function isNameUnit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x5f || // _
    unit === 0x2d || // -
    unit === 0x25 // %, of a name in a query
  );
}

const MAX_GAP = 4;
const MAX_NAME = 128;
const MAX_QUOTED = 4096;
const SEPARATOR = /={1,3}>?|::|:=?/g;
const VALUE_RUN = /[^\s&"'`<>\\]*/y;
/** A value inside a list or a block also ends at its punctuation. */
const ITEM_RUN = /[^\s&"'`<>\\,;)}\]]*/y;
const LINE_RUN = /[^\r\n"'`\\]*/y;
const COOKIE_NAME = /cookie$/i;
const COOKIE_PAIR = /[\w!#$%&*+.^|~-]{1,128}=[^\s"'`\\]/y;
const SCHEME = /["'`]?(bearer|basic)[ \t]{1,4}/iy;
const BARE_NAME = /^(?:api[_-]?key|token|secret|password)$/i;
const SIGNATURE = /^(?:sig|signature|x-(?:amz|goog)-signature)$/i;

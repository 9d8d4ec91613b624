import type { JsonValue } from '../json/json-value.ts';
import { setOwn } from '../json/plain-object.ts';
import {
  readKnownSecrets,
  replaceKnownAsWritten,
  replaceKnownUnfinished,
} from './known-secrets.ts';
import { findAssignments, reachOfAssignments } from './secret-assignments.ts';
import { isSecretContainerName, isSecretName } from './secret-name.ts';
import { findShapes, reachOfShapes } from './secret-shapes.ts';
import { REDACTED, type SecretReach, type SecretSpan } from './secret-span.ts';
import { findUrlCredentials, reachOfUrls } from './secret-urls.ts';
import { settledLength } from './settled-length.ts';

/** Replaces secrets in texts and in JSON values. */
export interface Redactor {
  /** Replaces every secret in a text; text without secrets comes back unchanged. */
  readonly text: (text: string) => string;
  /** Replaces secrets in string leaves; keys, numbers and the lengths of arrays never change. */
  readonly value: (value: JsonValue) => JsonValue;
  /**
   * Begins a text that comes in pieces: takes the next one and gives what none that follows can change, redacted.
   *
   * What was given is at any time a beginning of what `text` makes of the whole, with whatever it goes on.
   */
  readonly stream?: () => (piece: string) => string;
  /** Replaces every secret in a text that may go on, and leaves out an end of four characters or more of a known one. */
  readonly unfinished?: (text: string) => string;
}

/** What a redactor knows beforehand. */
export interface RedactorOptions {
  /** Values that are secret whatever they look like; shorter than four characters are ignored. */
  readonly secrets?: readonly string[];
}

/**
 * Reports whether a value looks like a secret, or stands under the name of one.
 *
 * Give `name` only for free-form metadata; the property names of a schema are no evidence.
 */
export function looksSecret(value: string, name?: string): boolean {
  if (name !== undefined && isSecretName(name)) return value.trim() !== '' && value !== REDACTED;
  if (value.length < SHORTEST_SECRET || value === REDACTED) return false;
  return (
    findShapes(value).some(isCertain) ||
    findUrlCredentials(value).some(isCertain) ||
    findAssignments(value).some(isCertain)
  );
}

function isCertain(span: SecretSpan): boolean {
  return span.isCertain;
}

/** Makes a redactor: known secrets first, then everything that has the shape of one. */
export function createRedactor(options: RedactorOptions = {}): Required<Redactor> {
  const known = readKnownSecrets(options.secrets ?? []);
  // Once, and before all else: what is a known secret only together with a replacement is none.
  const text = (raw: string): string =>
    withoutForms(known === null ? raw : raw.replace(known.pattern, REDACTED));
  return Object.freeze({
    text,
    value: (value: JsonValue) => redactValue(value, text),
    stream: () => {
      // What stands around a key decides by what was left of it, so that is replaced before the rest is looked at.
      const replace = known === null ? same : replaceKnownAsWritten(known);
      const unshape = replaceSettled(withoutShapes, reachOfShapely);
      const redact = replaceSettled(withoutForms, (part) => [
        ...reachOfShapely(part),
        ...reachOfAssignments(part),
      ]);
      return (piece: string) => redact(unshape(replace(piece)));
    },
    unfinished: (raw: string) =>
      withoutForms(known === null ? raw : replaceKnownUnfinished(raw, known)),
  });
}

function same(text: string): string {
  return text;
}

/** Replaces the secrets of a text that comes in pieces, as far as it is settled. */
function replaceSettled(
  replace: (text: string) => string,
  reachOf: (text: string) => readonly SecretReach[],
): (piece: string) => string {
  let waiting = '';
  let fresh = 0;
  return (piece) => {
    waiting += piece;
    fresh += piece.length;
    // A long wait is looked through anew only when it has grown by a share, so that no text costs its square.
    if (waiting.length > SHORT_WAIT && fresh * GROWTH < waiting.length) return '';
    fresh = 0;
    const end = settledLength(waiting, reachOf(waiting));
    const settled = waiting.slice(0, end);
    waiting = waiting.slice(end);
    return replace(settled);
  };
}

/** Replaces everything that has the form of a secret, however it is told. */
function withoutForms(text: string): string {
  let before = text;
  let after = withoutFormsOnce(text);
  // A replacement may turn what stood around it, such as `${…}`, into the value of a secret name.
  for (let pass = 1; pass < MAX_PASSES && after !== before; pass++) {
    before = after;
    after = withoutFormsOnce(before);
  }
  return after;
}

function withoutFormsOnce(text: string): string {
  const unnamed = withoutShapes(text);
  // Last, since a value is judged by what the other searches have left of it.
  return replaceSpans(unnamed, findAssignments(unnamed));
}

function withoutShapes(text: string): string {
  return replaceSpans(text, findShapely(text));
}

function reachOfShapely(text: string): readonly SecretReach[] {
  return [...reachOfShapes(text), ...reachOfUrls(text)];
}

function findShapely(text: string): readonly SecretSpan[] {
  return [...findShapes(text), ...findUrlCredentials(text)];
}

function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  let result = '';
  let end = 0;
  // Spans that overlap or touch become one replacement.
  let isOpen = false;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (!isOpen || span.start > end) {
      result += text.slice(end, span.start) + REDACTED;
      isOpen = true;
    }
    end = Math.max(end, span.end);
  }
  return result + text.slice(end);
}

/** A container whose copy waits to be filled. */
interface Pending {
  readonly from: JsonContainer;
  readonly to: JsonValue[] | { [key: string]: JsonValue };
  /** Whether every string below is secret, because of the name above. */
  readonly isSecret: boolean;
  /** Whether the keys are an author's property names in a schema, which say nothing about the values. */
  readonly isSchemaMap: boolean;
}

type JsonContainer = readonly JsonValue[] | { readonly [key: string]: JsonValue };

function redactValue(root: JsonValue, text: (raw: string) => string): JsonValue {
  const pending: Pending[] = [];
  const copy = (value: JsonValue, isSecret: boolean, isSchemaMap: boolean): JsonValue => {
    if (typeof value === 'string') return isSecret && value.trim() !== '' ? REDACTED : text(value);
    if (typeof value !== 'object' || value === null) return value;
    const to = Array.isArray(value) ? [] : {};
    pending.push({ from: value, to, isSecret, isSchemaMap });
    return to;
  };
  const result = copy(root, false, false);
  // A worklist instead of recursion: a tool may return deeper nesting than the call stack holds.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) fill(next, copy);
  return result;
}

function fill(
  { from, to, isSecret, isSchemaMap }: Pending,
  copy: (value: JsonValue, isSecret: boolean, isSchemaMap: boolean) => JsonValue,
): void {
  if (Array.isArray(to)) {
    for (const item of Object.values(from)) to.push(copy(item, isSecret, false));
    return;
  }
  for (const [key, value] of Object.entries(from)) {
    const isNamed = !isSchemaMap && isSecretName(key);
    const isBelow =
      typeof value === 'object' && !Array.isArray(value) && !isSecretContainerName(key);
    setOwn(to, key, copy(value, isSecret || (isNamed && !isBelow), key === 'properties'));
  }
}

/** The shortest that any search finds is `?sig=x`. */
const SHORTEST_SECRET = 6;
const SHORT_WAIT = 4096;
const GROWTH = 32;
/** Each level of nesting may need a pass of its own; text that people and models write needs two. */
const MAX_PASSES = 8;

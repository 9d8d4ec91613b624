import { JsonFloat } from '@millforge/contracts';
import { MOST_OF_ONE_LIST } from './most-of-one-list.ts';

/** One departure of a document from its form. */
export interface DocumentFault {
  /** The place in the model, one segment per level. */
  readonly path: DocumentPath;
  /** Whether the place is a key that the form does not know. */
  readonly isUnknownKey: boolean;
  /** Whether the fault lies in an identifier, where the path alone does not say so. */
  readonly isIdentifier: boolean;
  /** What the form allows there. */
  readonly expected: string;
  /** What to do, where that is not to write what is expected. */
  readonly advice?: string;
  /** What stands there, where it is of another kind than expected; never the value itself. */
  readonly found?: string;
  /** Keys that the form knows, where the fault is an unknown key. */
  readonly knownKeys?: readonly string[];
}

/** Segments of a pointer into the model. */
export type DocumentPath = readonly (string | number)[];

/** What a reader is told: where it stands, and where to leave what it finds. */
export interface DocumentPlace {
  /** The place in the model; one list for a whole reading, grown on the way down, cut on the way up. */
  readonly path: (string | number)[];
  /** All findings, in the order they are met. */
  readonly faults: DocumentFault[];
  /** Keys of a mapping in the order they were written. */
  readonly keysOf: (mapping: object) => readonly string[];
}

/** Gives the typed value, or notes a fault and gives nothing. An absent field comes as undefined. */
export type Reader<T> = (value: unknown, at: DocumentPlace) => T | undefined;

/** A plain mapping of a document. */
export type Mapping = { readonly [key: string]: unknown };

/** Reads a mapping with exactly these keys; a missing or a surplus reader is a compile error. */
export function closed<T extends object>(
  shape: { readonly [Key in keyof T]-?: Reader<Exclude<T[Key], undefined>> },
  form: {
    readonly mayLack?: readonly (keyof T & string)[];
    /** What to do about a key that the form does not know, by key. */
    readonly advice?: { readonly [key: string]: string };
  } = {},
): Reader<T> {
  const fields = Object.entries<Reader<unknown>>(shape);
  const mayLack: ReadonlySet<string> = new Set(form.mayLack);
  const adviceOn = new Map(Object.entries(form.advice ?? {}));
  const knownKeys = Object.keys(shape);
  const knownInWords = `one of ${knownKeys.join(', ')}`;
  const needed = knownKeys.filter((key) => !mayLack.has(key)).join(', ');
  const mapping =
    needed === '' ? `a mapping with some of ${knownKeys.join(', ')}` : `a mapping with ${needed}`;
  return (value, at) => {
    if (!isMapping(value)) return refuseKind(at, mapping, value);
    const record: { [key: string]: unknown } = {};
    let isComplete = true;
    let known = 0;
    for (const [key, read] of fields) {
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      if (field !== undefined) known += 1;
      else if (mayLack.has(key)) continue;
      at.path.push(key);
      const typed = read(field, at);
      at.path.pop();
      if (typed === undefined) isComplete = false;
      else record[key] = typed;
    }
    let unknownCount = 0;
    for (const key of Object.keys(value).length > known ? at.keysOf(value) : []) {
      if (Object.hasOwn(shape, key)) continue;
      isComplete = false;
      unknownCount += 1;
      if (unknownCount > MOST_OF_ONE_LIST) break;
      const advice = adviceOn.get(key);
      at.path.push(key);
      noteFault(at, knownInWords, {
        isUnknownKey: true,
        knownKeys,
        ...(advice === undefined ? {} : { advice }),
      });
      at.path.pop();
    }
    // Every key of the shape was read by its own reader.
    return isComplete ? (record as T) : undefined;
  };
}

/** Gives a default for an absent field; an explicit null is not absent. */
export function optional<T>(read: Reader<T>, byDefault: T): Reader<T> {
  return (value, at) => (value === undefined ? byDefault : read(value, at));
}

/** Reads a list of records; the rule sees the list only when every record is right. */
export function records<T>(
  read: Reader<T>,
  rule: (items: readonly T[], at: DocumentPlace) => boolean,
): Reader<readonly T[]> {
  return (value, at) => {
    if (!isList(value)) return refuseKind(at, 'a list', value);
    const items: T[] = [];
    value.forEach((entry, index) => {
      at.path.push(index);
      const typed = read(entry, at);
      at.path.pop();
      if (typed !== undefined) items.push(typed);
    });
    return items.length === value.length && rule(items, at) ? items : undefined;
  };
}

/** Reads a list of distinct ids. A wrong type is noted at the item, everything else at the list. */
export function idList(id: TextRule, bounds: { min?: number; max?: number } = {}) {
  const min = bounds.min ?? 0;
  const max = bounds.max ?? Number.POSITIVE_INFINITY;
  return (value: unknown, at: DocumentPlace): readonly string[] | undefined => {
    if (!isList(value)) return refuseKind(at, 'a list', value);
    const texts = value.filter((item) => typeof item === 'string');
    if (texts.length < value.length) {
      let wrongCount = 0;
      for (const [index, item] of value.entries()) {
        if (typeof item === 'string') continue;
        wrongCount += 1;
        if (wrongCount > MOST_OF_ONE_LIST) break;
        at.path.push(index);
        refuseKind(at, id.expected, item);
        at.path.pop();
      }
      return undefined;
    }
    if (texts.length < min || texts.length > max) {
      return refuse(
        at,
        max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max} items`,
      );
    }
    const wrong = texts.findIndex((item) => !id.isRight(item));
    if (wrong >= 0) {
      return refuse(at, `a list of which each is ${id.expected}; item ${wrong + 1} is not`);
    }
    const seen = new Set<string>();
    const repetition = texts.findIndex((item) => seen.size === seen.add(item).size);
    if (repetition < 0) return texts;
    return refuse(at, `a list without repetitions; item ${repetition + 1} stands there before`);
  };
}

/** What a text must be, and the words for it. */
export interface TextRule {
  /** The test. */
  readonly isRight: (text: string) => boolean;
  /** The words. */
  readonly expected: string;
}

/** Reads a text under a rule. */
export function text(rule: TextRule): Reader<string> {
  return (value, at) => {
    if (typeof value !== 'string') return refuseKind(at, rule.expected, value);
    return rule.isRight(value) ? value : refuse(at, rule.expected);
  };
}

/** Reads an integer; `4.0`, `"4"` and `true` are none. */
export function integer(min: number, max: number): Reader<number> {
  const expected = `an integer from ${min} to ${max}`;
  return (value, at) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') {
      return refuseKind(at, expected, value);
    }
    return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : refuse(at, expected);
  };
}

/** Reads one exact text. */
export function literal<const T extends string>(word: T): Reader<T> {
  return (value, at) => {
    if (value === word) return word;
    // Without quotes YAML reads 1.0 as a number.
    return typeof value === 'string'
      ? refuse(at, `the text "${word}"`)
      : refuseKind(at, `the text "${word}" in quotes`, value);
  };
}

/** Reads one of a few words. */
export function oneOf<T extends string>(words: readonly T[]): Reader<T> {
  return (value, at) =>
    words.find((word) => word === value) ?? refuse(at, `one of ${words.join(', ')}`);
}

/** Reads true or false. */
export const flag: Reader<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : refuseKind(at, 'true or false', value);

/** Notes what was expected and gives nothing. */
export function refuse(at: DocumentPlace, expected: string): undefined {
  noteFault(at, expected, {});
  return undefined;
}

/** Notes what was expected and of what kind the value is instead, and gives nothing. */
export function refuseKind(at: DocumentPlace, expected: string, value: unknown): undefined {
  noteFault(at, expected, { found: kindOf(value) });
  return undefined;
}

/** Notes a fault that needs more than its path to be told apart. */
export function noteFault(
  at: DocumentPlace,
  expected: string,
  more: Partial<Omit<DocumentFault, 'path' | 'expected'>>,
): void {
  at.faults.push({
    path: [...at.path],
    isUnknownKey: false,
    isIdentifier: false,
    expected,
    ...more,
  });
}

/** The kind of a value in the words of an author. */
function kindOf(value: unknown): string {
  if (value === undefined) return NOTHING;
  if (value === null) return 'null';
  if (value instanceof JsonFloat) return 'a number with a decimal point or an exponent';
  if (isList(value)) return 'a list';
  if (isMapping(value)) return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping';
  if (typeof value === 'boolean') return `the word ${value}`;
  return typeof value === 'string' ? 'text' : 'a number';
}

/** What stands where a key is missing. */
export const NOTHING = 'nothing';

/** Tells a mapping from lists, leaves and numbers. */
export function isMapping(value: unknown): value is Mapping {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonFloat)
  );
}

/** `Array.isArray` narrows to a list of anything; this guard keeps the items unknown. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

import { type Diagnostic, isSha256 } from '@millforge/contracts';
import { found } from '../diagnostics.ts';

/** Takes what is wrong with a document. */
export type Report = (diagnostic: Diagnostic) => void;

/** Makes the diagnostic of a field that is wrong or missing. */
export type Complaint = (place: {
  readonly path: string;
  readonly fields: { readonly expected: string; readonly field: string };
}) => Diagnostic;

/** What a field has to be, beside its type. */
export interface FieldRule {
  /** The diagnostic; default that of a malformed document. */
  readonly complaint?: Complaint;
  /** What stands for it when it is absent; without one it is required. */
  readonly absent?: unknown;
}

/** Reads the fields of one object; what is wrong is reported, and stands as an empty value from there on. */
export interface FieldReader {
  /** The value of a field, unread. */
  value(name: string, rule?: FieldRule): unknown;
  /** A text that is not blank. */
  text(name: string, rule: FieldRule & { readonly maxBytes: number }): string;
  /** A text of a grammar. */
  word(
    name: string,
    rule: FieldRule & { readonly is: (text: string) => boolean; readonly expected: string },
  ): string;
  /** One of a few texts. */
  oneOf<Word extends string>(name: string, words: readonly Word[], rule?: FieldRule): Word;
  /** A whole number. */
  integer(
    name: string,
    rule: FieldRule & { readonly least?: number; readonly most: number },
  ): number;
  /** True or false. */
  flag(name: string, rule?: FieldRule): boolean;
  /** A digest, or null where it is absent or null. */
  digest(name: string): string | null;
  /** Unique texts of a grammar, sorted. */
  set(
    name: string,
    rule: FieldRule & { readonly is: (text: string) => boolean; readonly expected: string },
  ): readonly string[];
}

/** Where an object stands and who is told of it. */
export interface ReadPlace {
  readonly path: string;
  readonly report: Report;
  readonly complaint?: Complaint;
}

/** Starts reading an object of which only some fields are known. */
export function readFields(
  value: unknown,
  known: readonly string[],
  place: ReadPlace,
): FieldReader {
  const fields = toFields(value);
  const general = place.complaint ?? found.sourceMalformed;
  if (fields === null) {
    place.report(general({ path: place.path, fields: { expected: 'an object', field: '' } }));
  }
  for (const name of Object.keys(fields ?? {})) {
    if (known.includes(name)) continue;
    const expected = `only the fields ${known.join(', ')}`;
    place.report(general({ path: pointer(place.path, name), fields: { expected, field: name } }));
  }
  const read: FieldReader['value'] = (name, rule = {}) => {
    const given = fields?.[name];
    if (given !== undefined && !(given === null && rule.absent === null)) return given;
    return rule.absent;
  };
  const complain = (name: string, expected: string, rule: FieldRule): void => {
    // An object that is none was reported once.
    if (fields === null) return;
    const complaint = rule.complaint ?? general;
    place.report(complaint({ path: pointer(place.path, name), fields: { expected, field: name } }));
  };
  const word: FieldReader['word'] = (name, rule) => {
    const given = read(name, rule);
    if (typeof given === 'string' && rule.is(given)) return given;
    complain(name, rule.expected, rule);
    return '';
  };
  return {
    value: read,
    word,
    text: (name, rule) =>
      word(name, {
        ...rule,
        is: (text) => text.trim() !== '' && utf8Length(text) <= rule.maxBytes,
        expected: `text of 1 to ${rule.maxBytes} bytes`,
      }),
    oneOf(name, words, rule = {}) {
      const given = read(name, rule);
      const member = words.find((each) => each === given);
      if (member !== undefined) return member;
      complain(name, `one of ${words.join(', ')}`, rule);
      const [first] = words;
      if (first === undefined) throw new RangeError('no words');
      return first;
    },
    integer(name, rule) {
      const given = read(name, rule);
      const { least = 1, most } = rule;
      if (
        typeof given === 'number' &&
        Number.isSafeInteger(given) &&
        given >= least &&
        given <= most
      ) {
        return given;
      }
      complain(name, `a whole number from ${least} to ${most}`, rule);
      return least;
    },
    flag(name, rule = {}) {
      const given = read(name, rule);
      if (typeof given === 'boolean') return given;
      complain(name, 'true or false', rule);
      return false;
    },
    digest(name) {
      const given = read(name, { absent: null });
      if (given === null) return null;
      if (typeof given === 'string' && isSha256(given)) return given;
      complain(name, '64 lower-case hex digits', {});
      return null;
    },
    set(name, rule) {
      const given = read(name, rule);
      const isSet =
        Array.isArray(given) &&
        given.every((each) => typeof each === 'string' && rule.is(each)) &&
        new Set(given).size === given.length;
      if (isSet) return given.map(String).toSorted(compareCodeUnits);
      complain(name, `a list of unique ${rule.expected}`, rule);
      return [];
    },
  };
}

/** A pointer to a member. */
function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The order of ids, which are ASCII. */
function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function toFields(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(Object.entries(value));
}

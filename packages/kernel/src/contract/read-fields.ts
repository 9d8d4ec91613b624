import type { Diagnostic, JsonObject, JsonValue } from '@millforge/contracts';
import { found } from '../diagnostics.ts';

/** The fields of one object: each is read once, mistakes are collected, and reading goes on. */
export interface Fields {
  /** JSON pointer of a field, or of an entry below it. */
  at(...names: readonly (string | number)[]): string;
  /** Whether the field is there. */
  has(name: string): boolean;
  /** Collects a mistake. */
  report(diagnostic: Diagnostic): void;
  /** Reads another value at a place below. */
  within(value: JsonValue, known: readonly string[]): Fields | null;
  /** A value that must be there. */
  required(name: string): JsonValue;
  /** One of a few words; required without a default. */
  word<const Word extends string>(name: string, words: readonly Word[], fallback?: Word): Word;
  /** A required text of at most so many UTF-8 bytes, and at least one. */
  text(name: string, maxBytes: number): string;
  /** A required name: 1 to 128 of `[a-z0-9._:-]`. */
  id(name: string): string;
  /** A list of distinct texts; empty by default. */
  texts(name: string, max: number): readonly string[];
  /** A truth value. */
  flag(name: string, fallback: boolean): boolean;
  /** A whole number in a range. */
  whole(name: string, range: readonly [number, number], fallback: number): number;
  /** A whole number in a range, or null. */
  optionalWhole(name: string, range: readonly [number, number]): number | null;
  /** An object with known fields; required without a default. */
  object(name: string, known: readonly string[], fallback?: JsonObject): Fields;
  /** An object with any fields; empty by default. */
  map(name: string): JsonObject;
  /** The items of a required list. */
  items(
    name: string,
    size: { readonly min: number; readonly max: number },
  ): readonly { readonly value: JsonValue; readonly within: Fields['within'] }[];
}

/** Where a value stands and what it may hold. */
export interface FieldsPlace {
  /** JSON pointer of the value; empty for the root. */
  readonly path: string;
  readonly known: readonly string[];
  readonly diagnostics: Diagnostic[];
}

/** Reads a value as an object; reports and gives null when it is none. */
export function readFields(value: JsonValue, place: FieldsPlace): Fields | null {
  const { path, known, diagnostics } = place;
  if (!isObject(value)) {
    if (diagnostics.length === 0 || path !== '') {
      diagnostics.push(found.notAnObject({ path: path || '/', fields: { expected: 'an object' } }));
    }
    return null;
  }
  const fields = new Map(Object.entries(value));
  for (const name of fields.keys()) {
    if (known.includes(name)) continue;
    diagnostics.push(
      found.unknownField({ path: pointer(path, name), fields: { field: name.slice(0, 40) } }),
    );
  }
  return fieldsOf(fields, place);
}

function fieldsOf(fields: ReadonlyMap<string, JsonValue>, place: FieldsPlace): Fields {
  const { path, diagnostics } = place;
  const at = (...names: readonly (string | number)[]): string =>
    names.reduce<string>((whole, name) => pointer(whole, name), path);
  const missing = (name: string): void => {
    diagnostics.push(found.missingField({ path: at(name), fields: { field: name } }));
  };
  const wrong = (name: string, expected: string): void => {
    diagnostics.push(found.wrongValue({ path: at(name), fields: { expected } }));
  };
  const below = (under: string) => (value: JsonValue, known: readonly string[]) =>
    readFields(value, { path: under, known, diagnostics });

  const self: Fields = {
    at,
    has: (name) => fields.has(name),
    report: (diagnostic) => void diagnostics.push(diagnostic),
    within: below(path),
    required(name) {
      const value = fields.get(name);
      if (value === undefined) missing(name);
      return value ?? null;
    },
    word(name, words, fallback) {
      const value = fields.get(name);
      const word = words.find((one) => one === value);
      if (word !== undefined) return word;
      if (value !== undefined) wrong(name, `one of ${words.join(', ')}`);
      else if (fallback === undefined) missing(name);
      const [first] = words;
      return fallback ?? (first as NonNullable<typeof first>); // Every list of words has one.
    },
    text(name, maxBytes) {
      const value = fields.get(name);
      if (value === undefined) missing(name);
      else if (typeof value !== 'string' || value === '') wrong(name, 'a text that is not empty');
      else if (Buffer.byteLength(value) > maxBytes) {
        const limit = `${maxBytes} bytes`;
        diagnostics.push(found.tooLarge({ path: at(name), fields: { limit } }));
      }
      return typeof value === 'string' ? value : '';
    },
    id(name) {
      const value = fields.get(name);
      if (value === undefined) missing(name);
      else if (typeof value !== 'string' || !ID.test(value)) {
        diagnostics.push(found.invalidId({ path: at(name) }));
      }
      return typeof value === 'string' ? value : '';
    },
    texts(name, max) {
      const value = fields.get(name) ?? [];
      const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
      if (!Array.isArray(value) || texts.length !== value.length || texts.length > max) {
        wrong(name, `a list of at most ${max} texts`);
      } else if (new Set(texts).size !== texts.length) wrong(name, 'texts that differ');
      return texts;
    },
    flag(name, fallback) {
      const value = fields.get(name) ?? fallback;
      if (typeof value === 'boolean') return value;
      wrong(name, 'true or false');
      return fallback;
    },
    whole: (name, range, fallback) => self.optionalWhole(name, range) ?? fallback,
    optionalWhole(name, [low, high]) {
      const value = fields.get(name);
      // A completed contract says null where there is no bound.
      if (value === undefined || value === null) return null;
      if (Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high) {
        return Number(value);
      }
      diagnostics.push(found.outOfRange({ path: at(name), fields: { low, high } }));
      return null;
    },
    object(name, known, fallback) {
      const value = fields.get(name) ?? fallback;
      if (value === undefined) missing(name);
      const read = readFields(value ?? {}, { path: at(name), known, diagnostics });
      return read ?? fieldsOf(new Map(), { path: at(name), known, diagnostics: [] });
    },
    map(name) {
      const value = fields.get(name) ?? {};
      if (isObject(value)) return value;
      diagnostics.push(found.notAnObject({ path: at(name), fields: { expected: 'an object' } }));
      return {};
    },
    items(name, { min, max }) {
      const value = fields.get(name);
      if (value === undefined) missing(name);
      else if (!Array.isArray(value) || value.length < min || value.length > max) {
        wrong(name, `a list of ${min} to ${max}`);
      }
      const items: readonly JsonValue[] = Array.isArray(value) ? value : [];
      return items
        .slice(0, max)
        .map((item, index) => ({ value: item, within: below(at(name, index)) }));
    },
  };
  return self;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pointer(path: string, name: string | number): string {
  return `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const ID = /^[a-z0-9._:-]{1,128}$/;

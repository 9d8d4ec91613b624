import {
  type Diagnostic,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  looksSecret,
  normalizeSchema,
} from '@millforge/contracts';
import { type DocumentName, found } from '../diagnostics.ts';

/** Reads one document field by field and collects what is wrong; what it gives back is good only if nothing is. */
export interface FieldReader {
  /** What was found so far. */
  readonly diagnostics: readonly Diagnostic[];
  /** Adds a diagnostic. */
  add(diagnostic: Diagnostic): void;
  /** The fields of an object with these names only; an empty object where it is none. */
  fields(value: unknown, path: string, known: readonly string[]): Fields;
  /** A text within its limit of UTF-8 bytes that does not look like a secret. */
  text(at: Place, limit: TextLimit): string;
  /** One of the words. */
  word<const Word extends string>(at: Place, words: readonly Word[]): Word;
  /** A whole number in a range. */
  integer(at: Place, range: { readonly low: number; readonly high: number }): number;
  /** True or false. */
  flag(at: Place): boolean;
  /** An array; empty where it is none. */
  list(at: Place): readonly unknown[];
  /** Texts of one form, sorted and unique. */
  ids(
    at: Place,
    form: { readonly isRight: (text: string) => boolean; readonly expected: string },
  ): readonly string[];
  /** A JSON object whose strings do not look like secrets. */
  metadata(at: Place, names: 'judged' | 'schema'): JsonObject;
  /** A JSON Schema in its normal form. */
  schema(at: Place, side: 'input' | 'output'): JsonSchema;
  /** Whether a field is absent or null. */
  isAbsent(at: Place): boolean;
}

/** The fields of an object and where it stands. */
export interface Fields {
  readonly path: string;
  readonly values: { readonly [key: string]: unknown };
}

/** One field of an object. */
export interface Place {
  readonly of: Fields;
  readonly key: string;
}

/** How long a text may be, and whether it may be empty. */
export interface TextLimit {
  readonly bytes: number;
  readonly isRight?: (text: string) => boolean;
  readonly expected?: string;
  readonly mayBeEmpty?: boolean;
  /** Whether a secret look is a fault; default true. */
  readonly isOpen?: boolean;
}

/** Makes a reader for one document. */
export function createFieldReader(model: DocumentName, phase: keyof typeof found): FieldReader {
  const diagnostics: Diagnostic[] = [];
  const report = found[phase];
  const wrong = (path: string, expected: string): void => {
    diagnostics.push(report.documentInvalid({ path, fields: { model, expected } }));
  };
  const demanded = (at: Place): unknown => {
    const value = valueAt(at);
    if (value === undefined) {
      const path = childPath(at.of.path, at.key);
      diagnostics.push(
        at.key === 'required_capabilities'
          ? found[phase].capabilityMissing({ path, fields: { model, field: at.key } })
          : report.fieldMissing({ path, fields: { model, field: at.key } }),
      );
    }
    return value;
  };
  const reader: FieldReader = {
    diagnostics,
    add: (diagnostic) => void diagnostics.push(diagnostic),
    isAbsent: (at) => (valueAt(at) ?? null) === null,
    fields(value, path, known) {
      if (!isRecord(value)) {
        wrong(path === '' ? '/' : path, 'an object');
        return { path, values: {} };
      }
      for (const key of Object.keys(value)) {
        if (!known.includes(key))
          wrong(childPath(path, key), `only the fields ${known.join(', ')}`);
      }
      return { path, values: value };
    },
    text(at, { bytes, isRight, expected = 'text', mayBeEmpty = false, isOpen = true }) {
      const value = demanded(at);
      if (value === undefined) return '';
      const isText = typeof value === 'string' && (mayBeEmpty || value.trim() !== '');
      if (!isText || utf8Bytes(value) > bytes || (isRight !== undefined && !isRight(value))) {
        wrong(pathOf(at), `${expected} of at most ${bytes} bytes`);
        return '';
      }
      if (isOpen && looksSecret(value)) {
        diagnostics.push(report.secretMaterial({ path: pathOf(at), fields: { model } }));
        return '';
      }
      return value;
    },
    word(at, words) {
      const value = demanded(at);
      const word = words.find((one) => one === value);
      if (word === undefined && value !== undefined)
        wrong(pathOf(at), `one of ${words.join(', ')}`);
      // A wrong document is never used, so any word will do in the place of a wrong one.
      return word ?? (words[0] as (typeof words)[number]);
    },
    integer(at, { low, high }) {
      const value = demanded(at);
      if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) {
        return value;
      }
      if (value !== undefined) wrong(pathOf(at), `a whole number from ${low} to ${high}`);
      return low;
    },
    flag(at) {
      const value = demanded(at);
      if (typeof value !== 'boolean' && value !== undefined) wrong(pathOf(at), 'true or false');
      return value === true;
    },
    list(at) {
      const value = demanded(at);
      if (Array.isArray(value)) return value;
      if (value !== undefined) wrong(pathOf(at), 'a list');
      return [];
    },
    ids(at, { isRight, expected }) {
      const texts: string[] = [];
      for (const [index, id] of reader.list(at).entries()) {
        if (typeof id !== 'string' || !isRight(id)) wrong(`${pathOf(at)}/${index}`, expected);
        else if (texts.includes(id)) wrong(`${pathOf(at)}/${index}`, 'no repetition');
        else texts.push(id);
      }
      return texts.toSorted();
    },
    metadata(at, names) {
      const value = demanded(at);
      if (value === undefined) return {};
      const copy = plainJson(value, MAX_DEPTH);
      if (!isJsonObject(copy)) {
        wrong(pathOf(at), 'a JSON object');
        return {};
      }
      if (holdsSecret(copy, names === 'judged')) {
        diagnostics.push(report.secretMaterial({ path: pathOf(at), fields: { model } }));
      }
      return copy;
    },
    schema(at, side) {
      const normal = normalizeSchema(valueAt(at), pathOf(at), {
        version: '1.1',
        unfitAnnotations: 'drop',
      });
      if (!normal.ok) {
        const make =
          side === 'input' ? report.inputSchemaUnsupported : report.outputSchemaUnsupported;
        diagnostics.push(
          make({
            path: pathOf(at),
            fields: { model, error_type: 'SchemaSubsetError', schema_error: normal.message },
          }),
        );
        return EMPTY_SCHEMA;
      }
      if (holdsSecret(normal.value, false)) {
        diagnostics.push(report.secretMaterial({ path: pathOf(at), fields: { model } }));
      }
      return normal.value;
    },
  };
  return reader;
}

function valueAt({ of, key }: Place): unknown {
  return Object.hasOwn(of.values, key) ? of.values[key] : undefined;
}

function pathOf({ of, key }: Place): string {
  return childPath(of.path, key);
}

/** Reads names of prompts or URIs of resources; none where the field is absent. */
export function readContextNames(reader: FieldReader, at: Place): readonly string[] {
  return reader.isAbsent(at) ? [] : reader.ids(at, CONTEXT_NAME);
}

/** Whether a string anywhere below looks like a secret; keys of metadata announce one, names in schemas do not. */
function holdsSecret(root: unknown, areNamesJudged: boolean): boolean {
  const pending: { readonly value: unknown; readonly name: string | undefined }[] = [
    { value: root, name: undefined },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, name } = next;
    if (typeof value === 'string') {
      if (areNamesJudged ? looksSecret(value, name) : looksSecret(value)) return true;
    } else if (Array.isArray(value)) {
      for (const item of value) pending.push({ value: item, name });
    } else if (isRecord(value)) {
      for (const [key, item] of Object.entries(value)) pending.push({ value: item, name: key });
    }
  }
  return false;
}

/** A copy of a JSON value that shares nothing with it; undefined where it is none or nests too deep. */
export function plainJson(value: unknown, depth: number = MAX_DEPTH): JsonValue | undefined {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? undefined : value;
  if (typeof value === 'number') return isExact(value) ? value : undefined;
  if (typeof value !== 'object' || depth === 0) return undefined;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      const copied = plainJson(item, depth - 1);
      if (copied === undefined) return undefined;
      items.push(copied);
    }
    return items;
  }
  if (!isRecord(value)) return undefined;
  const entries: [string, JsonValue][] = [];
  for (const [key, item] of Object.entries(value)) {
    const copied = plainJson(item, depth - 1);
    if (copied === undefined || LONE_SURROGATE.test(key)) return undefined;
    entries.push([key, copied]);
  }
  return Object.fromEntries(entries);
}

/** The pointer to a member. */
export function childPath(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Tells JSON objects from the other JSON values. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells plain objects from everything else. */
export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** What JavaScript cannot hold exactly would not come back from JSON text as the same number. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

const CONTEXT_NAME = {
  isRight: (text: string): boolean => text.trim() !== '' && text.length <= 2048,
  expected: 'a name or URI of 1 to 2,048 characters',
};
const MAX_DEPTH = 64;
const LONE_SURROGATE = /\p{Surrogate}/u;
const EMPTY_SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {},
  required: [],
};

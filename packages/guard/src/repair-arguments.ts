import { type JsonObject, type JsonSchema, type JsonValue } from '@millforge/contracts';
import type { ArgumentRepair } from './argument-repair.ts';
import { coerceValue } from './coerce-value.ts';
import { findViolation } from './find-violation.ts';
import { isJsonObject } from './json-kind.ts';
import { type ReadValue, readValue } from './read-value.ts';

/** Arguments that match the schema, or the first thing that is wrong with them. */
export type RepairedArguments =
  | {
      /** The arguments match. */
      readonly ok: true;
      /** The arguments. */
      readonly value: JsonObject;
      /** What was changed, in the order of the schema; empty when nothing was. */
      readonly repairs: readonly ArgumentRepair[];
    }
  | {
      /** The arguments do not match. */
      readonly ok: false;
      /** `json` and `object` mean that there is no JSON object at all. */
      readonly problem: 'json' | 'object' | 'schema';
      /** The place: `$`, `$.edits[0].path`. */
      readonly path: string;
      /** What was expected there. */
      readonly expected: string;
      /** The type of what was found, never the value. */
      readonly received: string;
      /** One sentence. */
      readonly message: string;
    };

/** How far repairs may go. */
export interface RepairOptions {
  /** Leaves out properties that the schema does not know, instead of refusing them; default false. */
  readonly dropUnknown?: boolean;
  /** Takes properties that the schema does not know as they are; default false. */
  readonly keepUnknown?: boolean;
}

/**
 * Reads the arguments that a model wrote and brings them to their schema without losing anything.
 *
 * Strict JSON first; then JSON with slips that have one reading: a trailing comma, single quotes, words of
 * Python, a raw line break. Then, only where the schema is not met: a text that holds the expected object,
 * array, number or boolean; a scalar where an array is expected; null for an optional property; the case of
 * an enum member; the spelling of a key. Never invents a value, never completes what was cut. Never throws,
 * and deep nesting does not overflow. Without a schema any object will do.
 */
export function repairArguments(
  text: string,
  schema: JsonSchema | null,
  options: RepairOptions = {},
): RepairedArguments {
  const repairs: ArgumentRepair[] = [];
  const read = readArguments(text, repairs);
  return read.ok ? repairToSchema(read.value, { schema, repairs, options }) : read;
}

/** Brings arguments that are JSON already to their schema, as `repairArguments` does. */
export function repairArgumentValue(
  value: JsonValue,
  schema: JsonSchema | null,
  options: RepairOptions = {},
): RepairedArguments {
  const repairs: ArgumentRepair[] = [];
  const read = asObject({ ok: true, value, repairs: [] }, repairs);
  return read.ok ? repairToSchema(read.value, { schema, repairs, options }) : read;
}

function repairToSchema(
  value: JsonObject,
  {
    schema,
    repairs,
    options,
  }: {
    readonly schema: JsonSchema | null;
    readonly repairs: ArgumentRepair[];
    readonly options: RepairOptions;
  },
): RepairedArguments {
  if (schema === null) return { ok: true, value, repairs };
  const violation = findViolation(value, schema);
  if (violation === null) return { ok: true, value, repairs };
  const before = repairs.length;
  const dropsUnknown = options.dropUnknown ?? false;
  const coerced = coerceValue(value, { schema, path: '$', repairs, dropsUnknown });
  const left = repairs.length === before ? violation : findViolation(coerced, schema);
  return isJsonObject(coerced) && (left === null || isKnownPart(coerced, schema, options))
    ? { ok: true, value: coerced, repairs }
    : { ok: false, problem: 'schema', ...(left ?? violation) };
}

/** Whether a value matches apart from properties that nobody asked for and that may stay. */
function isKnownPart(
  value: JsonValue,
  schema: JsonSchema,
  { keepUnknown }: RepairOptions,
): boolean {
  if (keepUnknown !== true) return false;
  const known = coerceValue(value, { schema, path: '$', repairs: [], dropsUnknown: true });
  return findViolation(known, schema) === null;
}

type ReadArguments =
  | { readonly ok: true; readonly value: JsonObject }
  | Extract<RepairedArguments, { ok: false }>;

function readArguments(text: string, repairs: ArgumentRepair[]): ReadArguments {
  if (text.trim() === '') {
    repairs.push({ path: '$', kind: 'empty-text' });
    return { ok: true, value: {} };
  }
  const outer = readValue(text);
  if (outer.ok || outer.isTooLarge) return asObject(outer, repairs);
  const slipped = readValue(text, { slips: true });
  if (!slipped.ok) return asObject(outer, repairs);
  for (const kind of slipped.repairs) repairs.push({ path: '$', kind });
  return asObject(slipped, repairs);
}

function asObject(read: ReadValue, repairs: ArgumentRepair[]): ReadArguments {
  if (!read.ok) {
    const { message } = read;
    return { ok: false, problem: 'json', path: '$', expected: 'JSON', received: 'text', message };
  }
  const { value } = read;
  if (isJsonObject(value)) return { ok: true, value };
  // Encoded twice: the text of an object instead of the object.
  const inner = typeof value === 'string' ? readValue(value) : read;
  if (inner.ok && isJsonObject(inner.value)) {
    repairs.push({ path: '$', kind: 'object-from-text' });
    return { ok: true, value: inner.value };
  }
  const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const message = `This is JSON of type ${received}, not an object.`;
  return { ok: false, problem: 'object', path: '$', expected: 'object', received, message };
}

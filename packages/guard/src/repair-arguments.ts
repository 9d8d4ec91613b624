import {
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  validateJson,
} from '@millforge/contracts';
import type { ArgumentRepair } from './argument-repair.ts';
import { coerceValue } from './coerce-value.ts';
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

/**
 * Reads the arguments that a model wrote and brings them to their schema without losing anything.
 *
 * Strict JSON first. Then, only where the schema is not met: a text that holds the expected object,
 * array, number or boolean; a scalar where an array is expected; null for an optional property; the
 * case of an enum member. Never invents a value. Never throws, and deep nesting does not overflow.
 */
export function repairArguments(text: string, schema: JsonSchema): RepairedArguments {
  const repairs: ArgumentRepair[] = [];
  const read = readArguments(text, repairs);
  if (!read.ok) return read;
  const violation = validateJson(read.value, schema);
  if (violation === null) return { ok: true, value: read.value, repairs };
  const coerced = coerceValue(read.value, { schema, path: '$', repairs });
  const left = repairs.length === 0 ? violation : validateJson(coerced, schema);
  if (left !== null) return { ok: false, problem: 'schema', ...left };
  return isJsonObject(coerced)
    ? { ok: true, value: coerced, repairs }
    : { ok: false, problem: 'schema', ...violation };
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
  if (!outer.ok || isJsonObject(outer.value)) return asArguments(outer);
  if (typeof outer.value === 'string') {
    // Encoded twice: the text of an object instead of the object.
    const inner = readValue(outer.value);
    if (inner.ok && isJsonObject(inner.value)) {
      repairs.push({ path: '$', kind: 'object-from-text' });
      return { ok: true, value: inner.value };
    }
  }
  return asArguments(outer);
}

function asArguments(read: ReadValue): ReadArguments {
  if (!read.ok) {
    return {
      ok: false,
      problem: 'json',
      path: '$',
      expected: 'JSON',
      received: 'text',
      message: read.message,
    };
  }
  if (isJsonObject(read.value)) return { ok: true, value: read.value };
  const received = typeName(read.value);
  return {
    ok: false,
    problem: 'object',
    path: '$',
    expected: 'object',
    received,
    message: `This is JSON of type ${received}, not an object.`,
  };
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

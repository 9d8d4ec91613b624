import type { JsonObject, JsonPrimitive, JsonValue } from '../json/json-value.ts';
import { setOwn } from '../json/plain-object.ts';

/** A JSON Schema object, or why a schema has none. */
export type StandardSchemaResult =
  | {
      readonly ok: true;
      /** The JSON Schema, for `normalizeSchema`. */
      readonly value: JsonObject;
    }
  | {
      readonly ok: false;
      /** The rest of a sentence that begins with what the schema is of. */
      readonly message: string;
    };

/**
 * Turns a schema of any library into a JSON Schema of the accepted subset, as far as it has that form.
 *
 * Takes Standard JSON Schema (zod 4, arktype, valibot in its converter) and plain JSON Schema (typebox); imports no
 * library. Drops titles and the like and the bounds of safe integers, closes objects that say nothing about other
 * properties, and makes an enum of a union of constants. What the subset lacks otherwise stays, for
 * `normalizeSchema` to name.
 */
export function fromStandardSchema(
  schema: unknown,
  side: 'input' | 'output' = 'input',
): StandardSchemaResult {
  let json: JsonValue;
  try {
    const raw = convert(schema, side);
    if (raw === undefined) {
      return refuse(
        'comes from a library that gives no JSON Schema; pass JSON Schema, or wrap it in the converter of its library',
      );
    }
    json = JSON.parse(JSON.stringify(raw) ?? 'null');
  } catch (error) {
    // The library says here what JSON Schema cannot express, which is for the author to read.
    const reason = error instanceof Error ? error.message : 'its conversion failed';
    return refuse(`has no JSON Schema form: ${reason}`);
  }
  return isObject(json)
    ? { ok: true, value: adapt(json, 1) }
    : refuse('must be a JSON Schema object or a schema with a ~standard property');
}

/** The JSON Schema of a schema, itself if it is one already, or undefined if its library makes none. */
function convert(schema: unknown, side: 'input' | 'output'): unknown {
  if (!isHolder(schema) || !('~standard' in schema)) return schema ?? null;
  const standard = schema['~standard'];
  if (!isHolder(standard) || !('jsonSchema' in standard)) return undefined;
  const converters = standard.jsonSchema;
  if (!isHolder(converters) || !(side in converters)) return undefined;
  const converter: unknown = Reflect.get(converters, side);
  return typeof converter === 'function'
    ? Reflect.apply(converter, converters, [{ target: 'draft-2020-12' }])
    : undefined;
}

function adapt(node: JsonObject, depth: number): JsonObject {
  // Deeper schemas are refused anyway; here the bound only protects the call stack.
  if (depth > MAX_DEPTH) return node;
  const result: { [key: string]: JsonValue } = {};
  for (const [key, value] of Object.entries(node)) {
    if (!isDropped(key, value, node)) setOwn(result, key, adaptKeyword(key, value, depth));
  }
  if (node['type'] === 'object' && node['additionalProperties'] === undefined) {
    result['additionalProperties'] = false;
  }
  const type = typeOfMembers(node['enum']);
  if (type !== null && node['type'] === undefined) result['type'] = type;
  return unionOfConstants(node) ?? result;
}

/** The one type of all members of an enum that names none, as arktype writes it, or null. */
function typeOfMembers(members: JsonValue | undefined): string | null {
  if (!isList(members) || members.length === 0) return null;
  const type = typeof members[0];
  if (type !== 'string' && type !== 'number' && type !== 'boolean') return null;
  return members.every((member) => typeof member === type) ? type : null;
}

function adaptKeyword(key: string, value: JsonValue, depth: number): JsonValue {
  if (key === 'items' && isObject(value)) return adapt(value, depth + 1);
  if (key !== 'properties' || !isObject(value)) return value;
  const properties: { [name: string]: JsonValue } = {};
  for (const [name, property] of Object.entries(value)) {
    setOwn(properties, name, isObject(property) ? adapt(property, depth + 1) : property);
  }
  return properties;
}

function isDropped(key: string, value: JsonValue, node: JsonObject): boolean {
  if (DECORATIONS.has(key)) return true;
  // Every integer that JSON can carry here is a safe one.
  if (key === 'minimum') return value === Number.MIN_SAFE_INTEGER;
  if (key === 'maximum') return value === Number.MAX_SAFE_INTEGER;
  return key === 'type' && node['const'] !== undefined;
}

function unionOfConstants(node: JsonObject): JsonObject | null {
  const members = node['anyOf'] ?? node['oneOf'];
  if (!isList(members) || members.length === 0) return null;
  const constants = members.map((member) => (isObject(member) ? member['const'] : undefined));
  const type = typeof constants[0];
  if (type !== 'string' && type !== 'number' && type !== 'boolean') return null;
  const values = constants.filter((value): value is JsonPrimitive => typeof value === type);
  if (values.length !== members.length) return null;
  const description = node['description'];
  return { type, enum: values, ...(description === undefined ? {} : { description }) };
}

/** Anything that can have properties: arktype's schemas are functions. */
function isHolder(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function refuse(message: string): StandardSchemaResult {
  return { ok: false, message };
}

const MAX_DEPTH = 32;
const DECORATIONS = new Set(
  '$schema $id $comment title examples deprecated readOnly writeOnly'.split(' '),
);

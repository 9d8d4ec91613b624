import type { JsonObject, JsonPrimitive, JsonValue } from '../json/json-value.ts';
import { setOwn } from '../json/plain-object.ts';
import { ANNOTATIONS, SCHEMA_FORMATS } from './schema.ts';

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
 * library. Drops the bounds of safe integers and names of formats that a pattern beside them spells out, closes
 * objects that say nothing about other properties, and makes an enum of a union of constants. What the subset lacks
 * otherwise stays, for `normalizeSchema` to name.
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
  const constants = unionOfConstants(node);
  if (constants !== null) return constants;
  const result: { [key: string]: JsonValue } = {};
  for (const [key, value] of Object.entries(node)) {
    if (!isDropped(key, value, node)) setOwn(result, key, adaptKeyword(key, value, depth));
  }
  const { type, additionalProperties } = node;
  const isObjectType = type === 'object' || (isList(type) && type.includes('object'));
  if (isObjectType && additionalProperties === undefined) result['additionalProperties'] = false;
  const typeOfEnum = typeOfMembers(node['enum']);
  if (typeOfEnum !== null && type === undefined) result['type'] = typeOfEnum;
  return result;
}

/** The one type of all members of an enum that names none, as arktype writes it, or null. */
function typeOfMembers(members: JsonValue | undefined): string | null {
  if (!isList(members) || members.length === 0) return null;
  const type = typeof members[0];
  if (type !== 'string' && type !== 'number' && type !== 'boolean') return null;
  return members.every((member) => typeof member === type) ? type : null;
}

function adaptKeyword(key: string, value: JsonValue, depth: number): JsonValue {
  const adapted = (node: JsonValue): JsonValue => (isObject(node) ? adapt(node, depth + 1) : node);
  if (key === 'items') return adapted(value);
  if (ALTERNATIVES.has(key) && isList(value)) return value.map(adapted);
  if (!SCHEMAS_BY_NAME.has(key) || !isObject(value)) return value;
  const schemas: { [name: string]: JsonValue } = {};
  for (const [name, schema] of Object.entries(value)) setOwn(schemas, name, adapted(schema));
  return schemas;
}

function isDropped(key: string, value: JsonValue, node: JsonObject): boolean {
  if (DECORATIONS.has(key)) return true;
  // Every integer that JSON can carry here is a safe one.
  if (key === 'minimum') return value === Number.MIN_SAFE_INTEGER;
  if (key === 'maximum') return value === Number.MAX_SAFE_INTEGER;
  // A library has names of its own for patterns, such as `starts_with`; the pattern is what is checked.
  if (key === 'format') return typeof node['pattern'] === 'string' && !isKnownFormat(value);
  if (key === 'pattern') return node['format'] === 'hostname' && value === HOSTNAME_OF_ZOD;
  return key === 'type' && node['const'] !== undefined;
}

function isKnownFormat(value: JsonValue): boolean {
  return SCHEMA_FORMATS.some((format) => format === value);
}

/** The enum that a union says whose members are constants of one type without words of their own. */
function unionOfConstants(node: JsonObject): JsonObject | null {
  const members = node['anyOf'] ?? node['oneOf'];
  if (!isList(members) || members.length === 0) return null;
  const isBare = members.every(
    (member) => isObject(member) && !ANNOTATIONS.some((word) => Object.hasOwn(member, word)),
  );
  const constants = members.map((member) => (isObject(member) ? member['const'] : undefined));
  const type = typeof constants[0];
  if (!isBare || (type !== 'string' && type !== 'number' && type !== 'boolean')) return null;
  const values = constants.filter((value): value is JsonPrimitive => typeof value === type);
  if (values.length !== members.length) return null;
  const words = Object.entries(node).filter(([key]) => ANNOTATIONS.some((word) => word === key));
  return { type, enum: values, ...Object.fromEntries(words) };
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
const DECORATIONS = new Set(['$schema', '$id', '$comment', 'deprecated', 'readOnly', 'writeOnly']);
const ALTERNATIVES = new Set(['anyOf', 'oneOf']);
const SCHEMAS_BY_NAME = new Set(['properties', '$defs', 'definitions']);
/** Spells out the format beside it by looking ahead, which the subset of patterns cannot. */
const HOSTNAME_OF_ZOD =
  '^(?=.{1,253}\\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\\.?$';

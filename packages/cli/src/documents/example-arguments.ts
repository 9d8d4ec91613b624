import {
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  toPlainJson,
  validateJson,
} from '@millforge/contracts';

/**
 * Arguments that a schema accepts: the author's first example, or the least that is required. Null where no
 * simple value fits, such as one of a pattern.
 */
export function exampleArguments(schema: JsonSchema): JsonObject | null {
  const [given] = schema.examples ?? [];
  const value = given === undefined ? leastOf(schema) : toPlainJson(given);
  if (!isObject(value)) return null;
  return validateJson(value, schema) === null ? value : null;
}

function leastOf(schema: JsonSchema): JsonValue {
  const [example] = schema.examples ?? [];
  if (example !== undefined) return toPlainJson(example);
  if (schema.default !== undefined) return toPlainJson(schema.default);
  if ('const' in schema) return toPlainJson(schema.const);
  if ('oneOf' in schema) return firstOf(schema.oneOf);
  if ('anyOf' in schema) return firstOf(schema.anyOf);
  if ('properties' in schema) {
    return Object.fromEntries(
      schema.required.flatMap((name) => {
        const property = schema.properties[name];
        return property === undefined ? [] : [[name, leastOf(property)]];
      }),
    );
  }
  if ('items' in schema) {
    return Array.from({ length: schema.minItems ?? 0 }, () => leastOf(schema.items));
  }
  const [member] = schema.enum ?? [];
  if (member !== undefined) return toPlainJson(member);
  const type = typeof schema.type === 'string' ? schema.type : schema.type[0];
  if (type === 'string') return '…';
  return type === 'boolean' ? false : 1;
}

function firstOf(schemas: readonly JsonSchema[]): JsonValue {
  const [first] = schemas;
  return first === undefined ? null : leastOf(first);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import {
  formatExample,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type ObjectSchema,
} from '@millforge/contracts';
import { findViolation } from '../find-violation.ts';

/** Arguments that match a schema and show its required properties, or null where none are easily made. */
export function exampleArguments(schema: JsonSchema | null): JsonObject | null {
  if (schema === null) return null;
  const example = exampleOf(schema, 1);
  const isObject = typeof example === 'object' && example !== null && !Array.isArray(example);
  // A pattern or a bound may ask for more than an example guesses; a wrong one would mislead.
  return isObject && findViolation(example, schema) === null ? (example as JsonObject) : null;
}

function exampleOf(schema: JsonSchema, depth: number): JsonValue {
  const given = schema.examples?.[0] ?? schema.default;
  if (given !== undefined) return plain(given);
  if (depth > MAX_DEPTH) return null;
  if ('const' in schema) return plain(schema.const);
  if ('oneOf' in schema) return plain(schema.oneOf[0]?.const ?? null);
  if ('anyOf' in schema) return exampleOf(schema.anyOf[0] ?? schema, depth + 1);
  if ('properties' in schema) return exampleObject(schema, depth);
  if ('items' in schema) return [exampleOf(schema.items, depth + 1)];
  if (schema.enum !== undefined) return plain(schema.enum[0] ?? null);
  const type = typeof schema.type === 'string' ? schema.type : schema.type[0];
  if ('format' in schema && schema.format !== undefined) return formatExample(schema.format);
  if (type === 'string') return 'text';
  if (type === 'boolean') return true;
  return 'minimum' in schema && schema.minimum !== undefined ? plain(schema.minimum) : 1;
}

/** A value of a schema without the kinds of its numbers. */
function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

function exampleObject(schema: ObjectSchema, depth: number): JsonValue {
  return Object.fromEntries(
    schema.required.map((name) => {
      const property = schema.properties[name];
      return [name, property === undefined ? null : exampleOf(property, depth + 1)];
    }),
  );
}

const MAX_DEPTH = 8;

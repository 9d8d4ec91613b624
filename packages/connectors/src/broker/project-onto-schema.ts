import { type JsonSchema, type JsonValue, validateJson } from '@millforge/contracts';

/**
 * Leaves of a value what a schema has a place for: properties that it does not name are left out.
 *
 * Values are never changed; whether the rest is right is for validation to say.
 */
export function projectOntoSchema(value: JsonValue, schema: JsonSchema): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if ('anyOf' in schema) {
    // Of several alternatives that one counts which the rest of the value fits.
    for (const alternative of schema.anyOf) {
      const projected = projectOntoSchema(value, alternative);
      if (validateJson(projected, alternative) === null) return projected;
    }
    return value;
  }
  if (isArray(value)) {
    return 'items' in schema ? value.map((item) => projectOntoSchema(item, schema.items)) : value;
  }
  if (!('properties' in schema)) return value;
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property === undefined ? [] : [[name, projectOntoSchema(member, property)]];
    }),
  );
}

/** `Array.isArray` narrows a readonly array to nothing; this guard keeps its element type. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

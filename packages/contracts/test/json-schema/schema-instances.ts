import type { JsonSchema, JsonValue } from '@millforge/contracts';
import * as fc from 'fast-check';

/** Values that a schema mostly accepts; whether it does is for its validator to say. */
export function instanceOf(schema: JsonSchema): fc.Arbitrary<JsonValue> {
  if ('const' in schema) return fc.constant(plain(schema.const));
  if ('oneOf' in schema) return fc.constantFrom(...schema.oneOf.map((one) => plain(one.const)));
  if ('anyOf' in schema) return fc.oneof(...schema.anyOf.map(instanceOf));
  const isNullable = [schema.type].flat().includes('null');
  const own = instanceOfType(schema);
  return isNullable
    ? fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: own })
    : own;
}

function instanceOfType(
  schema: Exclude<JsonSchema, { const: unknown } | { oneOf: unknown } | { anyOf: unknown }>,
): fc.Arbitrary<JsonValue> {
  if ('items' in schema) {
    const { minItems: minLength = 0, maxItems: maxLength = 3 } = schema;
    return fc.array(instanceOf(schema.items), { minLength, maxLength });
  }
  if ('properties' in schema) return instanceOfObject(schema);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.map(plain));
  const type = [schema.type].flat()[0];
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return text(schema);
  const low = 'minimum' in schema ? Number(plain(schema.minimum ?? 0)) : -40;
  const open = 'exclusiveMinimum' in schema ? Number(plain(schema.exclusiveMinimum ?? 0)) + 1 : low;
  return fc.integer({ min: open, max: open + 3 });
}

function text(schema: JsonSchema): fc.Arbitrary<string> {
  if ('pattern' in schema) return fc.stringMatching(new RegExp(schema.pattern ?? '', 'u'));
  if ('format' in schema) return fc.constant('10.0.0.1');
  const minLength = 'minLength' in schema ? (schema.minLength ?? 0) : 0;
  return fc.string({ minLength, maxLength: minLength + 2 });
}

function instanceOfObject(
  schema: Extract<JsonSchema, { properties: unknown }>,
): fc.Arbitrary<JsonValue> {
  const members = Object.entries(schema.properties).map(([name, property]) => {
    const value = instanceOf(property).map((one) => [[name, one] as const]);
    return schema.required.includes(name) ? value : fc.oneof(value, fc.constant([]));
  });
  return fc.tuple(...members).map((entries) => Object.fromEntries(entries.flat()));
}

function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

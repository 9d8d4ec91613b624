import { deepFreeze } from '../json/freeze.ts';
import { keepText, keptText } from '../json/kept-text.ts';
import { setOwn } from '../json/plain-object.ts';
import { choiceOf, unionOf } from './combine-schemas.ts';
import type { JsonSchema } from './schema.ts';

/**
 * The schema without its words: what digests of tools are taken of, and what compatibility compares.
 *
 * Two schemas that differ only in annotations give the same result. Takes the normal form and gives the normal form.
 */
export function withoutAnnotations(schema: JsonSchema): JsonSchema {
  if (keptText(schema) === undefined) return strip(schema);
  const known = STRIPPED.get(schema);
  if (known !== undefined) return known;
  const stripped = keepText(deepFreeze(strip(schema)));
  STRIPPED.set(schema, stripped);
  return stripped;
}

/** What became of schemas that no longer change; every compilation asks for those of its tools. */
const STRIPPED = new WeakMap<JsonSchema, JsonSchema>();

function strip(schema: JsonSchema): JsonSchema {
  const {
    title: _title,
    description: _text,
    default: _default,
    examples: _shown,
    ...bare
  } = schema;
  if ('oneOf' in bare) return choiceOf(bare.oneOf.map((member) => ({ const: member.const })));
  if ('anyOf' in bare) return unionOf(bare.anyOf.map(withoutAnnotations));
  if ('items' in bare) return { ...bare, items: withoutAnnotations(bare.items) };
  if (!('properties' in bare)) return bare;
  const properties: { [name: string]: JsonSchema } = {};
  for (const [name, property] of Object.entries(bare.properties)) {
    setOwn(properties, name, withoutAnnotations(property));
  }
  return { ...bare, properties };
}

import { schemaIdentity, unionOf } from './combine-schemas.ts';
import type { ConstSchema, JsonSchema } from './schema.ts';
import { child, fault, type Read } from './schema-fault.ts';
import { withoutAnnotations } from './without-annotations.ts';

/**
 * The normal form of `anyOf`, or of a `oneOf` whose alternatives exclude each other.
 *
 * They do when they are constants, or objects that a required constant tells apart.
 */
export function normalizeAlternatives(
  raw: unknown,
  keyword: 'anyOf' | 'oneOf',
  { path, normalize }: Alternatives,
): Read<JsonSchema> {
  if (!Array.isArray(raw) || raw.length === 0) return fault(path, 'must be a non-empty list');
  const alternatives: JsonSchema[] = [];
  const seen = new Set<string>();
  for (const [index, node] of raw.entries()) {
    const place = child(path, String(index));
    const alternative = normalize(node, place);
    if (!alternative.ok) return alternative;
    const identity = schemaIdentity(withoutAnnotations(alternative.value));
    if (seen.has(identity)) return fault(place, 'repeats an earlier alternative');
    seen.add(identity);
    alternatives.push(alternative.value);
  }
  const areConstants = alternatives.every((schema): schema is ConstSchema => 'const' in schema);
  if (!areConstants && raw.length > MAX_ALTERNATIVES) {
    return fault(path, `must have at most ${MAX_ALTERNATIVES} alternatives`);
  }
  if (keyword === 'oneOf' && !areConstants && !areToldApart(alternatives)) {
    return fault(path, 'must be a list of constants; write anyOf for other alternatives');
  }
  return { ok: true, value: unionOf(alternatives) };
}

interface Alternatives {
  readonly path: string;
  readonly normalize: (node: unknown, path: string) => Read<JsonSchema>;
}

/** Whether one required property has another constant in each alternative. */
function areToldApart(alternatives: readonly JsonSchema[]): boolean {
  const [first] = alternatives.map(requiredConstants);
  return [...(first?.keys() ?? [])].some((name) => {
    const tags = alternatives.map((schema) => requiredConstants(schema).get(name));
    return !tags.includes(undefined) && new Set(tags).size === tags.length;
  });
}

function requiredConstants(schema: JsonSchema): ReadonlyMap<string, string> {
  if (!('properties' in schema) || schema.type !== 'object') return new Map();
  const required = new Set(schema.required);
  return new Map(
    Object.entries(schema.properties).flatMap(([name, property]) =>
      'const' in property && required.has(name) ? [[name, schemaIdentity(property)]] : [],
    ),
  );
}

const MAX_ALTERNATIVES = 16;

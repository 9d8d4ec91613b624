import type { JsonSchema } from './schema.ts';
import { withoutAnnotations } from './without-annotations.ts';

/** The form that version 1.0 of a plan knows, or the first keyword that it does not know. */
export type Schema10Result =
  | {
      /** Version 1.0 can say this schema. */
      readonly ok: true;
      /** The schema without annotations. */
      readonly value: JsonSchema;
    }
  | {
      /** The schema says more than version 1.0 can. */
      readonly ok: false;
      /** Pointer to the keyword, beginning with the path that was given. */
      readonly path: string;
      /** The keyword; `type` where it is a pair with null. */
      readonly keyword: string;
    };

/**
 * Brings a normal form to the narrower one of version 1.0: annotations are dropped, wider keywords refused.
 *
 * Properties are visited in the order of their names.
 */
export function toSchema10(schema: JsonSchema, path: string): Schema10Result {
  const value = withoutAnnotations(schema);
  const wider = firstWider(value, path);
  return wider === null ? { ok: true, value } : { ok: false, ...wider };
}

function firstWider(
  schema: JsonSchema,
  path: string,
): { readonly path: string; readonly keyword: string } | null {
  if ('type' in schema && typeof schema.type !== 'string') {
    return { path: `${path}/type`, keyword: 'type' };
  }
  const keyword = Object.keys(schema).find((key) => !KEYWORDS_10.has(key));
  if (keyword !== undefined) return { path: `${path}/${keyword}`, keyword };
  if ('items' in schema) return firstWider(schema.items, `${path}/items`);
  if (!('properties' in schema)) return null;
  for (const [name, property] of Object.entries(schema.properties)) {
    const segment = name.replaceAll('~', '~0').replaceAll('/', '~1');
    const wider = firstWider(property, `${path}/properties/${segment}`);
    if (wider !== null) return wider;
  }
  return null;
}

const KEYWORDS_10 = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
]);

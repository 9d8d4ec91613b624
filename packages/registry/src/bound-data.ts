import {
  canonicalJson,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  validateJson,
} from '@millforge/contracts';
import { MARKER } from './bound-text.ts';
import { isJsonObject } from './plain-json.ts';

/** A structured result within its limit. */
export type BoundedData =
  | {
      readonly ok: true;
      readonly data: JsonObject;
      /** Places of the strings that were cut: `$.files[3].body`. */
      readonly cutPaths: readonly string[];
    }
  | {
      readonly ok: false;
      /** Bytes of canonical JSON that the data takes when every string is cut. */
      readonly bytes: number;
    };

/**
 * Shortens the longest strings of a result until its canonical JSON fits.
 *
 * Only strings become shorter: arrays keep their length and objects their keys, so that the result
 * keeps its schema. A string that the schema gives a form (an enum, a pattern, a format) stays whole,
 * and one with a length is cut only as far as the schema allows.
 */
export function boundData(data: JsonObject, schema: JsonSchema, maxBytes: number): BoundedData {
  const bytes = Object.keys(data).length === 0 ? '{}'.length : encodedBytes(data);
  if (bytes <= maxBytes) return { ok: true, data, cutPaths: [] };
  const root: { data: JsonValue } = { data };
  const leaves: Leaf[] = [];
  root.data = mutableCopy(data, { schema: meantSchema(schema, data), path: '$', leaves });
  let overflow = bytes - maxBytes;
  for (const leaf of leaves.toSorted((a, b) => b.cost - a.cost || (a.path < b.path ? -1 : 1))) {
    if (overflow <= 0) break;
    const cost = Math.max(MARKER.length, leaf.cost - overflow);
    if (cost >= leaf.cost) continue;
    const shorter = cutTo(leaf.text, cost - MARKER.length) + MARKER;
    if (leaf.schema !== undefined && validateJson(shorter, leaf.schema) !== null) continue;
    leaf.replace(shorter);
    leaf.isCut = true;
    overflow -= leaf.cost - textCost(shorter);
  }
  if (overflow > 0 || !isJsonObject(root.data)) return { ok: false, bytes: maxBytes + overflow };
  const cutPaths = leaves.filter((leaf) => leaf.isCut).map((leaf) => leaf.path);
  return { ok: true, data: root.data, cutPaths };
}

interface Leaf {
  readonly path: string;
  readonly text: string;
  readonly cost: number;
  /** What the schema says of it. */
  readonly schema: JsonSchema | undefined;
  readonly replace: (text: string) => void;
  isCut: boolean;
}

interface Place {
  readonly schema: JsonSchema | undefined;
  readonly path: string;
  readonly leaves: Leaf[];
}

function mutableCopy(value: JsonValue, place: Place): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (!isJsonObject(value)) {
    const items: JsonValue[] = [];
    const { schema } = place;
    const itemSchema = schema !== undefined && 'items' in schema ? schema.items : undefined;
    for (const [index, item] of value.entries()) {
      const child = {
        ...place,
        schema: meantSchema(itemSchema, item),
        path: `${place.path}[${index}]`,
      };
      items.push(mutableCopy(item, child));
      noteLeaf(item, child, (text) => {
        items[index] = text;
      });
    }
    return items;
  }
  const result: { [key: string]: JsonValue } = {};
  for (const [key, item] of Object.entries(value)) {
    const child = {
      ...place,
      schema: meantSchema(propertySchema(place.schema, key), item),
      path: `${place.path}.${key}`,
    };
    const set = (next: JsonValue): void => {
      Object.defineProperty(result, key, {
        value: next,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    };
    set(mutableCopy(item, child));
    noteLeaf(item, child, set);
  }
  return result;
}

function noteLeaf(item: JsonValue, place: Place, replace: (text: string) => void): void {
  const { path, schema } = place;
  if (typeof item !== 'string' || hasForm(schema)) return;
  place.leaves.push({ path, text: item, cost: textCost(item), schema, replace, isCut: false });
}

/** Whether a part of the text would not be the thing that the schema speaks of. */
function hasForm(schema: JsonSchema | undefined): boolean {
  return schema !== undefined && FORMS.some((keyword) => keyword in schema);
}

function propertySchema(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  return schema !== undefined && 'properties' in schema && Object.hasOwn(schema.properties, key)
    ? schema.properties[key]
    : undefined;
}

/** The schema of a value, and of alternatives the first that accepts it. */
function meantSchema(schema: JsonSchema | undefined, value: JsonValue): JsonSchema | undefined {
  if (schema === undefined || !('anyOf' in schema)) return schema;
  return meantSchema(
    schema.anyOf.find((one) => validateJson(value, one) === null),
    value,
  );
}

function encodedBytes(data: JsonObject): number {
  return canonicalJson(data, { newline: false }).length;
}

function textCost(text: string): number {
  return canonicalJson(text, { newline: false }).length - 2;
}

/** The longest beginning of a text that costs at most `budget`, never half a surrogate pair. */
function cutTo(text: string, budget: number): string {
  let cost = 0;
  let end = 0;
  for (const character of text) {
    cost += PRINTABLE.test(character) ? 1 : textCost(character);
    if (cost > budget) break;
    end += character.length;
  }
  return text.slice(0, end);
}

const FORMS = ['const', 'enum', 'oneOf', 'pattern', 'format'];
const PRINTABLE = /^[ !#-[\]-~]$/;

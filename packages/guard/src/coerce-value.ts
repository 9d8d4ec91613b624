import {
  type ArraySchema,
  type JsonFloat,
  type JsonSchema,
  type JsonValue,
  type ObjectSchema,
} from '@millforge/contracts';
import type { ArgumentRepair } from './argument-repair.ts';
import { findViolation } from './find-violation.ts';
import { isJsonList, isJsonObject } from './json-kind.ts';
import { renamedKeys } from './names/renamed-keys.ts';
import { INTEGER } from './read-loose-json.ts';
import { readValue } from './read-value.ts';

/** Where a value stands, what is expected there, and where changes are noted. */
interface Place {
  readonly schema: JsonSchema;
  readonly path: string;
  readonly repairs: ArgumentRepair[];
  /** Whether properties that the schema does not know are left out. */
  readonly dropsUnknown: boolean;
}

/**
 * Brings a value nearer to its schema without losing anything; what cannot be, stays as it is.
 *
 * Descends as deep as the schema, never as deep as the value: the recursion is bounded by the schema.
 */
export function coerceValue(value: JsonValue, place: Place): JsonValue {
  const { schema } = place;
  if ('const' in schema) return coerceScalar(value, [schema.const], place);
  if ('oneOf' in schema) {
    const constants = schema.oneOf.map((member) => member.const);
    return coerceScalar(value, constants, place);
  }
  if ('anyOf' in schema) return coerceToAlternative(value, schema.anyOf, place);
  if ('properties' in schema) return coerceObject(value, schema, place);
  if ('items' in schema) return coerceArray(value, schema, place);
  return coerceScalar(value, schema.enum ?? null, place);
}

/** What fits stays; what fits no alternative is changed only where all changes that help agree. */
function coerceToAlternative(
  value: JsonValue,
  alternatives: readonly JsonSchema[],
  place: Place,
): JsonValue {
  if (findViolation(value, place.schema) === null) return value;
  const found = alternatives.flatMap((schema) => {
    const repairs: ArgumentRepair[] = [];
    const coerced = coerceValue(value, { ...place, schema, repairs });
    return findViolation(coerced, schema) === null ? [{ coerced, repairs }] : [];
  });
  const [first] = found;
  if (first === undefined) return value;
  const text = JSON.stringify(first.coerced);
  if (found.some((other) => JSON.stringify(other.coerced) !== text)) return value;
  place.repairs.push(...first.repairs);
  return first.coerced;
}

function note({ path, repairs }: Place, kind: ArgumentRepair['kind']): void {
  repairs.push({ path, kind });
}

type Members = readonly (JsonValue | JsonFloat)[] | null;

function coerceObject(value: JsonValue, schema: ObjectSchema, place: Place): JsonValue {
  const found = containerIn(value, place, 'object-from-text');
  if (!isJsonObject(found)) return value;
  const keys = Object.keys(found);
  const known = Object.keys(schema.properties);
  // So many that nobody asked for are no slips, and whatever else is mended they do not fit.
  if (!place.dropsUnknown && keys.length > known.length + MAX_UNKNOWN) return found;
  const entries: [string, JsonValue][] = [];
  const renamed = renamedKeys(keys, known);
  for (const [written, item] of Object.entries(found)) {
    const name = renamed.get(written) ?? written;
    const path = `${place.path}.${name}`;
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (name !== written) note({ ...place, path }, 'key-renamed');
    if (property === undefined) {
      if (place.dropsUnknown) note({ ...place, path }, 'unknown-removed');
      else entries.push([name, item]);
    } else if (isSpareNull(item, property) && !schema.required.includes(name)) {
      note({ ...place, path }, 'null-removed');
    } else {
      entries.push([name, coerceValue(item, { ...place, schema: property, path })]);
    }
  }
  // fromEntries makes `__proto__` an own property like any other.
  return Object.fromEntries(entries);
}

function coerceArray(value: JsonValue, schema: ArraySchema, place: Place): JsonValue {
  const found = containerIn(value, place, 'array-from-text');
  if (isJsonList(found)) {
    return found.map((item, index) =>
      coerceValue(item, { ...place, schema: schema.items, path: `${place.path}[${index}]` }),
    );
  }
  // A text that begins a list and is none was cut or is wrong inside; as an item it would pass unseen.
  const isBrokenList = typeof value === 'string' && value.trimStart().startsWith('[');
  if (typeof value === 'object' || isBrokenList) return value;
  const repairs: ArgumentRepair[] = [];
  const item = coerceValue(value, {
    ...place,
    schema: schema.items,
    path: `${place.path}[0]`,
    repairs,
  });
  if (findViolation(item, schema.items) !== null) return value;
  note(place, 'array-of-one');
  place.repairs.push(...repairs);
  return [item];
}

/** The container that a text holds, when it holds the one that is expected; any other value as it is. */
function containerIn(
  value: JsonValue,
  place: Place,
  kind: 'object-from-text' | 'array-from-text',
): JsonValue {
  if (typeof value !== 'string') return value;
  const read = readValue(value);
  if (!read.ok || typeof read.value !== 'object' || read.value === null) return value;
  if (isJsonList(read.value) !== (kind === 'array-from-text')) return value;
  note(place, kind);
  return read.value;
}

function coerceScalar(value: JsonValue, members: Members, place: Place): JsonValue {
  if (typeof value !== 'string' || findViolation(value, place.schema) === null) return value;
  for (const [kind, candidate] of candidates(value, members)) {
    if (findViolation(candidate, place.schema) !== null) continue;
    note(place, kind);
    return candidate;
  }
  return value;
}

function candidates(
  text: string,
  members: Members,
): readonly (readonly [ArgumentRepair['kind'], JsonValue])[] {
  const found: (readonly [ArgumentRepair['kind'], JsonValue])[] = [];
  const number = exactNumber(text);
  if (number !== null) found.push(['number-from-text', number]);
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') found.push(['boolean-from-text', lower === 'true']);
  const alike = (members ?? []).filter(
    (member) => typeof member === 'string' && member.toLowerCase() === lower,
  );
  const [only] = alike;
  if (typeof only === 'string' && alike.length === 1) found.push(['enum-case', only]);
  return found;
}

/** The number that a text is, when a JavaScript number holds it exactly as written. */
function exactNumber(text: string): number | null {
  if (!JSON_NUMBER.test(text)) return null;
  const number = Number(text);
  if (INTEGER.test(text)) return Number.isSafeInteger(number) ? number : null;
  const digits = text.replace(/[eE].*$/, '').replaceAll(/\D/g, '');
  const significant = digits.replace(/^0+/, '').replace(/0+$/, '');
  if (significant === '') return 0;
  // Up to fifteen significant digits survive a double, short of its very ends.
  const magnitude = Math.abs(number);
  const held = significant.length <= 15 && magnitude > 1e-290 && magnitude < 1e300;
  return held ? number : null;
}

function isSpareNull(value: JsonValue, schema: JsonSchema): boolean {
  return value === null && findViolation(null, schema) !== null;
}

const MAX_UNKNOWN = 256;
const JSON_NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;

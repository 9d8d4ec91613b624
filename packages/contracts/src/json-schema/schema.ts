import { canonicalJson } from '../json/canonical-json.ts';
import { compareCodePoints } from '../json/compare-code-points.ts';
import { deepFreeze } from '../json/freeze.ts';
import { JsonFloat, type JsonPrimitive } from '../json/json-value.ts';
import { isPlainObject, setOwn } from '../json/plain-object.ts';

/** A schema of the accepted subset in its normal form; equal meanings have equal canonical JSON. */
export type JsonSchema = ConstSchema | ScalarSchema | ArraySchema | ObjectSchema;

/** A leaf in a schema; number kinds are kept, because they are part of the digest. */
export type SchemaScalar = JsonPrimitive | JsonFloat;

// Type aliases, not interfaces: only an alias is assignable to ExactJson, and schemas are digested.

/** Accepts exactly one leaf. */
export type ConstSchema = {
  /** The value. */
  readonly const: SchemaScalar;
};

/** Accepts leaves of one type, or some of them. */
export type ScalarSchema = {
  /** The type. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  /** The values that are accepted, in the author's order; absent for all of the type. */
  readonly enum?: readonly SchemaScalar[];
};

/** Accepts arrays whose items all match one schema. */
export type ArraySchema = {
  /** The type. */
  readonly type: 'array';
  /** Schema of every item. */
  readonly items: JsonSchema;
};

/** Accepts objects with these properties and no others. */
export type ObjectSchema = {
  /** The type. */
  readonly type: 'object';
  /** Always false: unknown properties are refused. */
  readonly additionalProperties: false;
  /** Schema of each property; any name is legal, also `__proto__`. */
  readonly properties: { readonly [name: string]: JsonSchema };
  /** Names that must be present, sorted. */
  readonly required: readonly string[];
};

/** How a schema is normalised. */
export interface NormalizeSchemaOptions {
  /** `object` (default) refuses any other type at the root; `any` accepts every schema. */
  readonly root?: 'object' | 'any';
}

/** The normal form, or the first fault with its place. */
export type NormalizeSchemaResult =
  | {
      /** The schema is in the subset. */
      readonly ok: true;
      /** Its normal form, frozen. */
      readonly value: JsonSchema;
    }
  | SchemaFault;

/** Why a schema is refused. */
export interface SchemaFault {
  /** Always false. */
  readonly ok: false;
  /** Pointer to the fault, beginning with the path that was given. */
  readonly path: string;
  /** One sentence that begins with the path. */
  readonly message: string;
}

/**
 * Brings a JSON Schema of the accepted subset to its normal form, frozen, or names the first fault.
 *
 * Drops `description` and `default`, sorts `required`, keeps the order of `enum`. Refuses every keyword that the
 * runtime would not enforce, more than 16 levels and more than 64 KiB. Paths and messages begin with `path`.
 */
export function normalizeSchema(
  schema: unknown,
  path: string,
  options: NormalizeSchemaOptions = {},
): NormalizeSchemaResult {
  const result = normalizeNode({ node: schema, path, depth: 1, nodes: { left: MAX_NODES } });
  if (!result.ok) return result;
  if (options.root !== 'any' && !('type' in result.value && result.value.type === 'object')) {
    return fault(path, 'must have type object at its root');
  }
  if (canonicalJson(result.value, { newline: false }).length > MAX_BYTES) return tooLarge(path);
  return { ok: true, value: deepFreeze(result.value) };
}

/** A node that waits for its normal form; all nodes of one schema share the count of what is left. */
interface Visit {
  readonly node: unknown;
  readonly path: string;
  readonly depth: number;
  readonly nodes: { left: number };
}

function normalizeNode(visit: Visit): NormalizeSchemaResult {
  const { node, path } = visit;
  if (!isPlainObject(node)) return fault(path, 'must be a schema object');
  if (visit.depth > MAX_DEPTH) return fault(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (visit.nodes.left-- === 0) return tooLarge(path);
  for (const key of Object.keys(node)) {
    if (BOUNDS.has(key)) {
      return fault(
        child(path, key),
        'is not accepted because runtime does not enforce schema bounds',
      );
    }
    if (!KEYWORDS.has(key)) return fault(child(path, key), 'is not an accepted schema keyword');
  }
  if (node['const'] !== undefined) return normalizeConst(node, path);
  switch (node['type']) {
    case 'object':
      return normalizeObject(node, visit);
    case 'array':
      return normalizeArray(node, visit);
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return normalizeScalar(node['type'], node, path);
    default:
      return fault(
        child(path, 'type'),
        'must be one of string, integer, number, boolean, array, object',
      );
  }
}

type RawNode = { readonly [key: string]: unknown };

function normalizeConst(node: RawNode, path: string): NormalizeSchemaResult {
  const extra = refusePresent(node, path, {
    keywords: ['type', 'properties', 'required', 'additionalProperties', 'items', 'enum'],
    reason: 'is not accepted beside const',
  });
  if (extra !== null) return extra;
  const value = node['const'];
  if (!isScalar(value)) {
    return fault(child(path, 'const'), 'must be a string, a finite number, a boolean or null');
  }
  return { ok: true, value: { const: value } };
}

function normalizeScalar(
  type: ScalarSchema['type'],
  node: RawNode,
  path: string,
): NormalizeSchemaResult {
  const extra = refusePresent(node, path, {
    keywords: ['properties', 'required', 'additionalProperties', 'items'],
    reason: `is not accepted for type ${type}`,
  });
  if (extra !== null) return extra;
  const members = node['enum'];
  if (members === undefined) return { ok: true, value: { type } };
  const enumPath = child(path, 'enum');
  if (!Array.isArray(members) || members.length === 0) {
    return fault(enumPath, 'must be a non-empty list');
  }
  const accepted: SchemaScalar[] = [];
  const seen = new Set<string>();
  for (const [index, member] of members.entries()) {
    const memberPath = child(enumPath, String(index));
    if (!isScalar(member) || !hasType(member, type)) {
      return fault(memberPath, `must be a value of type ${type}`);
    }
    const identity = scalarIdentity(member);
    if (seen.has(identity)) return fault(memberPath, 'repeats an earlier value');
    seen.add(identity);
    accepted.push(member);
  }
  return { ok: true, value: { type, enum: accepted } };
}

function normalizeArray(node: RawNode, visit: Visit): NormalizeSchemaResult {
  const extra = refusePresent(node, visit.path, {
    keywords: ['properties', 'required', 'additionalProperties', 'enum'],
    reason: 'is not accepted for type array',
  });
  if (extra !== null) return extra;
  const items = normalizeNode({
    ...visit,
    node: node['items'],
    path: child(visit.path, 'items'),
    depth: visit.depth + 1,
  });
  return items.ok ? { ok: true, value: { type: 'array', items: items.value } } : items;
}

function normalizeObject(node: RawNode, visit: Visit): NormalizeSchemaResult {
  const { path } = visit;
  const extra = refusePresent(node, path, {
    keywords: ['items', 'enum'],
    reason: 'is not accepted for type object',
  });
  if (extra !== null) return extra;
  if (node['additionalProperties'] !== false) {
    return fault(child(path, 'additionalProperties'), 'must be false');
  }
  const raw = node['properties'] ?? {};
  const propertiesPath = child(path, 'properties');
  if (!isPlainObject(raw)) return fault(propertiesPath, 'must be an object of schemas');
  const properties: { [name: string]: JsonSchema } = {};
  for (const name of Object.keys(raw).toSorted(compareCodePoints)) {
    if (name === '') return fault(propertiesPath, 'must not have an empty name');
    const property = normalizeNode({
      ...visit,
      node: raw[name],
      path: child(propertiesPath, name),
      depth: visit.depth + 1,
    });
    if (!property.ok) return property;
    setOwn(properties, name, property.value);
  }
  const required = normalizeRequired(node['required'] ?? [], properties, child(path, 'required'));
  if (!required.ok) return required;
  return {
    ok: true,
    value: { type: 'object', additionalProperties: false, properties, required: required.names },
  };
}

function normalizeRequired(
  raw: unknown,
  properties: { readonly [name: string]: JsonSchema },
  path: string,
): { readonly ok: true; readonly names: readonly string[] } | SchemaFault {
  if (!Array.isArray(raw)) return fault(path, 'must be a list of property names');
  const names = new Set<string>();
  for (const [index, name] of raw.entries()) {
    const place = child(path, String(index));
    if (typeof name !== 'string') return fault(place, 'must be a property name');
    if (!Object.hasOwn(properties, name)) return fault(place, 'must be one of the properties');
    if (names.has(name)) return fault(place, 'repeats an earlier name');
    names.add(name);
  }
  return { ok: true, names: [...names].toSorted(compareCodePoints) };
}

function refusePresent(
  node: RawNode,
  path: string,
  rule: { readonly keywords: readonly string[]; readonly reason: string },
): SchemaFault | null {
  const present = rule.keywords.find((keyword) => node[keyword] !== undefined);
  return present === undefined ? null : fault(child(path, present), rule.reason);
}

function isScalar(value: unknown): value is SchemaScalar {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value instanceof JsonFloat) return Number.isFinite(value.value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function hasType(value: SchemaScalar, type: ScalarSchema['type']): boolean {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  if (type === 'number') return typeof value === 'number' || value instanceof JsonFloat;
  return typeof value === type;
}

/** Makes 1 and 1.0 the same, and keeps numbers, booleans, strings and null apart. */
function scalarIdentity(value: SchemaScalar): string {
  const plain = value instanceof JsonFloat ? value.value : value;
  return `${typeof plain} ${String(plain)}`;
}

function child(path: string, segment: string): string {
  return `${path}/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function tooLarge(path: string): SchemaFault {
  return fault(path, 'must not take more than 65,536 bytes');
}

function fault(path: string, reason: string): SchemaFault {
  return { ok: false, path, message: `${path} ${reason}` };
}

const MAX_DEPTH = 16;
const MAX_BYTES = 65_536;
/** Shared subtrees can unfold without end; no schema under the byte limit has this many nodes. */
const MAX_NODES = 8192;
const BOUNDS = new Set(['maxItems', 'maxLength', 'maximum', 'minimum']);
const KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'description',
  'default',
]);

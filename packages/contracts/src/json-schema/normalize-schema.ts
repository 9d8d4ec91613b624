import { canonicalJson } from '../json/canonical-json.ts';
import { compareCodePoints } from '../json/compare-code-points.ts';
import { deepFreeze } from '../json/freeze.ts';
import { JsonFloat } from '../json/json-value.ts';
import { keepText, keptText } from '../json/kept-text.ts';
import { isPlainObject, setOwn } from '../json/plain-object.ts';
import { orNull, scalarIdentity } from './combine-schemas.ts';
import { normalizeAlternatives } from './normalize-alternatives.ts';
import { readAnnotations } from './read-annotations.ts';
import { readArrayBounds, readNumberBounds, readStringRules } from './read-bounds.ts';
import type { JsonSchema, ScalarSchema, SchemaScalar } from './schema.ts';
import { child, fault, type RawNode, type Read, type SchemaFault } from './schema-fault.ts';
import { type FormName, ROOT_KEYWORDS, schemaForms } from './schema-forms.ts';
import type { Visit } from './schema-visit.ts';
import { withoutAnnotations } from './without-annotations.ts';

/** How a schema is normalised. */
export interface NormalizeSchemaOptions {
  /** `object` (default) refuses any other type at the root; `any` accepts every schema. */
  readonly root?: 'object' | 'any';
  /** Which subset is accepted: `1.0` (default) drops annotations and has no bounds, `1.1` keeps and enforces them. */
  readonly version?: '1.0' | '1.1';
  /** What becomes of an annotation that is no JSON, or a default that the schema refuses; default `refuse`. */
  readonly unfitAnnotations?: 'refuse' | 'drop';
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

/**
 * Brings a JSON Schema of the accepted subset to its normal form, frozen, or names the first fault.
 *
 * Sorts `required`, keeps the order of `enum`, inlines local references. Refuses every keyword that the runtime would
 * not enforce, recursion, more than 16 levels and more than 64 KiB. Paths and messages begin with `path`.
 */
export function normalizeSchema(
  schema: unknown,
  path: string,
  options: NormalizeSchemaOptions = {},
): NormalizeSchemaResult {
  const form = `${options.version ?? '1.0'} ${options.root ?? 'object'}`;
  const known = isPlainObject(schema) ? NORMAL.get(schema) : undefined;
  if (known?.form === form) return known.result;
  const visit: Visit = {
    node: schema,
    path,
    depth: 1,
    references: [],
    shared: {
      root: schema,
      rootPath: path,
      isWide: options.version === '1.1',
      dropsUnfit: options.unfitAnnotations === 'drop',
      left: { nodes: MAX_NODES, bytes: MAX_BYTES, words: MAX_BYTES },
    },
  };
  const result = normalizeNode(visit);
  if (!result.ok) return result;
  let value = result.value;
  if (options.root !== 'any' && !isObjectAtRoot(value)) {
    return fault(path, 'must have type object at its root');
  }
  if (visit.shared.dropsUnfit && isTooLarge(value)) value = withoutAnnotations(value);
  if (isTooLarge(value)) return tooLarge(path);
  // Schemas are hashed with every plan that uses them, and none of them changes any more.
  const normal = { ok: true, value: keepText(deepFreeze(value)) } as const;
  NORMAL.set(value, { form, result: normal });
  if (isPlainObject(schema) && keptText(schema) !== undefined) {
    NORMAL.set(schema, { form, result: normal });
  }
  return normal;
}

/** Frozen schemas and what becomes of them; those that came out of here stay as they are. */
const NORMAL = new WeakMap<
  object,
  { readonly form: string; readonly result: NormalizeSchemaResult }
>();

/** The normal form of one node, not frozen. */
function normalizeNode(visit: Visit): Read<JsonSchema> {
  const { node, path, shared } = visit;
  if (!isPlainObject(node)) return fault(path, 'must be a schema object');
  if (visit.depth > MAX_DEPTH) return fault(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (shared.left.nodes-- === 0) return tooLarge(path);
  const unknown = refuseUnknown(node, visit);
  if (unknown !== null) return unknown;
  if (!shared.isWide) return normalizeForm(node, visit);
  const form =
    node['$ref'] === undefined ? normalizeForm(node, visit) : followReference(node, visit);
  if (!form.ok) return form;
  const { nullable } = node;
  if (nullable !== undefined && typeof nullable !== 'boolean') {
    return fault(child(path, 'nullable'), 'must be true or false');
  }
  const schema = nullable === true ? orNull(form.value) : form.value;
  const words = readAnnotations(node, schema, visit);
  if (!words.ok) return words;
  return words.value === null
    ? { ok: true, value: schema }
    : { ok: true, value: { ...schema, ...words.value } };
}

function refuseUnknown(
  node: RawNode,
  { path, depth, references, shared }: Visit,
): SchemaFault | null {
  const isRoot = depth === 1 && references.length === 0;
  for (const key of Object.keys(node)) {
    if (KEYWORDS_10.has(key)) continue;
    if (shared.isWide && (schemaForms().keywords.has(key) || (isRoot && ROOT_KEYWORDS.has(key))))
      continue;
    return fault(
      child(path, key),
      !shared.isWide && BOUNDS_10.has(key)
        ? 'is not accepted because runtime does not enforce schema bounds'
        : 'is not an accepted schema keyword',
    );
  }
  return null;
}

function followReference(node: RawNode, visit: Visit): Read<JsonSchema> {
  const path = child(visit.path, '$ref');
  const extra = refuseOthers(node, visit.path, '$ref');
  if (extra !== null) return extra;
  const reference = node['$ref'];
  if (reference === '#') return fault(path, 'must not be recursive');
  const [, table, name] =
    (typeof reference === 'string' && LOCAL_REFERENCE.exec(reference)) || NO_MATCH;
  if (typeof reference !== 'string' || table === undefined || name === undefined) {
    return fault(path, 'must be a local reference such as #/$defs/name');
  }
  const { root, rootPath } = visit.shared;
  const definitions = isPlainObject(root) ? root[table] : undefined;
  const key = decodePointer(name);
  if (!isPlainObject(definitions) || !Object.hasOwn(definitions, key)) {
    return fault(path, 'must name a definition of this schema');
  }
  if (visit.references.includes(reference)) return fault(path, 'must not be recursive');
  if (visit.references.length === MAX_REFERENCES) {
    return fault(path, `must not stand below more than ${MAX_REFERENCES} other references`);
  }
  return normalizeNode({
    ...visit,
    node: definitions[key],
    path: child(child(rootPath, table), key),
    references: [...visit.references, reference],
  });
}

function normalizeForm(node: RawNode, visit: Visit): Read<JsonSchema> {
  const { path, shared } = visit;
  if (node['const'] !== undefined) return normalizeConst(node, visit);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    if (node[keyword] === undefined) continue;
    const extra = refuseOthers(node, path, keyword);
    if (extra !== null) return extra;
    return normalizeAlternatives(node[keyword], keyword, {
      path: child(path, keyword),
      normalize: (alternative, place) =>
        normalizeNode({ ...visit, node: alternative, path: place, depth: visit.depth + 1 }),
    });
  }
  const type = readType(node['type'], shared.isWide);
  if (type === null) {
    const wide = ', alone or in a list with "null"';
    return fault(
      child(path, 'type'),
      `must be one of ${TYPES.join(', ')}${shared.isWide ? wide : ''}`,
    );
  }
  const extra = refuseOthers(node, path, type.name);
  if (extra !== null) return extra;
  switch (type.name) {
    case 'null':
      return { ok: true, value: { const: null } };
    case 'object':
      return nullableIf(type.isNullable, normalizeObject(node, visit));
    case 'array':
      return nullableIf(type.isNullable, normalizeArray(node, visit));
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    default:
      return normalizeScalar(node, visit, { name: type.name, isNullable: type.isNullable });
  }
}

interface TypeOf<Name extends string> {
  readonly name: Name;
  readonly isNullable: boolean;
}

function readType(raw: unknown, isWide: boolean): TypeOf<TypeName> | null {
  if (typeof raw === 'string')
    return PLAIN_TYPES.get(raw) ?? (isWide && raw === 'null' ? NULL : null);
  if (!isWide || !Array.isArray(raw)) return null;
  const listed: readonly unknown[] = raw;
  const isNullable = listed.length > 1 && listed.includes('null');
  const [name, ...others] = isNullable ? listed.filter((type) => type !== 'null') : listed;
  const type = typeof name === 'string' && others.length === 0 ? readType(name, true) : null;
  return type === null ? null : { name: type.name, isNullable };
}

function nullableIf(isNullable: boolean, result: Read<JsonSchema>): Read<JsonSchema> {
  return result.ok && isNullable ? { ok: true, value: orNull(result.value) } : result;
}

function normalizeConst(node: RawNode, { path, shared }: Visit): Read<JsonSchema> {
  const extra = refuseOthers(node, path, shared.isWide ? 'const' : 'narrow const');
  if (extra !== null) return extra;
  const value = node['const'];
  if (!isScalar(value)) {
    return fault(child(path, 'const'), 'must be a string, a finite number, a boolean or null');
  }
  if (node['type'] !== undefined) {
    const type = readType(node['type'], true);
    const fits =
      type !== null && (hasType(value, type.name) || (value === null && type.isNullable));
    if (!fits) return fault(child(path, 'type'), 'must be the type of the constant beside it');
  }
  return spend(shared, value) ? { ok: true, value: { const: value } } : tooLarge(path);
}

function normalizeScalar(
  node: RawNode,
  visit: Visit,
  { name, isNullable }: TypeOf<Exclude<TypeName, 'null' | 'object' | 'array'>>,
): Read<JsonSchema> {
  const members = readEnum(node['enum'], visit, { name, isNullable });
  if (!members.ok) return members;
  const listed = members.value === null ? {} : { enum: members.value };
  let schema: ScalarSchema;
  if (name === 'string') {
    const rules = readStringRules(node, visit.path);
    if (!rules.ok) return rules;
    schema = { type: name, ...listed, ...rules.value };
  } else if (name === 'boolean') {
    schema = { type: name, ...listed };
  } else {
    const bounds = readNumberBounds(node, visit.path, name);
    if (!bounds.ok) return bounds;
    schema = { type: name, ...listed, ...bounds.value };
  }
  return { ok: true, value: isNullable ? orNull(schema) : schema };
}

function readEnum(
  raw: unknown,
  { path, shared }: Visit,
  type: TypeOf<TypeName>,
): Read<readonly SchemaScalar[] | null> {
  if (raw === undefined) return { ok: true, value: null };
  const enumPath = child(path, 'enum');
  if (!Array.isArray(raw) || raw.length === 0) return fault(enumPath, 'must be a non-empty list');
  const members: SchemaScalar[] = [];
  const seen = new Set<string>();
  for (const [index, member] of raw.entries()) {
    const memberPath = child(enumPath, String(index));
    const isRight =
      isScalar(member) && (hasType(member, type.name) || (member === null && type.isNullable));
    if (!isRight) return fault(memberPath, `must be a value of type ${type.name}`);
    const identity = scalarIdentity(member);
    if (seen.has(identity)) return fault(memberPath, 'repeats an earlier value');
    if (!spend(shared, member)) return tooLarge(shared.rootPath);
    seen.add(identity);
    members.push(member);
  }
  if (type.isNullable && !members.includes(null)) {
    return fault(enumPath, 'must list null too, since the type admits it');
  }
  return { ok: true, value: members };
}

function normalizeArray(node: RawNode, visit: Visit): Read<JsonSchema> {
  const items = normalizeNode({
    ...visit,
    node: node['items'],
    path: child(visit.path, 'items'),
    depth: visit.depth + 1,
  });
  if (!items.ok) return items;
  const bounds = readArrayBounds(node, visit.path);
  if (!bounds.ok) return bounds;
  return { ok: true, value: { type: 'array', items: items.value, ...bounds.value } };
}

function normalizeObject(node: RawNode, visit: Visit): Read<JsonSchema> {
  const { path } = visit;
  if (node['additionalProperties'] !== false) {
    return fault(child(path, 'additionalProperties'), 'must be false');
  }
  const raw = node['properties'] ?? {};
  const propertiesPath = child(path, 'properties');
  if (!isPlainObject(raw)) return fault(propertiesPath, 'must be an object of schemas');
  const properties: { [name: string]: JsonSchema } = {};
  for (const name of Object.keys(raw).toSorted(compareCodePoints)) {
    if (name === '') return fault(propertiesPath, 'must not have an empty name');
    if (!spend(visit.shared, name)) return tooLarge(visit.shared.rootPath);
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
    value: { type: 'object', additionalProperties: false, properties, required: required.value },
  };
}

function normalizeRequired(
  raw: unknown,
  properties: { readonly [name: string]: JsonSchema },
  path: string,
): Read<readonly string[]> {
  if (!Array.isArray(raw)) return fault(path, 'must be a list of property names');
  const names = new Set<string>();
  for (const [index, name] of raw.entries()) {
    const place = child(path, String(index));
    if (typeof name !== 'string') return fault(place, 'must be a property name');
    if (!Object.hasOwn(properties, name)) return fault(place, 'must be one of the properties');
    if (names.has(name)) return fault(place, 'repeats an earlier name');
    names.add(name);
  }
  return { ok: true, value: [...names].toSorted(compareCodePoints) };
}

/** Refuses keywords that have no place in a form; annotations stand anywhere. */
function refuseOthers(node: RawNode, path: string, form: FormName): SchemaFault | null {
  const { accepted, place } = schemaForms().forms[form];
  for (const key of Object.keys(node)) {
    if (!accepted.has(key) && node[key] !== undefined) {
      return fault(child(path, key), `is not accepted ${place}`);
    }
  }
  return null;
}

/** Whether the schema may still grow by this leaf. */
function spend({ left }: Visit['shared'], leaf: SchemaScalar): boolean {
  left.bytes -= typeof leaf === 'string' ? leaf.length : 1;
  return left.bytes >= 0;
}

function isObjectAtRoot(schema: JsonSchema): boolean {
  return 'type' in schema && schema.type === 'object';
}

function isTooLarge(schema: JsonSchema): boolean {
  return canonicalJson(schema, { newline: false }).length > MAX_BYTES;
}

function isScalar(value: unknown): value is SchemaScalar {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value instanceof JsonFloat) return Number.isFinite(value.value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function hasType(value: SchemaScalar, type: TypeName): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  if (type === 'number') return typeof value === 'number' || value instanceof JsonFloat;
  return typeof value === type;
}

function decodePointer(segment: string): string {
  let plain = segment;
  try {
    plain = decodeURIComponent(segment);
  } catch {
    // A per cent sign that escapes nothing stands for itself.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}

function tooLarge(path: string): SchemaFault {
  return fault(path, 'must not take more than 65,536 bytes');
}

type TypeName = (typeof TYPES)[number] | 'null';

const MAX_DEPTH = 16;
const MAX_BYTES = 65_536;
/** No schema under the byte limit has this many nodes. */
const MAX_NODES = 8192;
/** More would only lengthen the call stack. */
const MAX_REFERENCES = 64;
const LOCAL_REFERENCE = /^#\/(\$defs|definitions)\/([^/]+)$/;
const NO_MATCH: readonly (string | undefined)[] = [];
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
const NULL: TypeOf<TypeName> = { name: 'null', isNullable: false };
const PLAIN_TYPES: ReadonlyMap<string, TypeOf<TypeName>> = new Map([
  ['string', { name: 'string', isNullable: false }],
  ['integer', { name: 'integer', isNullable: false }],
  ['number', { name: 'number', isNullable: false }],
  ['boolean', { name: 'boolean', isNullable: false }],
  ['array', { name: 'array', isNullable: false }],
  ['object', { name: 'object', isNullable: false }],
]);
const BOUNDS_10 = new Set(['maxItems', 'maxLength', 'maximum', 'minimum']);
const KEYWORDS_10 = new Set([
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

import {
  deepFreeze,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  normalizeSchema,
} from '@millforge/contracts';
import { isJsonObject, isRecord, plainJson } from '../documents/field-reader.ts';

/** A schema that can be enforced in the place of one that cannot, and what it says differently. */
export interface ProposedSchema {
  /** The schema in its normal form; null where nothing like it can be enforced. */
  readonly schema: JsonSchema | null;
  /** Whether the server's own schema could be taken as it is. */
  readonly isExact: boolean;
  /** What was changed, in the order of the changes. */
  readonly changes: readonly SchemaChange[];
  /** Why there is no schema; null where there is one. */
  readonly fault: string | null;
}

/** One difference between a server's schema and the proposal. */
export interface SchemaChange {
  /** Where in the server's schema. */
  readonly path: string;
  /** The keyword, or the name of what was left out. */
  readonly keyword: string;
  /**
   * `closed`: unknown properties are refused; `dropped`: the server may refuse what the proposal takes; `rewritten`:
   * the same said otherwise; `removed`: this part cannot be used.
   */
  readonly kind: 'closed' | 'dropped' | 'rewritten' | 'removed';
}

/**
 * Proposes a schema that can be enforced for one of a server: what stands against it is changed, piece by
 * piece, until nothing does, and every change is told.
 */
export function proposeSchema(raw: JsonValue): ProposedSchema {
  const copy = plainJson(raw);
  if (!isJsonObject(copy)) return failed('the schema is no JSON object', []);
  const root = openCopy(copy);
  const changes: SchemaChange[] = [];
  for (let left = MAX_CHANGES; left > 0; left--) {
    const normal = normalizeSchema(root, '', { version: '1.1', unfitAnnotations: 'drop' });
    if (normal.ok) {
      return deepFreeze({
        schema: normal.value,
        isExact: changes.length === 0,
        changes,
        fault: null,
      });
    }
    const change = repair(root, pointerOf(normal.path));
    if (change === null) return failed(normal.message.trim(), changes);
    changes.push(change);
  }
  return failed(`more than ${MAX_CHANGES} changes would be needed`, changes);
}

type Node = { [key: string]: unknown };

/** Changes the one thing that a fault points at; null where the whole schema is at fault. */
function repair(root: Node, segments: readonly string[]): SchemaChange | null {
  const path = `/${segments.join('/')}`;
  const keyword = segments.at(-1);
  if (keyword === undefined) return rootRepair(root);
  const at = find(root, segments.slice(0, -1));
  if (at === null) return null;
  if (roleOf(segments) !== 'keyword') return removeNode(root, segments);
  if (Array.isArray(at)) {
    at.splice(Number(keyword), 1);
    return { path, keyword: segments.at(-2) ?? keyword, kind: 'removed' };
  }
  switch (keyword) {
    case 'additionalProperties':
      at['additionalProperties'] = false;
      return { path, keyword, kind: 'closed' };
    case 'type':
      return retype(root, at, segments);
    case 'oneOf':
      at['anyOf'] = at['oneOf'];
      delete at['oneOf'];
      return { path, keyword, kind: 'dropped' };
    case '$ref':
    case 'items':
    case 'anyOf':
    case 'const':
      return removeNode(root, segments.slice(0, -1));
    case 'allOf':
      return mergeOnly(at, path);
    default:
      if (!Object.hasOwn(at, keyword)) return removeNode(root, segments.slice(0, -1));
      delete at[keyword];
      return { path, keyword, kind: 'dropped' };
  }
}

/** What the last segment of a pointer into a schema is: a word of JSON Schema, or a schema by name or index. */
function roleOf(segments: readonly string[]): 'keyword' | 'name' | 'index' {
  let role: 'keyword' | 'name' | 'index' = 'keyword';
  let next: 'keyword' | 'name' | 'index' = 'keyword';
  for (const segment of segments) {
    role = next;
    if (role !== 'keyword') next = 'keyword';
    else if (HOLDERS.has(segment)) next = 'name';
    else next = ALTERNATIVES.has(segment) ? 'index' : 'keyword';
  }
  return role;
}

/** A root that says nothing of its type takes an object, which is all that a tool can be called with. */
function rootRepair(root: Node): SchemaChange | null {
  if (root['type'] !== undefined || 'anyOf' in root || '$ref' in root || 'const' in root)
    return null;
  root['type'] = 'object';
  return { path: '/type', keyword: 'type', kind: 'rewritten' };
}

function retype(root: Node, at: Node, segments: readonly string[]): SchemaChange | null {
  const path = `/${segments.join('/')}`;
  const changed: SchemaChange = { path, keyword: 'type', kind: 'rewritten' };
  const type = at['type'];
  if (Array.isArray(type) && type.length > 1) {
    const { description, title, default: _, type: __, ...rest } = at;
    for (const key of Object.keys(at)) delete at[key];
    at['anyOf'] = type.map((name) => (name === 'null' ? { type: name } : { ...rest, type: name }));
    if (description !== undefined) at['description'] = description;
    if (title !== undefined) at['title'] = title;
    return changed;
  }
  if (type === undefined) {
    const guess = guessType(at);
    if (guess !== null) {
      at['type'] = guess;
      return changed;
    }
  }
  return segments.length === 1 ? null : removeNode(root, segments.slice(0, -1));
}

/** What the other keywords of a schema without a type speak of. */
function guessType(at: Node): string | null {
  if ('properties' in at || 'additionalProperties' in at || 'required' in at) return 'object';
  if ('items' in at) return 'array';
  const { enum: members } = at;
  if (!Array.isArray(members) || members.length === 0) return null;
  for (const type of ['string', 'boolean'] as const) {
    if (members.every((one) => typeof one === type)) return type;
  }
  return members.every((one) => typeof one === 'number') ? 'number' : null;
}

/** `allOf` of one schema is that schema; of several nobody can say in general what they say together. */
function mergeOnly(at: Node, path: string): SchemaChange {
  const { allOf } = at;
  delete at['allOf'];
  const only: unknown = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : null;
  if (!isRecord(only)) return { path, keyword: 'allOf', kind: 'dropped' };
  for (const [key, value] of Object.entries(only)) if (!Object.hasOwn(at, key)) at[key] = value;
  return { path, keyword: 'allOf', kind: 'rewritten' };
}

/** Takes a schema out of what holds it, and what holds it too where it is nothing without it. */
function removeNode(root: Node, segments: readonly string[]): SchemaChange | null {
  const name = segments.at(-1);
  if (name === undefined || segments.length < 2) return null;
  const removed: SchemaChange = {
    path: `/${segments.join('/')}`,
    keyword: name,
    kind: 'removed',
  };
  const parent = find(root, segments.slice(0, -1));
  if (parent === null) return null;
  if (Array.isArray(parent)) {
    parent.splice(Number(name), 1);
    return parent.length === 0 ? removeNode(root, segments.slice(0, -2)) : removed;
  }
  // Items of an array are nothing that an array can do without.
  if (roleOf(segments) === 'keyword') return removeNode(root, segments.slice(0, -1));
  delete parent[name];
  const owner = find(root, segments.slice(0, -2));
  if (owner !== null && !Array.isArray(owner) && Array.isArray(owner['required'])) {
    owner['required'] = owner['required'].filter((one) => one !== name);
  }
  return removed;
}

function find(root: Node, segments: readonly string[]): Node | unknown[] | null {
  let at: unknown = root;
  for (const segment of segments) {
    if (Array.isArray(at)) at = at[Number(segment)];
    else if (isRecord(at) && Object.hasOwn(at, segment)) at = at[segment];
    else return null;
  }
  if (Array.isArray(at)) return at;
  return isRecord(at) ? at : null;
}

function pointerOf(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function openCopy(value: JsonObject): Node {
  return structuredClone(value);
}

function failed(fault: string, changes: readonly SchemaChange[]): ProposedSchema {
  return deepFreeze({ schema: null, isExact: false, changes, fault });
}

/** Members of these are named by authors, not by JSON Schema. */
const HOLDERS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Their members are schemas by index. */
const ALTERNATIVES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf']);
/** Beyond this the proposal says too little of what the server says to be worth reading. */
const MAX_CHANGES = 512;

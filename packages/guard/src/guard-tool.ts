import {
  fromStandardSchema,
  type JsonSchema,
  type JsonValue,
  MillforgeError,
  normalizeSchema,
} from '@millforge/contracts';

/** A tool on offer, as far as calls of it are judged; a tool of a plan is one. */
export interface GuardTool {
  /** Name that the model calls. */
  readonly name: string;
  /** What the model reads about it. */
  readonly description: string;
  /** Schema of the arguments; null for one that is not judged, where any object will do. */
  readonly parameters: JsonSchema | null;
  /** Whether objects of the schema may have properties that it does not name; default false. */
  readonly isOpen?: boolean;
}

/**
 * Makes a tool of what other libraries have: a JSON Schema, or a schema of zod, valibot, arktype or typebox.
 *
 * What goes to the model stays the caller's own; this is only what its calls are held against. A schema that
 * says more than can be judged, such as one with references, is not judged at all rather than half.
 *
 * @throws `guard/tool-name` when the name is empty.
 */
export function toGuardTool(tool: {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema?: unknown;
}): GuardTool {
  const { name, description = '' } = tool;
  if (name === '') throw new MillforgeError('guard/tool-name', 'A tool needs a name.');
  const raw = fromStandardSchema(tool.schema ?? EMPTY);
  const normal = raw.ok
    ? normalizeSchema(raw.value, '', { version: '1.1', unfitAnnotations: 'drop' })
    : raw;
  if (!normal.ok) return { name, description, parameters: null };
  const isOpen = hasOpenObject(plainSchema(tool.schema));
  return { name, description, parameters: normal.value, ...(isOpen ? { isOpen } : {}) };
}

/** The schema as JSON Schema, before objects that say nothing about other properties were closed. */
function plainSchema(schema: unknown): JsonValue {
  if (typeof schema !== 'object' || schema === null || '~standard' in schema) return null;
  const json: JsonValue = JSON.parse(JSON.stringify(schema));
  return json;
}

/** Whether some object in it does not say that other properties are refused. */
function hasOpenObject(schema: JsonValue): boolean {
  const waiting: JsonValue[] = [schema];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if (!Array.isArray(node) && isOpenObject(node)) return true;
    waiting.push(...Object.values(node));
  }
  return false;
}

function isOpenObject(node: object): boolean {
  return Reflect.get(node, 'type') === 'object' && !Object.hasOwn(node, 'additionalProperties');
}

const EMPTY = { type: 'object', properties: {}, additionalProperties: false };

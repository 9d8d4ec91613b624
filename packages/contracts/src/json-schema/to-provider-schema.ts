import { deepFreeze } from '../json/freeze.ts';
import type { ExactJson } from '../json/json-value.ts';
import { setOwn } from '../json/plain-object.ts';
import { orNull } from './combine-schemas.ts';
import { isGrammarPattern } from './is-grammar-pattern.ts';
import type { ArraySchema, ConstSchema, JsonSchema, ObjectSchema } from './schema.ts';

/**
 * What a kind of model server takes as schema of a tool's arguments.
 *
 * - `openai`: what it reads as a hint, any schema of an object;
 *   https://platform.openai.com/docs/guides/function-calling
 * - `openai-strict`: what it holds the model to, a subset with limits;
 *   https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 * - `anthropic`: the Messages API, a hint whose property names are checked;
 *   https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
 * - `grammar`: the servers that make a grammar of it, as much as all of them take: llama.cpp (and with it Ollama
 *   and LM Studio), `common/json-schema-to-grammar.cpp` and `src/llama-grammar.cpp` in
 *   https://github.com/ggml-org/llama.cpp; vLLM, `vllm/v1/structured_output/backend_xgrammar.py` in
 *   https://github.com/vllm-project/vllm
 */
export type SchemaDialect = 'openai' | 'openai-strict' | 'anthropic' | 'grammar';

/** Every dialect, for whoever makes the form of each. */
export const SCHEMA_DIALECTS: readonly SchemaDialect[] = [
  'openai',
  'openai-strict',
  'anthropic',
  'grammar',
];

/** One thing that a form for a provider says otherwise than the schema. */
export interface ProviderSchemaChange {
  /** Pointer to it in the schema. */
  readonly path: string;
  /** The keyword. */
  readonly keyword: string;
  /** `dropped`: the form takes more; `rewritten`: the same said otherwise; `nullable`: null stands for absent. */
  readonly kind: 'dropped' | 'rewritten' | 'nullable';
}

/** A schema in the words of one dialect. */
export interface ProviderSchema {
  /** The form; null where the dialect has none. */
  readonly schema: { readonly [key: string]: ExactJson } | null;
  /** What it says otherwise, in the order of the schema. */
  readonly changes: readonly ProviderSchemaChange[];
  /** Why there is no form; null where there is one. */
  readonly fault: string | null;
}

/**
 * Says a schema in the words of one dialect. The form is never narrower: what the schema accepts, it accepts,
 * but that `openai-strict` wants null for an optional property that is absent. Arguments are therefore always
 * validated with the schema itself, of which the form is only what a server is told.
 */
export function toProviderSchema(schema: JsonSchema, dialect: SchemaDialect): ProviderSchema {
  const known = FORMS.get(schema)?.get(dialect);
  if (known !== undefined) return known;
  const changes: ProviderSchemaChange[] = [];
  const fault = findFault(schema, dialect);
  const written = fault === null ? write(schema, '', { dialect, changes }) : null;
  const form: ProviderSchema = { schema: written, changes, fault };
  // A form shares parts with its schema; only one that no longer changes may be kept.
  if (!Object.isFrozen(schema)) return form;
  const forms = FORMS.get(schema) ?? new Map<SchemaDialect, ProviderSchema>();
  FORMS.set(schema, forms.set(dialect, deepFreeze(form)));
  return form;
}

interface Writing {
  readonly dialect: SchemaDialect;
  readonly changes: ProviderSchemaChange[];
}

type Form = { [key: string]: ExactJson };

/** The form of one node; keywords are told in the order in which they stand. */
function write(schema: JsonSchema, path: string, to: Writing): Form {
  if ('const' in schema) return writeConst(schema, path, to);
  if ('oneOf' in schema) {
    const { oneOf, ...rest } = schema;
    if (isPermissive(to.dialect)) return { ...rest, oneOf };
    // Constants exclude each other, so both words mean the same.
    to.changes.push({ path: `${path}/oneOf`, keyword: 'oneOf', kind: 'rewritten' });
    return {
      ...words(rest, path, to),
      anyOf: oneOf.map((one, at) => write(one, `${path}/oneOf/${at}`, to)),
    };
  }
  if ('anyOf' in schema) {
    const { anyOf, ...rest } = schema;
    return {
      ...words(rest, path, to),
      anyOf: anyOf.map((one, at) => write(one, `${path}/anyOf/${at}`, to)),
    };
  }
  if ('properties' in schema) return writeObject(schema, path, to);
  if ('items' in schema) return writeArray(schema, path, to);
  const kept = words(schema, path, to);
  for (const keyword of Object.keys(kept)) {
    if (!isDropped(schema, keyword, to.dialect)) continue;
    delete kept[keyword];
    to.changes.push({ path: `${path}/${keyword}`, keyword, kind: 'dropped' });
  }
  return kept;
}

function writeConst(schema: ConstSchema, path: string, to: Writing): Form {
  const { const: value, ...rest } = schema;
  if (to.dialect !== 'openai-strict') return { ...rest, const: value };
  // There a schema without a type is refused.
  to.changes.push({ path: `${path}/const`, keyword: 'const', kind: 'rewritten' });
  const kept = words(rest, path, to);
  if (value === null) return { ...kept, type: 'null' };
  const type = typeof value === 'object' ? 'number' : typeof value;
  return { ...kept, type, enum: [value] };
}

function writeObject(schema: ObjectSchema, path: string, to: Writing): Form {
  const { properties, required, ...rest } = schema;
  const isStrict = to.dialect === 'openai-strict';
  const written: Form = {};
  for (const [name, property] of Object.entries(properties)) {
    const place = `${path}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const isOptional = isStrict && !required.includes(name);
    if (isOptional) to.changes.push({ path: place, keyword: 'required', kind: 'nullable' });
    setOwn(written, name, write(isOptional ? orNull(property) : property, place, to));
  }
  return {
    ...words(rest, path, to),
    properties: written,
    required: isStrict ? Object.keys(properties) : required,
  };
}

function writeArray(schema: ArraySchema, path: string, to: Writing): Form {
  const { items, ...rest } = schema;
  const kept = words(rest, path, to);
  for (const keyword of Object.keys(kept)) {
    if (!isDropped(schema, keyword, to.dialect)) continue;
    delete kept[keyword];
    to.changes.push({ path: `${path}/${keyword}`, keyword, kind: 'dropped' });
  }
  return { ...kept, items: write(items, `${path}/items`, to) };
}

/** Words check nothing, but strict servers refuse a default and examples. */
function words(node: Form, path: string, { dialect, changes }: Writing): Form {
  if (dialect !== 'openai-strict') return { ...node };
  const { default: absent, examples, ...kept } = node;
  for (const [keyword, value] of Object.entries({ default: absent, examples })) {
    if (value !== undefined) changes.push({ path: `${path}/${keyword}`, keyword, kind: 'dropped' });
  }
  return kept;
}

/** Whether a dialect does not take a keyword, or not with that value. */
function isDropped(schema: JsonSchema, keyword: string, dialect: SchemaDialect): boolean {
  if (isPermissive(dialect)) return false;
  if (keyword === 'uniqueItems') return true;
  if (dialect === 'openai-strict') {
    if (keyword === 'minLength' || keyword === 'maxLength') return true;
    return keyword === 'format' && 'format' in schema && !STRICT_FORMATS.has(schema.format ?? '');
  }
  return isDroppedFromGrammar(schema, keyword);
}

function isDroppedFromGrammar(schema: JsonSchema, keyword: string): boolean {
  switch (keyword) {
    case 'format':
      return !hasGrammarFormat(schema);
    case 'pattern':
      return !hasGrammarPattern(schema);
    case 'minLength':
    case 'maxLength':
      // One rule of texts is taken, and some servers refuse a schema that has two.
      return hasGrammarFormat(schema) || hasGrammarPattern(schema) || isTooOften(schema, keyword);
    case 'minItems':
    case 'maxItems':
      return isTooOften(schema, keyword);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      // Digits of whole numbers can be counted; those of fractions cannot, and are cut off from a bound.
      return (
        ('type' in schema && [schema.type].flat().includes('number')) ||
        !Number.isSafeInteger(valueOf(schema, keyword))
      );
    default:
      return false;
  }
}

function isTooOften(schema: JsonSchema, keyword: string): boolean {
  const bound = valueOf(schema, keyword);
  return typeof bound === 'number' && bound > MAX_REPETITIONS;
}

function hasGrammarFormat(schema: JsonSchema): boolean {
  return 'format' in schema && GRAMMAR_FORMATS.has(schema.format ?? '');
}

function hasGrammarPattern(schema: JsonSchema): boolean {
  return 'pattern' in schema && isGrammarPattern(schema.pattern ?? '');
}

function valueOf(schema: JsonSchema, keyword: string): unknown {
  return Object.entries(schema).find(([name]) => name === keyword)?.[1];
}

/** Why a dialect has no form of a schema. */
function findFault(root: JsonSchema, dialect: SchemaDialect): string | null {
  if (!('properties' in root) || root.type !== 'object') {
    return 'the arguments of a tool must be one object';
  }
  if (dialect === 'anthropic') return findOddName(root);
  return dialect === 'openai-strict' ? findStrictFault(root) : null;
}

function findOddName(root: JsonSchema): string | null {
  for (const { schema } of nodesOf(root)) {
    const names = 'properties' in schema ? Object.keys(schema.properties) : [];
    const odd = names.find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/u.test(name));
    if (odd !== undefined) {
      return `the property ${odd.slice(0, 64)} has a name that is not taken there`;
    }
  }
  return null;
}

/** Why a schema is more than a strict server takes; its limit of 120,000 characters is above that of a schema. */
function findStrictFault(root: JsonSchema): string | null {
  let properties = 0;
  let members = 0;
  for (const { schema, depth } of nodesOf(root)) {
    if (depth > MAX_STRICT_DEPTH) return `it nests deeper than ${MAX_STRICT_DEPTH} levels`;
    const names = 'properties' in schema ? Object.keys(schema.properties) : [];
    const values = membersOf(schema);
    const length = lengthOf(values);
    if (values.length > LARGE_STRICT_ENUM && length > MAX_LARGE_ENUM_CHARACTERS) {
      return `it has a list of values with more than ${MAX_LARGE_ENUM_CHARACTERS} characters`;
    }
    properties += names.length;
    members += values.length;
  }
  if (properties > MAX_STRICT_PROPERTIES) {
    return `it has more than ${MAX_STRICT_PROPERTIES} properties`;
  }
  return members > MAX_STRICT_MEMBERS ? `it lists more than ${MAX_STRICT_MEMBERS} values` : null;
}

/** Every schema inside of one, with the number of objects and arrays around it. */
function* nodesOf(
  root: JsonSchema,
): Generator<{ readonly schema: JsonSchema; readonly depth: number }> {
  const pending: { readonly schema: JsonSchema; readonly depth: number }[] = [
    { schema: root, depth: 1 },
  ];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    yield at;
    const { schema, depth } = at;
    const inner =
      'properties' in schema
        ? Object.values(schema.properties)
        : 'items' in schema
          ? [schema.items]
          : [];
    for (const one of inner) pending.push({ schema: one, depth: depth + 1 });
    const same = 'anyOf' in schema ? schema.anyOf : 'oneOf' in schema ? schema.oneOf : [];
    for (const one of same) pending.push({ schema: one, depth });
  }
}

function membersOf(schema: JsonSchema): readonly unknown[] {
  if ('const' in schema) return [schema.const];
  return 'enum' in schema ? (schema.enum ?? []) : [];
}

function lengthOf(values: readonly unknown[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );
}

/** Servers that read a schema as a hint or check it with a whole validator. */
function isPermissive(dialect: SchemaDialect): boolean {
  return dialect === 'openai' || dialect === 'anthropic';
}

const FORMS = new WeakMap<JsonSchema, Map<SchemaDialect, ProviderSchema>>();
const STRICT_FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);
const GRAMMAR_FORMATS = new Set(['date', 'time', 'date-time', 'uuid']);
/** Beyond this many repetitions the makers of grammars give up. */
const MAX_REPETITIONS = 1999;
const MAX_STRICT_DEPTH = 10;
const MAX_STRICT_PROPERTIES = 5000;
/** Values of all lists and constants together. */
const MAX_STRICT_MEMBERS = 1000;
/** A list with more values than this may have fewer characters. */
const LARGE_STRICT_ENUM = 250;
const MAX_LARGE_ENUM_CHARACTERS = 15_000;

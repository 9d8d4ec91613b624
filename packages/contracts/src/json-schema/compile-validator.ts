import { unreachable } from '../error/millforge-error.ts';
import { compareCodePoints } from '../json/compare-code-points.ts';
import { JsonFloat } from '../json/json-value.ts';
import { isPlainObject } from '../json/plain-object.ts';
import type {
  ArraySchema,
  JsonSchema,
  ObjectSchema,
  ScalarSchema,
  SchemaScalar,
} from './schema.ts';

/** Where and how a value departs from its schema. */
export interface SchemaViolation {
  /** The place in the value: `$`, `$.name`, `$.items[0].id`. */
  readonly path: string;
  /** What was expected there, for example `integer`. */
  readonly expected: string;
  /** The type of what was found, never the value itself; `nothing` for an absent property. */
  readonly received: string;
  /** One sentence that begins with the path: `$.n must be number`. */
  readonly message: string;
}

/** Gives the first violation of a value, or null. */
export type Validator = (value: unknown) => SchemaViolation | null;

/**
 * Turns a schema into a function that gives the first violation of a value, or null.
 *
 * Compiles to closures, never to source text. A validation allocates nothing while the value is right.
 */
export function compileValidator(schema: JsonSchema): Validator {
  const check = compileCheck(schema);
  return (value) => {
    const violation = check(value);
    return violation === null ? null : report(violation);
  };
}

/** Validates one value; the compiled form of a schema object is kept as long as the object lives. */
export function validateJson(value: unknown, schema: JsonSchema): SchemaViolation | null {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = compileValidator(schema);
    compiled.set(schema, validate);
  }
  return validate(value);
}

const compiled = new WeakMap<JsonSchema, Validator>();

/** A violation on its way up: every level puts its own step before the path. */
interface Violation {
  path: string;
  readonly claim: string;
  readonly expected: string;
  readonly received: string;
}

type Check = (value: unknown) => Violation | null;

function compileCheck(schema: JsonSchema): Check {
  if ('const' in schema) return compileConst(schema.const);
  switch (schema.type) {
    case 'object':
      return compileObject(schema);
    case 'array':
      return compileArray(schema);
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return compileScalar(schema);
    default:
      return unreachable(schema, 'schema type');
  }
}

function compileObject(schema: ObjectSchema): Check {
  const required = new Set(schema.required);
  // A map, because looking up `constructor` or `__proto__` in an object would find inherited members.
  const properties = new Map<string, Property>();
  for (const [name, property] of Object.entries(schema.properties)) {
    properties.set(name, { check: compileCheck(property), isRequired: required.has(name) });
  }
  // One pass over the value; which fault is reported first is decided after it.
  return (value) => {
    if (!isPlainObject(value)) return mismatch('object', value);
    let missingCount = required.size;
    let hasUnknown = false;
    let first: Violation | null = null;
    for (const name of Object.keys(value)) {
      const property = properties.get(name);
      if (property === undefined) {
        hasUnknown = true;
        continue;
      }
      if (property.isRequired) missingCount--;
      if (first !== null) continue;
      const violation = property.check(value[name]);
      if (violation !== null) first = below(`.${name}`, violation);
    }
    if (missingCount > 0) return missing(schema.required, value);
    return hasUnknown ? notAllowed(value, properties) : first;
  };
}

interface Property {
  readonly check: Check;
  readonly isRequired: boolean;
}

function compileArray(schema: ArraySchema): Check {
  const check = compileCheck(schema.items);
  return (value) => {
    if (!Array.isArray(value)) return mismatch('array', value);
    for (let index = 0; index < value.length; index++) {
      const violation = check(value[index]);
      if (violation !== null) return below(`[${index}]`, violation);
    }
    return null;
  };
}

function compileScalar(schema: ScalarSchema): Check {
  const { type } = schema;
  const isRight = TYPE_TESTS[type];
  if (schema.enum === undefined) {
    return (value) => (isRight(value) ? null : mismatch(type, value));
  }
  const members = new Set(schema.enum.map(plainScalar));
  const list = `one of ${listOf(schema.enum)}`;
  return (value) => {
    if (!isRight(value)) return mismatch(type, value);
    if (members.has(plainScalar(value))) return null;
    return { path: '', claim: `must be ${list}`, expected: list, received: typeName(value) };
  };
}

function compileConst(constant: SchemaScalar): Check {
  const expected = plainScalar(constant);
  return (value) => {
    // Object.is would tell -0 from 0; a constant is compared as the number it denotes.
    if (plainScalar(value) === expected) return null;
    return {
      path: '',
      claim: 'must equal the constant',
      expected: 'the constant',
      received: typeName(value),
    };
  };
}

const TYPE_TESTS: { readonly [Type in ScalarSchema['type']]: (value: unknown) => boolean } = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  // A value that was written as a float is no integer, even where it is integral.
  integer: (value) => Number.isInteger(value) || typeof value === 'bigint',
  number: (value) =>
    typeof value === 'number'
      ? Number.isFinite(value)
      : typeof value === 'bigint' || (value instanceof JsonFloat && Number.isFinite(value.value)),
};

function plainScalar(value: unknown): unknown {
  return typeof value === 'object' && value instanceof JsonFloat ? value.value : value;
}

function mismatch(type: string, value: unknown): Violation {
  return { path: '', claim: `must be ${type}`, expected: type, received: typeName(value) };
}

type PlainObject = { readonly [name: string]: unknown };

function missing(required: readonly string[], value: PlainObject): Violation {
  const first = required.find((name) => !Object.hasOwn(value, name)) ?? '';
  return { path: `.${first}`, claim: 'is required', expected: 'a value', received: 'nothing' };
}

function notAllowed(value: PlainObject, properties: ReadonlyMap<string, Property>): Violation {
  const unknown = Object.keys(value).filter((name) => !properties.has(name));
  const first = unknown.toSorted(compareCodePoints)[0] ?? '';
  return {
    path: `.${first}`,
    claim: 'is not allowed',
    expected: 'no such property',
    received: typeName(value[first]),
  };
}

function below(step: string, violation: Violation): Violation {
  violation.path = step + violation.path;
  return violation;
}

function report({ path, claim, expected, received }: Violation): SchemaViolation {
  return { path: `$${path}`, expected, received, message: `$${path} ${claim}` };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof JsonFloat) return 'number';
  if (typeof value === 'object') return isPlainObject(value) ? 'object' : 'instance';
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : 'non-finite number';
  return typeof value === 'bigint' ? 'integer' : typeof value;
}

/** Lists the members as JSON, cut where a message would become unreadable. */
function listOf(members: readonly SchemaScalar[]): string {
  const list = members.map((member) => JSON.stringify(member)).join(', ');
  return list.length <= 400 ? list : `${list.slice(0, 400)}…`;
}

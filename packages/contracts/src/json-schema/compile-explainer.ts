import { JsonFloat } from '../json/json-value.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { countOf, type Limit, scalarLimits, scalarType } from './scalar-limits.ts';
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
 * Turns a schema into a function that finds the first violation of a value and says what it is.
 *
 * Right values take two or three times as long as with `compileValidator`, which judges them by a shorter way
 * first; where code has to be small, this alone does the same.
 */
export function compileExplainer(schema: JsonSchema): Validator {
  const check = compileCheck(schema);
  return (value) => {
    const violation = check(value);
    return violation === null ? null : report(violation);
  };
}

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
  if ('oneOf' in schema) return compileChoice(schema.oneOf.map((member) => member.const));
  if ('anyOf' in schema) return compileUnion(schema.anyOf);
  const isNullable = typeof schema.type === 'object';
  const noun = typeof schema.type === 'string' ? schema.type : `${schema.type[0]} or null`;
  const check = compileTyped(schema, noun);
  return isNullable ? (value) => (value === null ? null : check(value)) : check;
}

/** The check of everything but null; the noun is what messages call the type. */
function compileTyped(schema: ObjectSchema | ArraySchema | ScalarSchema, noun: string): Check {
  if ('properties' in schema) return compileObject(schema, noun);
  return 'items' in schema ? compileArray(schema, noun) : compileScalar(schema, noun);
}

function compileObject(schema: ObjectSchema, noun: string): Check {
  const required = new Set(schema.required);
  // A map, because looking up `constructor` or `__proto__` in an object would find inherited members.
  const properties = new Map<string, Property>();
  for (const [name, property] of Object.entries(schema.properties)) {
    properties.set(name, { check: compileCheck(property), isRequired: required.has(name) });
  }
  // One pass over the value; which fault is reported first is decided after it.
  return (value) => {
    if (!isPlainObject(value)) return mismatch(noun, value);
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

function compileArray(schema: ArraySchema, noun: string): Check {
  const check = compileCheck(schema.items);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = schema;
  return (value) => {
    if (!Array.isArray(value)) return mismatch(noun, value);
    // The length comes first, so that a list that is far too long is not walked.
    if (value.length < minItems)
      return broken(`must have at least ${countOf(minItems, 'item')}`, value);
    if (value.length > maxItems)
      return broken(`must have at most ${countOf(maxItems, 'item')}`, value);
    for (let index = 0; index < value.length; index++) {
      const violation = check(value[index]);
      if (violation !== null) return below(`[${index}]`, violation);
    }
    return uniqueItems ? findRepeated(value) : null;
  };
}

/** Only for items that match their schema, which bounds their depth. */
function findRepeated(items: readonly unknown[]): Violation | null {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const identity = identityOf(item);
    if (seen.has(identity))
      return below(`[${index}]`, broken('must not repeat an earlier item', item));
    seen.add(identity);
  }
  return null;
}

/** A text that equal JSON values share; 1 and 1.0 are equal, and so are 0 and -0. */
function identityOf(value: unknown): string {
  const plain = plainScalar(value);
  if (typeof plain === 'string') return JSON.stringify(plain);
  if (typeof plain === 'number') return numberIdentity(plain);
  if (Array.isArray(plain)) return `[${plain.map(identityOf).join()}]`;
  if (!isPlainObject(plain)) return String(plain);
  const entries = Object.keys(plain)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${identityOf(plain[key])}`);
  return `{${entries.join()}}`;
}

/** Writes an integer as a bigint is written, so that both are the same number. */
function numberIdentity(value: number): string {
  return Number.isInteger(value) && Math.abs(value) >= 1e21 ? String(BigInt(value)) : String(value);
}

function compileScalar(schema: ScalarSchema, noun: string): Check {
  const isRight = TYPE_TESTS[scalarType(schema)];
  const { enum: members } = schema;
  const limits = [...(members === undefined ? [] : [membership(members)]), ...scalarLimits(schema)];
  return (value) => (isRight(value) ? firstBroken(limits, value) : mismatch(noun, value));
}

function membership(members: readonly SchemaScalar[]): Limit {
  const values = new Set(members.map(plainScalar));
  return {
    claim: `must be one of ${listOf(members)}`,
    holds: (value) => values.has(plainScalar(value)),
  };
}

function firstBroken(limits: readonly Limit[], value: unknown): Violation | null {
  for (let index = 0; index < limits.length; index++) {
    const limit = limits[index];
    if (limit !== undefined && !limit.holds(value)) return broken(limit.claim, value);
  }
  return null;
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

function compileChoice(constants: readonly SchemaScalar[]): Check {
  const limits = [membership(constants)];
  return (value) => firstBroken(limits, value);
}

function compileUnion(schemas: readonly JsonSchema[]): Check {
  const alternatives = schemas.map((schema) => ({
    check: compileCheck(schema),
    isMeant: meaningOf(schema),
  }));
  const list = `one of ${alternatives.length} alternatives`;
  return (value) => {
    let closest: Violation | null = null;
    let meant = 0;
    for (const { check, isMeant } of alternatives) {
      const violation = check(value);
      if (violation === null) return null;
      if (!isMeant(value)) continue;
      meant++;
      closest = violation;
    }
    return meant === 1 && closest !== null
      ? closest
      : { ...mismatch(list, value), claim: `must match ${list}` };
  };
}

/** Tells whether a wrong value was meant for an alternative: by its type, and by its constants where it has some. */
function meaningOf(schema: JsonSchema): (value: unknown) => boolean {
  if ('const' in schema || 'oneOf' in schema) return () => false;
  if ('anyOf' in schema) {
    const meanings = schema.anyOf.map(meaningOf);
    return (value) => meanings.some((isMeant) => isMeant(value));
  }
  if ('items' in schema) return Array.isArray;
  if (!('properties' in schema)) {
    return TYPE_TESTS[scalarType(schema)];
  }
  const constants = Object.entries(schema.properties).flatMap(([name, property]) =>
    'const' in property ? [{ name, isRight: compileConst(property.const) }] : [],
  );
  return (value) =>
    isPlainObject(value) &&
    constants.every(
      ({ name, isRight }) => !Object.hasOwn(value, name) || isRight(value[name]) === null,
    );
}

const TYPE_TESTS: {
  readonly [Type in ReturnType<typeof scalarType>]: (value: unknown) => boolean;
} = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  // A value that was written as a float is no integer, even where it is integral.
  integer: (value) => Number.isInteger(value) || typeof value === 'bigint',
  number: (value) => typeof value === 'bigint' || Number.isFinite(plainScalar(value)),
};

function plainScalar(value: unknown): unknown {
  return typeof value === 'object' && value instanceof JsonFloat ? value.value : value;
}

function broken(claim: string, value: unknown): Violation {
  return {
    path: '',
    claim,
    expected: claim.replace(/^must (?:be )?/, ''),
    received: typeName(value),
  };
}

function mismatch(type: string, value: unknown): Violation {
  return broken(`must be ${type}`, value);
}

type PlainObject = { readonly [name: string]: unknown };

function missing(required: readonly string[], value: PlainObject): Violation {
  const first = required.find((name) => !Object.hasOwn(value, name)) ?? '';
  return { path: `.${first}`, claim: 'is required', expected: 'a value', received: 'nothing' };
}

function notAllowed(value: PlainObject, properties: ReadonlyMap<string, Property>): Violation {
  const unknown = Object.keys(value).filter((name) => !properties.has(name));
  const first = unknown.toSorted()[0] ?? '';
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

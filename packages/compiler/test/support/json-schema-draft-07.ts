import { isDeepStrictEqual } from 'node:util';

type Schema = boolean | { readonly [keyword: string]: unknown };

/** Whether a value fits a schema; knows the keywords that the harness schema uses, and fails at any other. */
export function fitsSchema(value: unknown, root: Schema): boolean {
  const fits = (item: unknown, schema: Schema): boolean => {
    if (typeof schema === 'boolean') return schema;
    return Object.entries(schema).every(([keyword, rule]) => {
      const check = CHECKS[keyword];
      if (check === undefined) throw new Error(`The keyword ${keyword} is not known here.`);
      return check(item, rule, { schema, root, fits });
    });
  };
  return fits(value, root);
}

interface Context {
  readonly schema: { readonly [keyword: string]: unknown };
  readonly root: Schema;
  readonly fits: (value: unknown, schema: Schema) => boolean;
}

type Check = (value: unknown, rule: unknown, context: Context) => boolean;

const always: Check = () => true;

const CHECKS: { readonly [keyword: string]: Check } = {
  $schema: always,
  $id: always,
  title: always,
  description: always,
  default: always,
  definitions: always,
  $ref: (value, rule, { root, fits }) => fits(value, definition(root, String(rule))),
  type: (value, rule) => [rule].flat().some((type) => isType(value, type)),
  const: (value, rule) => isDeepStrictEqual(value, rule),
  enum: (value, rule) => listOf(rule).some((one) => isDeepStrictEqual(value, one)),
  anyOf: (value, rule, { fits }) => listOf(rule).some((one) => fits(value, schemaOf(one))),
  required: (value, rule) =>
    !isObject(value) || listOf(rule).every((name) => Object.hasOwn(value, String(name))),
  properties: (value, rule, { fits }) =>
    !isObject(value) ||
    Object.entries(mapOf(rule)).every(
      ([name, schema]) => !Object.hasOwn(value, name) || fits(value[name], schemaOf(schema)),
    ),
  additionalProperties: (value, rule, { schema, fits }) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([name, item]) =>
        Object.hasOwn(mapOf(schema['properties'] ?? {}), name) || fits(item, schemaOf(rule)),
    ),
  propertyNames: (value, rule, { fits }) =>
    !isObject(value) || Object.keys(value).every((name) => fits(name, schemaOf(rule))),
  items: (value, rule, { fits }) =>
    !Array.isArray(value) || value.every((item) => fits(item, schemaOf(rule))),
  uniqueItems: (value) => !Array.isArray(value) || new Set(value).size === value.length,
  minItems: (value, rule) => !Array.isArray(value) || value.length >= Number(rule),
  maxItems: (value, rule) => !Array.isArray(value) || value.length <= Number(rule),
  minProperties: (value, rule) => !isObject(value) || Object.keys(value).length >= Number(rule),
  maxProperties: (value, rule) => !isObject(value) || Object.keys(value).length <= Number(rule),
  minimum: (value, rule) => typeof value !== 'number' || value >= Number(rule),
  maximum: (value, rule) => typeof value !== 'number' || value <= Number(rule),
  exclusiveMinimum: (value, rule) => typeof value !== 'number' || value > Number(rule),
  pattern: (value, rule) => typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
  maxLength: (value, rule) => typeof value !== 'string' || Array.from(value).length <= Number(rule),
};

function isType(value: unknown, type: unknown): boolean {
  if (type === 'object') return isObject(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function definition(root: Schema, reference: string): Schema {
  const name = reference.replace('#/definitions/', '');
  return schemaOf(typeof root === 'boolean' ? root : mapOf(root['definitions'])[name]);
}

function schemaOf(value: unknown): Schema {
  if (typeof value === 'boolean') return value;
  return mapOf(value);
}

function mapOf(value: unknown): { readonly [name: string]: unknown } {
  if (!isObject(value)) throw new Error('A schema must be a mapping or a truth value.');
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error('A keyword must hold a list.');
  return value;
}

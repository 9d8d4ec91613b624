import { canonicalJson } from '../json/canonical-json.ts';
import { JsonFloat } from '../json/json-value.ts';
import {
  ANNOTATIONS,
  type ChoiceSchema,
  type ConstSchema,
  type JsonSchema,
  type ScalarSchema,
  type SchemaScalar,
} from './schema.ts';

/**
 * The one normal form of a choice of constants: an `enum` where they have one type and no words, else `oneOf`.
 *
 * Expects constants that differ.
 */
export function choiceOf(members: readonly ConstSchema[]): JsonSchema {
  const [first] = members;
  if (first !== undefined && members.length === 1) return first;
  if (members.some((member) => ANNOTATIONS.some((word) => word in member))) {
    return { oneOf: members };
  }
  const constants = members.map((member) => member.const);
  const types = new Set(constants.map(typeOfScalar));
  const isNullable = types.delete('null');
  const [type] = types;
  if (type === undefined || type === 'null' || types.size > 1) return { oneOf: members };
  const schema: ScalarSchema =
    type === 'string'
      ? { type, enum: constants }
      : type === 'number'
        ? { type, enum: constants }
        : { type, enum: constants };
  return isNullable ? orNull(schema) : schema;
}

/**
 * The one normal form of alternatives: a choice where all are constants, a nullable type where one is null.
 *
 * Words beside the constant null are dropped where it becomes part of a type. Expects alternatives that differ.
 */
export function unionOf(alternatives: readonly JsonSchema[]): JsonSchema {
  const [first, second] = alternatives;
  if (first !== undefined && second === undefined) return first;
  const constants = alternatives.filter((schema): schema is ConstSchema => 'const' in schema);
  if (constants.length === alternatives.length) return choiceOf(constants);
  if (first !== undefined && second !== undefined && alternatives.length === 2) {
    if (isNull(second)) return orNull(first);
    if (isNull(first)) return orNull(second);
  }
  return { anyOf: alternatives };
}

/** The schema that accepts null too. */
export function orNull(schema: JsonSchema): JsonSchema {
  if ('const' in schema) return isNull(schema) ? schema : choiceOf([schema, { const: null }]);
  if ('oneOf' in schema) return withNull(schema);
  if ('anyOf' in schema) {
    return schema.anyOf.some(acceptsNull)
      ? schema
      : { ...schema, anyOf: [...schema.anyOf, { const: null }] };
  }
  // Spelled out for each form, since a spread of a union would lose which type goes with which keywords.
  if ('properties' in schema) return { ...schema, type: ['object', 'null'] };
  if ('items' in schema) return { ...schema, type: ['array', 'null'] };
  const members = schema.enum;
  const listed =
    members === undefined || members.includes(null) ? {} : { enum: [...members, null] };
  switch (schema.type) {
    case 'string':
      return { ...schema, ...listed, type: ['string', 'null'] };
    case 'integer':
      return { ...schema, ...listed, type: ['integer', 'null'] };
    case 'number':
      return { ...schema, ...listed, type: ['number', 'null'] };
    case 'boolean':
      return { ...schema, ...listed, type: ['boolean', 'null'] };
    default:
      return schema;
  }
}

/** Names a leaf so that 1 and 1.0 are the same, and numbers, booleans, strings and null stay apart. */
export function scalarIdentity(value: SchemaScalar): string {
  const plain = value instanceof JsonFloat ? value.value : value;
  return `${typeof plain} ${String(plain)}`;
}

/** Names what a schema without annotations means. */
export function schemaIdentity(schema: JsonSchema): string {
  return 'const' in schema ? scalarIdentity(schema.const) : canonicalJson(schema);
}

function withNull(schema: ChoiceSchema): JsonSchema {
  return schema.oneOf.some(isNull)
    ? schema
    : { ...schema, oneOf: [...schema.oneOf, { const: null }] };
}

function acceptsNull(schema: JsonSchema): boolean {
  if ('const' in schema) return isNull(schema);
  if ('oneOf' in schema) return schema.oneOf.some(isNull);
  if ('anyOf' in schema) return schema.anyOf.some(acceptsNull);
  return typeof schema.type === 'object';
}

function isNull(schema: JsonSchema): boolean {
  return 'const' in schema && schema.const === null;
}

function typeOfScalar(value: SchemaScalar): 'string' | 'number' | 'boolean' | 'null' {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'number';
}

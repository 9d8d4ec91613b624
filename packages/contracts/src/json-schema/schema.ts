import type { ExactJson, JsonFloat, JsonPrimitive } from '../json/json-value.ts';

/**
 * A schema of the accepted subset in its normal form; equal meanings have equal canonical JSON.
 *
 * Tell the forms apart by their keywords: `'const' in schema`, `'anyOf' in`, `'oneOf' in`, `'properties' in`,
 * `'items' in`; what is left is a scalar, whose `type` may also be a pair with `null`.
 */
export type JsonSchema =
  | ConstSchema
  | ChoiceSchema
  | UnionSchema
  | ObjectSchema
  | ArraySchema
  | ScalarSchema;

/** A leaf in a schema; number kinds are kept, because they are part of the digest. */
export type SchemaScalar = JsonPrimitive | JsonFloat;

/** A number in a schema, with its kind. */
export type SchemaNumber = number | JsonFloat;

/** The type of a schema, alone or together with null. */
export type SchemaType<Name extends string> = Name | readonly [Name, 'null'];

// Type aliases, not interfaces: only an alias is assignable to ExactJson, and schemas are digested.

/** Words about a schema for whoever reads it; they check nothing and are in no digest of a tool. */
export type SchemaAnnotations = {
  /** A short name. */
  readonly title?: string;
  /** What it means. */
  readonly description?: string;
  /** What an absent value stands for; nobody fills it in. */
  readonly default?: ExactJson;
  /** Values that show how it is meant. */
  readonly examples?: readonly ExactJson[];
};

/** Accepts exactly one leaf. */
export type ConstSchema = SchemaAnnotations & {
  /** The value. */
  readonly const: SchemaScalar;
};

/** Accepts one of several leaves of which some have words of their own, or which differ in type. */
export type ChoiceSchema = SchemaAnnotations & {
  /** The leaves, in the author's order. */
  readonly oneOf: readonly ConstSchema[];
};

/** Accepts what at least one of its alternatives accepts. */
export type UnionSchema = SchemaAnnotations & {
  /** The alternatives, 2 to 16, in the author's order. */
  readonly anyOf: readonly JsonSchema[];
};

/** Accepts leaves of one type, or some of them. */
export type ScalarSchema = StringSchema | NumberSchema | BooleanSchema;

/** Accepts texts. */
export type StringSchema = SchemaAnnotations & {
  /** The type. */
  readonly type: SchemaType<'string'>;
  /** The values that are accepted, in the author's order; absent for all of the type. */
  readonly enum?: readonly SchemaScalar[];
  /** Fewest characters, counted as code points. */
  readonly minLength?: number;
  /** Most characters, counted as code points. */
  readonly maxLength?: number;
  /** Regular expression that must match somewhere in the text; a subset that runs in linear time. */
  readonly pattern?: string;
  /** A well-known form of text. */
  readonly format?: SchemaFormat;
};

/** Accepts numbers. */
export type NumberSchema = SchemaAnnotations & {
  /** The type. */
  readonly type: SchemaType<'integer'> | SchemaType<'number'>;
  /** The values that are accepted, in the author's order; absent for all of the type. */
  readonly enum?: readonly SchemaScalar[];
  /** The least number that is accepted. */
  readonly minimum?: SchemaNumber;
  /** The greatest number that is accepted. */
  readonly maximum?: SchemaNumber;
  /** Every accepted number is greater. */
  readonly exclusiveMinimum?: SchemaNumber;
  /** Every accepted number is less. */
  readonly exclusiveMaximum?: SchemaNumber;
};

/** Accepts true and false. */
export type BooleanSchema = SchemaAnnotations & {
  /** The type. */
  readonly type: SchemaType<'boolean'>;
  /** The values that are accepted, in the author's order; absent for all of the type. */
  readonly enum?: readonly SchemaScalar[];
};

/** Accepts arrays whose items all match one schema. */
export type ArraySchema = SchemaAnnotations & {
  /** The type. */
  readonly type: SchemaType<'array'>;
  /** Schema of every item. */
  readonly items: JsonSchema;
  /** Fewest items. */
  readonly minItems?: number;
  /** Most items. */
  readonly maxItems?: number;
  /** Present where no two items may be equal; 1 and 1.0 are. */
  readonly uniqueItems?: true;
};

/** Accepts objects with these properties and no others. */
export type ObjectSchema = SchemaAnnotations & {
  /** The type. */
  readonly type: SchemaType<'object'>;
  /** Always false: unknown properties are refused. */
  readonly additionalProperties: false;
  /** Schema of each property; any name is legal, also `__proto__`. */
  readonly properties: { readonly [name: string]: JsonSchema };
  /** Names that must be present, sorted. */
  readonly required: readonly string[];
};

/** The forms of text that are checked. */
export type SchemaFormat =
  | 'date'
  | 'date-time'
  | 'time'
  | 'email'
  | 'uri'
  | 'uuid'
  | 'ipv4'
  | 'ipv6'
  | 'hostname';

/** Every form of text that is checked, for readers of schemas. */
export const SCHEMA_FORMATS: readonly SchemaFormat[] = [
  'date',
  'date-time',
  'time',
  'email',
  'uri',
  'uuid',
  'ipv4',
  'ipv6',
  'hostname',
];

/** Words that check nothing, for readers and writers of schemas. */
export const ANNOTATIONS = ['title', 'description', 'default', 'examples'] as const;

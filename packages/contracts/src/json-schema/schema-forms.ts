/** A kind of schema node, by what stands in it. */
export type FormName =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'array'
  | 'object'
  | 'null'
  | 'const'
  | 'narrow const'
  | 'anyOf'
  | 'oneOf'
  | '$ref';

/** The keywords that one kind of node takes. */
export interface SchemaForm {
  readonly accepted: ReadonlySet<string>;
  /** Where a keyword stands that it does not take: `for type string`. */
  readonly place: string;
}

/** All kinds, and all of their keywords but those of the root. */
export interface SchemaForms {
  readonly forms: { readonly [Name in FormName]: SchemaForm };
  readonly keywords: ReadonlySet<string>;
}

/** Keywords that only the root may have. */
export const ROOT_KEYWORDS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$defs',
  'definitions',
]);

/** The kinds of nodes; made when first asked for, so that who reads no schema carries none of it. */
export function schemaForms(): SchemaForms {
  kept ??= makeForms();
  return kept;
}

let kept: SchemaForms | null = null;

function makeForms(): SchemaForms {
  const forms: SchemaForms['forms'] = {
    string: typeForm('string', ['enum', 'minLength', 'maxLength', 'pattern', 'format']),
    integer: typeForm('integer', NUMBER_KEYWORDS),
    number: typeForm('number', NUMBER_KEYWORDS),
    boolean: typeForm('boolean', ['enum']),
    array: typeForm('array', ['items', 'minItems', 'maxItems', 'uniqueItems']),
    object: typeForm('object', ['properties', 'required', 'additionalProperties']),
    null: typeForm('null', []),
    const: formOf('beside const', ['const', 'type']),
    'narrow const': formOf('beside const', ['const']),
    anyOf: formOf('beside anyOf', ['anyOf']),
    oneOf: formOf('beside oneOf', ['oneOf']),
    $ref: formOf('beside $ref', ['$ref']),
  };
  const all = Object.values(forms).flatMap(({ accepted }) => [...accepted]);
  return { forms, keywords: new Set(all.filter((keyword) => !ROOT_KEYWORDS.has(keyword))) };
}

function typeForm(type: string, keywords: readonly string[]): SchemaForm {
  return formOf(`for type ${type}`, ['type', ...keywords]);
}

function formOf(place: string, keywords: readonly string[]): SchemaForm {
  return { accepted: new Set([...keywords, ...INERT, ...ROOT_KEYWORDS]), place };
}

const INERT = ['title', 'description', 'default', 'examples', 'nullable', '$comment'];
const NUMBER_KEYWORDS = ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

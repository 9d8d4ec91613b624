import { type ExactJson, MillforgeError, readJson } from '@millforge/contracts';

/** A document that lists the members of a catalog: its kind and the field that holds the list. */
export interface CatalogDocumentForm {
  /** Value of `kind`. */
  readonly kind: string;
  /** Name of the list. */
  readonly field: string;
}

/** Takes the list out of a catalog given as JSON text, as a document or as the bare list. */
export function membersOf(given: unknown, form: CatalogDocumentForm): readonly unknown[] {
  const value = typeof given === 'string' ? parse(given, form) : given;
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) {
    throw invalidCatalog(form, '/', 'must be an object');
  }
  const document: { readonly [key: string]: unknown } = { ...value };
  if (document['kind'] !== form.kind) throw invalidCatalog(form, '/kind', `must be "${form.kind}"`);
  if (document['schema_version'] !== '1.0') {
    throw invalidCatalog(form, '/schema_version', 'must be "1.0", the only version that is known');
  }
  const surplus = Object.keys(document).some(
    (key) => !['kind', 'schema_version', form.field].includes(key),
  );
  if (surplus)
    throw invalidCatalog(form, '/', `must have no keys but kind, schema_version and ${form.field}`);
  const members = document[form.field];
  if (!Array.isArray(members)) throw invalidCatalog(form, `/${form.field}`, 'must be a list');
  return members;
}

/** The error for a catalog that cannot be built: what, where, and what was expected. */
export function invalidCatalog(
  form: CatalogDocumentForm,
  pointer: string,
  expected: string,
): MillforgeError {
  return new MillforgeError(
    'compiler/invalid-catalog',
    `The ${form.kind.replaceAll('_', ' ')} is not usable: ${pointer} ${expected}.`,
    { details: { pointer } },
  );
}

function parse(text: string, form: CatalogDocumentForm): ExactJson {
  const read = readJson(text);
  if (read.ok) return read.value;
  const where = `(character ${read.offset + 1})`;
  throw invalidCatalog(form, '/', `must be JSON; ${read.message.replace(/\.$/, '')} ${where}`);
}

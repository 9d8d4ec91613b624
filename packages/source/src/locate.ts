import type { ExactJson } from '@millforge/contracts';
import { entriesOf, type SourceDocument, type SourceLocation } from './source-document.ts';

/** How pointers into a model differ from pointers into the text it was read from. */
export interface LocateOptions {
  /**
   * Mappings that a model holds as lists, by the key they stand under.
   *
   * Under such a key a pointer names an entry by its ordinal: with `{ nodes: null }`,
   * `/graph/nodes/1` is the second entry of the mapping. A string names the field of the model's
   * record that is the entry's value itself: with `{ required_by_terminal: 'artifact_ids' }`,
   * `/required_by_terminal/0/artifact_ids/2` is the third item of the list under the first key.
   */
  readonly listed?: { readonly [mappingKey: string]: string | null };
}

/**
 * Finds where a pointer, or its nearest ancestor that has a position, stands in a document.
 *
 * A mapping entry stands at its key, a list item at its `-` in a YAML block and at its first
 * character elsewhere. The root has no position of its own: for `/` and for pointers whose first
 * segment is absent the answer is null.
 */
export function locate(
  document: SourceDocument,
  pointer: string,
  options: LocateOptions = {},
): SourceLocation | null {
  const listed = new Map(Object.entries(options.listed ?? {}));
  let found: SourceLocation | null = null;
  let value: ExactJson = document.value;
  let entryField: string | null | undefined;
  let ordinalField: string | null | undefined;
  for (const token of pointerTokens(pointer)) {
    if (ordinalField !== undefined && ordinalField === token) {
      ordinalField = undefined;
      continue;
    }
    ordinalField = undefined;
    const step: Step | null =
      entryField === undefined ? child(value, token) : nth(document, value, token);
    if (step === null) return found;
    found = document.index.locationOf(step.container, step.key) ?? found;
    ordinalField = step.isOrdinal ? entryField : undefined;
    entryField = isMapping(step.value) && !step.isOrdinal ? listed.get(token) : undefined;
    value = step.value;
  }
  return found;
}

interface Step {
  readonly container: object;
  readonly key: string | number;
  readonly value: ExactJson;
  readonly isOrdinal: boolean;
}

function child(container: ExactJson, token: string): Step | null {
  if (Array.isArray(container)) {
    const index = ordinal(token);
    const value: ExactJson | undefined = index === null ? undefined : container[index];
    return index === null || value === undefined
      ? null
      : { container, key: index, value, isOrdinal: false };
  }
  if (!isMapping(container) || !Object.hasOwn(container, token)) return null;
  const value = container[token];
  return value === undefined ? null : { container, key: token, value, isOrdinal: false };
}

function nth(document: SourceDocument, mapping: ExactJson, token: string): Step | null {
  const index = ordinal(token);
  if (index === null || !isMapping(mapping)) return null;
  const entry = entriesOf(document, mapping)[index];
  if (entry === undefined) return null;
  return { container: mapping, key: entry[0], value: entry[1], isOrdinal: true };
}

function isMapping(value: ExactJson): value is { readonly [key: string]: ExactJson } {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function ordinal(token: string): number | null {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(token) ? Number(token) : null;
}

function pointerTokens(pointer: string): readonly string[] {
  if (pointer === '' || pointer === '/') return [];
  const path = pointer.startsWith('/') ? pointer.slice(1) : pointer;
  return path.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

import type { ExactJson } from '@millforge/contracts';
import { isMapping } from './located-value.ts';
import type { SourceDocument, SourceLocation } from './source-document.ts';

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
  const { listed = {} } = options;
  let found: SourceLocation | null = null;
  let value: ExactJson = document.value;
  // Set while the walk stands in a listed mapping: the field that its entries' values go by.
  let valueField: string | null | undefined;
  // Set for one step behind such an entry: that field names the value where the walk stands already.
  let currentField: string | null | undefined;
  for (const token of pointerTokens(pointer)) {
    const isCurrent = token === currentField;
    currentField = undefined;
    if (isCurrent) continue;
    const isOrdinal = valueField !== undefined;
    const step: Step | null = isOrdinal ? nth(document, value, token) : child(value, token);
    if (step === null) return found;
    found = document.index.locationOf(step.container, step.key) ?? found;
    value = step.value;
    currentField = isOrdinal ? valueField : undefined;
    valueField =
      !isOrdinal && isMapping(value) && Object.hasOwn(listed, token) ? listed[token] : undefined;
  }
  return found;
}

interface Step {
  readonly container: object;
  readonly key: string | number;
  readonly value: ExactJson;
}

function child(container: ExactJson, token: string): Step | null {
  if (Array.isArray(container)) {
    const index = ordinal(token);
    const value: ExactJson | undefined = index === null ? undefined : container[index];
    return index === null || value === undefined ? null : { container, key: index, value };
  }
  if (!isMapping(container) || !Object.hasOwn(container, token)) return null;
  const value = container[token];
  return value === undefined ? null : { container, key: token, value };
}

function nth(document: SourceDocument, mapping: ExactJson, token: string): Step | null {
  const index = ordinal(token);
  if (index === null || !isMapping(mapping)) return null;
  const key = document.index.keysOf(mapping)[index];
  return key === undefined ? null : child(mapping, key);
}

function ordinal(token: string): number | null {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(token) ? Number(token) : null;
}

function pointerTokens(pointer: string): readonly string[] {
  if (pointer === '' || pointer === '/') return [];
  const path = pointer.startsWith('/') ? pointer.slice(1) : pointer;
  return path.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

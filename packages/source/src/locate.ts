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
  return createLocator(document, options)(pointer);
}

/** Prepares {@link locate} for many pointers into one document; siblings in turn are found fastest. */
export function createLocator(
  document: SourceDocument,
  { listed = {} }: LocateOptions = {},
): (pointer: string) => SourceLocation | null {
  const root: Walk = { value: document.value, found: null, isLost: false };
  let parent = '';
  let atParent = root;
  return (pointer) => {
    if (pointer === '' || pointer === '/') return null;
    const path = pointer.startsWith('/') ? pointer : `/${pointer}`;
    const end = path.lastIndexOf('/');
    if (end !== parent.length || !path.startsWith(parent)) {
      parent = path.slice(0, end);
      const tokens = parent.split('/').slice(1);
      atParent = tokens.reduce((walk, token) => step(walk, unescape(token)), root);
    }
    return lastStep(atParent, unescape(path.slice(end + 1)));
  };

  function step(walk: Walk, token: string): Walk {
    const { value, found, isLost, valueField, currentField } = walk;
    if (isLost) return walk;
    if (token === currentField) return { value, found, isLost };
    const entry = entryOf(walk, token);
    if (entry === null) return { value, found, isLost: true };
    const isOrdinal = valueField !== undefined;
    return {
      value: entry.value,
      found: document.index.locationOf(entry.container, entry.key) ?? found,
      isLost,
      currentField: isOrdinal ? valueField : undefined,
      valueField:
        !isOrdinal && isMapping(entry.value) && Object.hasOwn(listed, token)
          ? listed[token]
          : undefined,
    };
  }

  function lastStep(walk: Walk, token: string): SourceLocation | null {
    const { found, isLost, currentField } = walk;
    const entry = isLost || token === currentField ? null : entryOf(walk, token);
    if (entry === null) return found;
    return document.index.locationOf(entry.container, entry.key) ?? found;
  }

  function entryOf({ value, valueField }: Walk, token: string): Step | null {
    return valueField === undefined ? child(value, token) : nth(document, value, token);
  }
}

/** Where a walk along a pointer stands. */
interface Walk {
  readonly value: ExactJson;
  /** Position of what it met last that has one. */
  readonly found: SourceLocation | null;
  /** Whether the document has nothing where the pointer went on. */
  readonly isLost: boolean;
  /** Set while the walk stands in a listed mapping: the field that its entries' values go by. */
  readonly valueField?: string | null | undefined;
  /** Set for one step behind such an entry: that field names the value where the walk stands already. */
  readonly currentField?: string | null | undefined;
}

function unescape(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
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
  return ORDINAL.test(token) ? Number(token) : null;
}

const ORDINAL = /^(?:0|[1-9][0-9]{0,8})$/;

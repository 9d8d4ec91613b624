import { JsonFloat } from '@millforge/contracts';
import { isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments, Scalar } from 'yaml';

/**
 * What a text means to the YAML library under the rules of the source language, leaf by leaf.
 *
 * The library finds the structure and the texts; of a plain scalar only the characters are taken from it.
 */
export function readWithLibrary(text: string): unknown {
  const documents = parseAllDocuments<Node>(text, { schema: 'failsafe', uniqueKeys: false });
  const [document] = documents;
  // To the library a line of nothing but a tab is indented; to YAML it is blank.
  const errors = document?.errors.filter(({ code }) => code !== 'TAB_AS_INDENT');
  if (document === undefined || documents.length !== 1 || errors?.length !== 0) {
    throw new Error('The library reads no single document.');
  }
  return meaningOf(document.contents);
}

/** A value in the same form, from this package's own parser. */
export function meaningOfValue(value: unknown): unknown {
  if (typeof value === 'string') return { text: value };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { integer: String(value) } : { float: value };
  }
  if (typeof value === 'bigint') return { integer: String(value) };
  if (typeof value !== 'object' || value === null) return { word: value };
  if (Array.isArray(value)) return value.map(meaningOfValue);
  if (value instanceof JsonFloat) return { float: value.value };
  return {
    entries: byKey(Object.entries(value).map(([key, item]) => [key, meaningOfValue(item)])),
  };
}

function meaningOf(node: unknown): unknown {
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }): [string, unknown] => [
      isScalar(key) ? String(key.value) : '',
      value === null ? EMPTY : meaningOf(value),
    ]);
    return { entries: byKey(entries) };
  }
  if (isSeq(node)) return node.items.map(meaningOf);
  if (isAlias(node) || !isScalar(node)) throw new Error('Not of the source language.');
  const text = String(node.value);
  if (node.type !== Scalar.PLAIN) return { text };
  if (text === '') return EMPTY;
  if (text === 'null' || text === '~') return { word: null };
  if (text === 'true' || text === 'false') return { word: text === 'true' };
  if (/^-?(?:0|[1-9]\d*)$/.test(text)) return { integer: String(BigInt(text)) };
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return { float: Number(text) };
  return { text };
}

const EMPTY = { entries: [] };

/** Integer-like keys come first when a mapping is enumerated, so the order is that of the keys. */
function byKey(entries: readonly (readonly [string, unknown])[]): unknown {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

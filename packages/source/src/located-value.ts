import { deepFreeze, type ExactJson } from '@millforge/contracts';
import type { SourceRule } from './diagnostics.ts';
import type { SourceIndex } from './source-document.ts';
import type { Positions } from './text/positions.ts';

/** What a format parser answers: a root mapping with its positions, or the first broken rule. */
export type FormatResult =
  | { readonly ok: true; readonly root: Mapping; readonly places: Places }
  | OffsetFault;

/** A broken rule at an offset of the normalised text. */
export interface OffsetFault {
  readonly ok: false;
  readonly rule: SourceRule;
  readonly offset: number;
  /** What a reader of JSON missed. */
  readonly detail?: string;
}

/** A mapping of the value. */
export type Mapping = { readonly [key: string]: ExactJson };

/**
 * Where entries and items stand, in the order they were met.
 *
 * Three plain lists, because most documents are never asked for a position: what is looked up is
 * indexed at the first question.
 */
export interface Places {
  readonly containers: object[];
  readonly keys: (string | number)[];
  readonly offsets: number[];
}

/** Places of nothing yet. */
export function createPlaces(): Places {
  return { containers: [], keys: [], offsets: [] };
}

/** Notes where an entry of a container stands. */
export function notePlace(
  places: Places,
  [container, key]: readonly [object, string | number],
  offset: number,
): void {
  places.containers.push(container);
  places.keys.push(key);
  places.offsets.push(offset);
}

/** Freezes a value and makes its offsets answerable as lines and columns. */
export function indexValue(root: Mapping, places: Places, positions: Positions): SourceIndex {
  deepFreeze(root);
  let index: PlaceIndex | null = null;
  const asked = new Map<object, readonly string[]>();
  const writtenKeys = (container: object): readonly string[] => {
    const keys = Object.keys(container);
    // Integer-like keys come first when an object is enumerated; without one the order is as written.
    if (!INTEGER_LIKE.test(keys[0] ?? '')) return keys;
    index ??= toIndex(places);
    const known = index.get(container);
    return known === undefined ? keys : Array.from(known.keys(), String);
  };
  return Object.freeze({
    keysOf(container: object) {
      // Thousands of findings may ask for entries of the same mapping by their ordinals.
      const known = asked.get(container) ?? writtenKeys(container);
      asked.set(container, known);
      return known;
    },
    locationOf(container: object, key: string | number) {
      index ??= toIndex(places);
      const offset = index.get(container)?.get(key);
      return offset === undefined ? null : positions.at(offset);
    },
  });
}

type PlaceIndex = ReadonlyMap<object, ReadonlyMap<string | number, number>>;

function toIndex({ containers, keys, offsets }: Places): PlaceIndex {
  const index = new Map<object, Map<string | number, number>>();
  containers.forEach((container, at) => {
    const key = keys[at] ?? '';
    const offset = offsets[at] ?? 0;
    const known = index.get(container);
    if (known === undefined) index.set(container, new Map([[key, offset]]));
    else known.set(key, offset);
  });
  return index;
}

/** Tells a mapping from lists, number wrappers and scalars. */
export function isMapping(value: ExactJson): value is Mapping {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

const INTEGER_LIKE = /^[0-9]+$/;

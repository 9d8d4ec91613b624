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

/** Offsets of the entries of every container, in the order they were written. */
export type Places = Map<object, Map<string | number, number>>;

/** Notes where an entry of a container stands. */
export function notePlace(
  places: Places,
  [container, key]: readonly [object, string | number],
  offset: number,
): void {
  const known = places.get(container);
  if (known === undefined) places.set(container, new Map([[key, offset]]));
  else known.set(key, offset);
}

/** Freezes a value and makes its offsets answerable as lines and columns. */
export function indexValue(root: Mapping, places: Places, positions: Positions): SourceIndex {
  deepFreeze(root);
  return Object.freeze({
    keysOf(container: object) {
      const known = places.get(container);
      return known === undefined ? null : Array.from(known.keys(), String);
    },
    locationOf(container: object, key: string | number) {
      const offset = places.get(container)?.get(key);
      return offset === undefined ? null : positions.at(offset);
    },
  });
}

/** Tells a mapping from lists, number wrappers and scalars. */
export function isMapping(value: ExactJson): value is Mapping {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

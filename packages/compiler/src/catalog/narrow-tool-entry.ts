import { type ToolCatalogEntry, toSchema10 } from '@millforge/contracts';

/** The entry as version 1.0 knows it, or the first keyword of its arguments that it does not know. */
export type NarrowedToolEntry =
  | { readonly ok: true; readonly entry: ToolCatalogEntry }
  | { readonly ok: false; readonly path: string; readonly keyword: string };

/** Gives an entry whose arguments a plan of version 1.0 can hold: without annotations, without wider keywords. */
export function narrowToolEntry(entry: ToolCatalogEntry): NarrowedToolEntry {
  const known = NARROWED.get(entry);
  if (known !== undefined) return known;
  const schema = toSchema10(entry.input_schema, '/input_schema');
  const narrowed: NarrowedToolEntry = schema.ok
    ? { ok: true, entry: Object.freeze({ ...entry, input_schema: schema.value }) }
    : schema;
  // Only what is frozen can be remembered; an entry that was not admitted may still change.
  if (Object.isFrozen(entry)) NARROWED.set(entry, narrowed);
  return narrowed;
}

const NARROWED = new WeakMap<ToolCatalogEntry, NarrowedToolEntry>();

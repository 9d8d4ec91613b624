import { formatToolReference, isDottedId, parseToolReference } from '@millforge/contracts';
import type { ToolReference } from './read-bindings.ts';

/** The tools that a catalog lists, by entries or by records; null for one that only answers exact questions. */
export function listedTools(catalog: unknown): readonly ToolReference[] | null {
  const entries = entriesOf(catalog);
  return entries === null
    ? null
    : entries.flatMap((entry) => {
        if (!('tool_id' in entry) || !('tool_version' in entry)) return [];
        const { tool_id: toolId, tool_version: toolVersion } = entry;
        if (typeof toolId !== 'string' || typeof toolVersion !== 'number') return [];
        // Only a name by the grammar may be shown: a catalog may hold anything.
        const reference = parseToolReference(formatToolReference({ toolId, toolVersion }));
        return reference === null ? [] : [reference];
      });
}

/** The model profiles that a catalog lists; null for one that only answers exact questions. */
export function listedProfiles(catalog: unknown): readonly string[] | null {
  const entries = entriesOf(catalog);
  return entries === null
    ? null
    : entries.flatMap((entry) => {
        const id: unknown = 'profile_id' in entry ? entry.profile_id : null;
        return typeof id === 'string' && isDottedId(id) ? [id] : [];
      });
}

/** A hint must never fail a compilation, whatever the catalog does when it is asked. */
function entriesOf(catalog: unknown): readonly object[] | null {
  try {
    if (typeof catalog !== 'object' || catalog === null) return null;
    if (!('entries' in catalog || 'records' in catalog)) return null;
    const listed: readonly unknown[] = [
      ...('entries' in catalog && Array.isArray(catalog.entries) ? catalog.entries : []),
      ...('records' in catalog && Array.isArray(catalog.records) ? catalog.records : []),
    ];
    return listed.filter((entry) => typeof entry === 'object' && entry !== null);
  } catch {
    return null;
  }
}

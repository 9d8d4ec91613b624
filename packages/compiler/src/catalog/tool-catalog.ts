import {
  type CatalogLookup,
  digest,
  type ExactJson,
  formatToolReference,
  type ToolCatalog,
  type ToolCatalogEntry,
  withoutAnnotations,
} from '@millforge/contracts';
import { admitToolEntry } from './admit-tool-entry.ts';
import { type CatalogDocumentForm, invalidCatalog, membersOf } from './catalog-document.ts';

/** A tool catalog that also lists what it holds. */
export interface ListedToolCatalog extends ToolCatalog {
  /** All entries, frozen, sorted by id and version. */
  readonly entries: readonly ToolCatalogEntry[];
}

/**
 * Builds a tool catalog from a `tool_catalog` document, its JSON text, or a list of descriptors.
 *
 * Give JSON text where the number kinds of schemas matter (`2.0` is a float there). Descriptors are
 * admitted by form; their digests are taken at their word. The snapshot is named by its contents, like a descriptor
 * without the annotations of its schemas.
 *
 * @throws `compiler/invalid-catalog` naming the place and what was expected.
 */
export function toToolCatalog(
  tools: string | { readonly [key: string]: unknown } | readonly unknown[],
): ListedToolCatalog {
  const byReference = new Map<string, ToolCatalogEntry>();
  membersOf(tools, FORM).forEach((raw, index) => {
    const admitted = admitToolEntry(raw);
    if (!admitted.ok) {
      const pointer = ['', 'tools', index, ...admitted.fault.path].join('/');
      throw invalidCatalog(FORM, pointer, `must be ${admitted.fault.expected}`);
    }
    const reference = referenceOf(admitted.entry);
    if (byReference.has(reference)) {
      throw invalidCatalog(FORM, `/tools/${index}`, `repeats ${reference}, which is listed before`);
    }
    byReference.set(reference, admitted.entry);
  });
  const entries = Object.freeze([...byReference.values()].toSorted(byIdAndVersion));
  // An entry is JSON by its type, but an interface has no index signature.
  const snapshot = digest(entries.map(withoutWords) as object as ExactJson);
  return Object.freeze({
    entries,
    snapshotId: snapshot,
    snapshotSha256: snapshot,
    resolveExact(toolId: string, toolVersion: number): CatalogLookup<ToolCatalogEntry> {
      const entry = byReference.get(formatToolReference({ toolId, toolVersion }));
      return entry === undefined
        ? { classification: 'missing' }
        : { classification: 'found', entry };
    },
  });
}

function withoutWords(entry: ToolCatalogEntry): ToolCatalogEntry {
  return {
    ...entry,
    input_schema: withoutAnnotations(entry.input_schema),
    output_schema: withoutAnnotations(entry.output_schema),
  };
}

const FORM: CatalogDocumentForm = { kind: 'tool_catalog', field: 'tools' };

function referenceOf(entry: ToolCatalogEntry): string {
  return formatToolReference({ toolId: entry.tool_id, toolVersion: entry.tool_version });
}

function byIdAndVersion(left: ToolCatalogEntry, right: ToolCatalogEntry): number {
  if (left.tool_id !== right.tool_id) return left.tool_id < right.tool_id ? -1 : 1;
  return left.tool_version - right.tool_version;
}

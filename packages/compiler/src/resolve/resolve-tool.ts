import { type Diagnostic, type ToolCatalog, type ToolCatalogEntry } from '@millforge/contracts';
import { admitToolEntry } from '../catalog/admit-tool-entry.ts';
import { narrowToolEntry } from '../catalog/narrow-tool-entry.ts';
import { report } from '../diagnostics.ts';
import { errorType } from '../error-type.ts';
import type { HarnessSource } from '../harness-source.ts';
import type { PlacedNode, ToolReference } from './read-bindings.ts';
import { type Evidence, type ReadLookup, readLookup } from './read-lookup.ts';
import type { ToolHints } from './tool-hints.ts';

/** The tool, or why there is none. */
export interface ResolvedTool {
  /** The tool, or null. */
  readonly tool: ToolCatalogEntry | null;
  /** Empty exactly when there is a tool. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Looks up the tool of one node by its exact id and version. */
export function resolveTool(
  reference: ToolReference,
  { nodeId, path }: PlacedNode,
  { catalog, hints, version }: ToolLookup,
): ResolvedTool {
  const place = { path: `${path}/tool_ref`, nodeId };
  const fields = { tool_id: reference.toolId, tool_version: reference.toolVersion };
  let lookup: ReadLookup;
  try {
    lookup = readLookup(catalog.resolveExact(reference.toolId, reference.toolVersion));
  } catch (error) {
    const { tool_id } = fields;
    const facts = { tool_id, error_type: errorType(error) };
    return failed(report.toolLookupFailed({ ...place, fields: facts }));
  }
  if (lookup.kind === 'found') {
    const found = admit(lookup.entry, place, fields);
    return version === '1.0' && found.tool !== null ? narrow(found.tool, place, fields) : found;
  }
  if (lookup.kind === 'invalid') return failed(invalidEntry(lookup, place, fields));
  if (lookup.kind === 'malformed') {
    const hint =
      'The catalog must answer with an entry, or that it has none; see the page of the code.';
    return failed(report.entryMissing({ ...place, hint, fields }));
  }
  const hint = hints(reference);
  return failed(
    report.unknownToolReference({
      ...place,
      ...(hint === undefined ? {} : { hint }),
      fields: { ...lookup.evidence, ...fields },
    }),
  );
}

interface ToolLookup {
  readonly catalog: Pick<ToolCatalog, 'resolveExact'>;
  readonly hints: ToolHints;
  /** Version of the source, which says how much of a schema its plan can hold. */
  readonly version: HarnessSource['schema_version'];
}

interface Place {
  readonly path: string;
  readonly nodeId: string;
}

interface Asked {
  readonly tool_id: string;
  readonly tool_version: number;
}

function invalidEntry(
  lookup: { readonly errorCode: string | null; readonly evidence: Evidence },
  place: Place,
  asked: Asked,
): Diagnostic {
  const found = { ...place, fields: { ...lookup.evidence, ...asked } };
  if (lookup.errorCode === 'unsupported-tool-schema') return report.unsupportedToolSchema(found);
  if (lookup.errorCode === 'catalog-snapshot-drift') return report.snapshotDrift(found);
  return report.malformedEntry(found);
}

function admit(raw: unknown, place: Place, asked: Asked): ResolvedTool {
  const admitted = admitToolEntry(raw);
  if (!admitted.ok) {
    const [field] = admitted.fault.path;
    const hint = `Expected ${admitted.fault.expected} at ${field ?? 'the entry'}.`;
    const found = { ...place, hint, fields: { ...asked } };
    return failed(
      field === 'input_schema' || field === 'output_schema'
        ? report.unsupportedToolSchema(found)
        : report.malformedEntry(found),
    );
  }
  const { tool_id, tool_version } = admitted.entry;
  if (tool_id === asked.tool_id && tool_version === asked.tool_version) {
    return { tool: admitted.entry, diagnostics: [] };
  }
  const fields = { ...asked, resolved_tool_id: tool_id, resolved_tool_version: tool_version };
  return failed(report.entryIdentityMismatch({ ...place, fields }));
}

function narrow(entry: ToolCatalogEntry, place: Place, asked: Asked): ResolvedTool {
  const narrowed = narrowToolEntry(entry);
  if (narrowed.ok) return { tool: narrowed.entry, diagnostics: [] };
  const hint = `Write schema_version: "1.1" to use a tool whose schema has ${narrowed.keyword}, as at ${narrowed.path}.`;
  return failed(report.unsupportedToolSchema({ ...place, hint, fields: { ...asked } }));
}

function failed(diagnostic: Diagnostic): ResolvedTool {
  return { tool: null, diagnostics: [diagnostic] };
}

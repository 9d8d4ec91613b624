import {
  type CatalogLookup,
  createRedactor,
  deepFreeze,
  digest,
  formatToolReference,
  parseToolReference,
  type ToolCatalogEntry,
} from '@millforge/contracts';
import { boundText } from './bound-text.ts';
import type { RegisteredTool, RegistrySnapshot, ToolRecord } from './registry-snapshot.ts';

/** Freezes tools into a snapshot; its identity does not depend on their order. */
export function createSnapshot(tools: readonly RegisteredTool[]): RegistrySnapshot {
  const sorted = tools.toSorted(byReference);
  const records = sorted.map(toRecord);
  const snapshotSha256 = digest({
    schema_version: 1,
    kind: 'millforge.tool_registry.snapshot.v1',
    descriptors: records,
  });
  const held = new Map(
    sorted.map((tool) => [reference(tool), { tool, entry: deepFreeze(toCatalogEntry(tool)) }]),
  );
  return Object.freeze({
    snapshotId: digest({
      schema_version: 1,
      kind: 'millforge.tool_registry.snapshot_id.v1',
      snapshot_sha256: snapshotSha256,
    }),
    snapshotSha256,
    records: deepFreeze(records),
    implementations: new Map(
      sorted.map((tool) => [tool.descriptor.implementation_id, tool.implementation]),
    ),
    findTool: (toolId: string, toolVersion: number) =>
      held.get(referenceText(toolId, toolVersion))?.tool ?? null,
    resolveExact(toolId: string, toolVersion: number): CatalogLookup<ToolCatalogEntry> {
      const found = held.get(referenceText(toolId, toolVersion));
      if (found !== undefined) return { classification: 'found', entry: found.entry };
      const isMissing = isReference(toolId, toolVersion);
      return {
        classification: isMissing ? 'missing' : 'invalid',
        errorCode: isMissing ? 'lookup_missing' : 'lookup_invalid',
        evidence: { tool_id: evidence(toolId), tool_version: evidence(toolVersion) },
      };
    },
  });
}

function toRecord(tool: RegisteredTool): ToolRecord {
  return {
    tool_id: tool.descriptor.tool_id,
    tool_version: tool.descriptor.tool_version,
    implementation_id: tool.descriptor.implementation_id,
    descriptor_sha256: tool.descriptorSha256,
  };
}

function toCatalogEntry(tool: RegisteredTool): ToolCatalogEntry {
  const { schema_version: _version, kind: _kind, ...fields } = tool.descriptor;
  return { ...fields, descriptor_sha256: tool.descriptorSha256 };
}

function byReference(left: RegisteredTool, right: RegisteredTool): number {
  const a = left.descriptor;
  const b = right.descriptor;
  if (a.tool_id !== b.tool_id) return a.tool_id < b.tool_id ? -1 : 1;
  return a.tool_version - b.tool_version;
}

function reference(tool: RegisteredTool): string {
  return referenceText(tool.descriptor.tool_id, tool.descriptor.tool_version);
}

/** A key for any two values: lookups are also made with what a model or a file said. */
function referenceText(toolId: unknown, toolVersion: unknown): string {
  return typeof toolId === 'string' && typeof toolVersion === 'number'
    ? formatToolReference({ toolId, toolVersion })
    : '';
}

function isReference(toolId: unknown, toolVersion: unknown): boolean {
  if (typeof toolId === 'string' && (toolId === 'latest' || toolId.endsWith('.latest'))) {
    return false;
  }
  return parseToolReference(referenceText(toolId, toolVersion)) !== null;
}

function evidence(value: unknown): string {
  const isText = typeof value === 'string' || typeof value === 'number';
  return boundText(createRedactor().text(isText ? String(value) : typeof value), 512).text;
}

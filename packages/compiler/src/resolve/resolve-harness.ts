import type { Diagnostic, ModelProfileCatalog, ToolCatalog } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { HarnessNode, HarnessSource } from '../harness-source.ts';
import { readBindings } from './read-bindings.ts';
import { findSnapshotFaults, isDiscoveryListing } from './read-snapshots.ts';
import { resolveProfile } from './resolve-profile.ts';
import { resolveTool } from './resolve-tool.ts';
import type { ResolvedHarness, ResolvedNode } from './resolved-harness.ts';

/** The world as the compiler sees it. */
export interface ResolveContext {
  /** The tools that may be named. */
  readonly catalog: ToolCatalog;
  /** The model profiles that may be named. */
  readonly profiles: ModelProfileCatalog;
}

/** A harness with what was found, and what was not; null when looking things up made no sense. */
export interface ResolveResult {
  /** The harness; unresolved names are null in it. */
  readonly resolved: ResolvedHarness | null;
  /** What was not found, or not found to be right. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Looks up every name of a harness: each catalog's identity once, then each name once, by exact id.
 *
 * A harness that binds one tool twice is answered without touching a catalog.
 */
export function resolveHarness(source: HarnessSource, context: ResolveContext): ResolveResult {
  const nodes = source.graph.nodes.toSorted((left, right) =>
    left.node_id < right.node_id ? -1 : 1,
  );
  const bindings = readBindings(nodes);
  if (bindings.diagnostics.length > 0) return stop(bindings.diagnostics);
  if (isDiscoveryListing(context.catalog)) {
    const fields = { catalog_role: 'tool_snapshot' };
    return stop([report.discoveryNotCatalog({ path: '/', fields })]);
  }
  const snapshotFaults = findSnapshotFaults(context.catalog, context.profiles);
  if (snapshotFaults.length > 0) return stop(snapshotFaults);

  const profile = resolveProfile(source.model_profile_id, context.profiles);
  const tools = bindings.references.map(({ node, reference }) => ({
    node,
    ...resolveTool(reference, node.node_id, context.catalog),
  }));
  const resolved = tools.map(({ node, tool }) => toResolvedNode(node, tool));
  return {
    resolved: { source, profile: profile.profile, nodes: resolved },
    diagnostics: [
      ...profile.diagnostics,
      ...tools.flatMap((tool) => tool.diagnostics),
      ...findRepeatedNames(resolved),
    ],
  };
}

function stop(diagnostics: readonly Diagnostic[]): ResolveResult {
  return { resolved: null, diagnostics };
}

function toResolvedNode(source: HarnessNode, tool: ResolvedNode['tool']): ResolvedNode {
  return { nodeId: source.node_id, source, tool };
}

function findRepeatedNames(nodes: readonly ResolvedNode[]): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const first = new Map<string, string>();
  for (const { nodeId, tool } of nodes) {
    if (tool === null) continue;
    const holder = first.get(tool.model_tool_name);
    if (holder === undefined) first.set(tool.model_tool_name, nodeId);
    else {
      found.push(
        report.duplicateModelToolName({
          path: '/',
          nodeId: holder,
          related: [nodeId],
          fields: { model_tool_name: tool.model_tool_name },
        }),
      );
    }
  }
  return found;
}

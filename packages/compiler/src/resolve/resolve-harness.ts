import {
  type Diagnostic,
  type ModelProfileCatalog,
  originOf,
  type ToolCatalog,
} from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { HarnessSource } from '../harness-source.ts';
import { type PlacedNode, readBindings } from './read-bindings.ts';
import { findSnapshotFaults, isDiscoveryListing } from './read-snapshots.ts';
import { resolveProfile } from './resolve-profile.ts';
import { resolveTool } from './resolve-tool.ts';
import type { ResolvedHarness, ResolvedNode } from './resolved-harness.ts';
import { toolHints } from './tool-hints.ts';

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
 * A harness of version 1.0 that binds one tool twice is answered without touching a catalog.
 */
export function resolveHarness(source: HarnessSource, context: ResolveContext): ResolveResult {
  const bindings = readBindings(placedNodes(source), source.schema_version);
  if (bindings.diagnostics.length > 0) return stop(bindings.diagnostics);
  if (isDiscoveryListing(context.catalog)) {
    const fields = { catalog_role: 'tool_snapshot' };
    const hint = 'Admit the discovered tools first, and compile against the admitted catalog.';
    return stop([report.discoveryNotCatalog({ path: '/', hint, fields })]);
  }
  const snapshotFaults = findSnapshotFaults(context.catalog, context.profiles);
  if (snapshotFaults.length > 0) return stop(snapshotFaults);

  const profile = resolveProfile(source.model_profile_id, context.profiles);
  const hints = toolHints(context.catalog);
  const catalog = askedOnce(context.catalog);
  const tools = bindings.references.map(({ node, reference }) => ({
    node,
    ...resolveTool(reference, node, {
      catalog,
      hints,
      version: source.schema_version,
    }),
  }));
  const resolved = tools.map(({ node, tool }) => ({ ...node, tool }));
  return {
    resolved: { source, profile: profile.profile, nodes: resolved },
    diagnostics: [
      ...profile.diagnostics,
      ...tools.flatMap((tool) => tool.diagnostics),
      ...findRepeatedNames(resolved, source.schema_version),
    ],
  };
}

function stop(diagnostics: readonly Diagnostic[]): ResolveResult {
  return { resolved: null, diagnostics };
}

/** Nodes sorted by id, each with its place in the written order. */
function placedNodes({ graph }: HarnessSource): readonly PlacedNode[] {
  return graph.nodes
    .map((source, index) => ({
      nodeId: source.node_id,
      path: `/graph/nodes/${index}`,
      source,
    }))
    .toSorted((left, right) => (left.nodeId < right.nodeId ? -1 : 1));
}

/** Several nodes may bind one tool; it is looked up for the first of them. */
function askedOnce(catalog: ToolCatalog): Pick<ToolCatalog, 'resolveExact'> {
  const answers = new Map<string, ReturnType<ToolCatalog['resolveExact']>>();
  return {
    resolveExact(toolId, toolVersion) {
      const key = `${toolId}@${toolVersion}`;
      const known = answers.get(key);
      if (known !== undefined) return known;
      const answer = catalog.resolveExact(toolId, toolVersion);
      answers.set(key, answer);
      return answer;
    },
  };
}

function findRepeatedNames(
  nodes: readonly ResolvedNode[],
  version: HarnessSource['schema_version'],
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const first = new Map<string, ResolvedNode>();
  for (const node of nodes) {
    const { nodeId, path, source, tool } = node;
    if (tool === null) continue;
    const name = source.model_tool_name ?? tool.model_tool_name;
    const holder = first.get(name);
    if (holder === undefined) first.set(name, node);
    else {
      const both = `${described(node)} and ${described(holder)} go by that name:`;
      const field = source.model_tool_name === undefined ? 'tool_ref' : 'model_tool_name';
      found.push(
        report.duplicateModelToolName({
          path: `${path}/${field}`,
          nodeId: holder.nodeId,
          related: [nodeId],
          hint:
            version === '1.0'
              ? `${both} bind a tool with another name here.`
              : `${both} give this node a model_tool_name of its own.`,
          fields: { model_tool_name: name },
        }),
      );
    }
  }
  return found;
}

/** A node and whose its tool is, as ids tell it: a catalog holds no tool under the id of another origin. */
function described({ nodeId, source }: ResolvedNode): string {
  return `'${nodeId}' (${originOf(source.tool_ref)} tool ${source.tool_ref})`;
}

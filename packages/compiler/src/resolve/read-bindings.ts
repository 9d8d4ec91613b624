import { type Diagnostic, parseToolReference } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { HarnessSource } from '../harness-source.ts';
import type { ResolvedNode } from './resolved-harness.ts';

/** An exact tool version. */
export type ToolReference = NonNullable<ReturnType<typeof parseToolReference>>;

/** A node before anything of it was looked up. */
export type PlacedNode = Omit<ResolvedNode, 'tool'>;

/** The tool that each node names, and nodes that name one twice. */
export interface Bindings {
  /** One per node with a right reference, in the order of the nodes. */
  readonly references: readonly {
    readonly node: PlacedNode;
    readonly reference: ToolReference;
  }[];
  /** References without form, and tools that are named twice. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the tool references of nodes sorted by id.
 *
 * In version 1.0 one tool version may be bound by one node only; later nodes tell each other apart by name.
 */
export function readBindings(
  nodes: readonly PlacedNode[],
  version: HarnessSource['schema_version'],
): Bindings {
  const references: { node: PlacedNode; reference: ToolReference }[] = [];
  const diagnostics: Diagnostic[] = [];
  const first = new Map<string, string>();
  for (const node of nodes) {
    const { tool_ref } = node.source;
    const reference = parseToolReference(tool_ref);
    const holder = first.get(tool_ref);
    const found = { path: `${node.path}/tool_ref`, fields: { tool_ref } };
    if (reference === null) {
      const hint = 'Write an exact version, such as docs.notes.search@3.';
      diagnostics.push(report.invalidToolReference({ ...found, nodeId: node.nodeId, hint }));
    } else if (holder !== undefined && version === '1.0') {
      const related = [node.nodeId];
      const hint = `Node '${holder}' has this tool already: bind another tool here, use that node, or write schema_version: "1.1" and a model_tool_name here.`;
      diagnostics.push(report.duplicateToolBinding({ ...found, nodeId: holder, related, hint }));
    } else {
      if (holder === undefined) first.set(tool_ref, node.nodeId);
      references.push({ node, reference });
    }
  }
  return { references, diagnostics };
}

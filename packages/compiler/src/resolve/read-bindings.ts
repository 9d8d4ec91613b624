import { type Diagnostic, parseToolReference } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { HarnessNode } from '../harness-source.ts';

/** An exact tool version. */
export type ToolReference = NonNullable<ReturnType<typeof parseToolReference>>;

/** The tool that each node names, and nodes that name one twice. */
export interface Bindings {
  /** One per node with a right reference, in the order of the nodes. */
  readonly references: readonly { readonly node: HarnessNode; readonly reference: ToolReference }[];
  /** References without form, and tools that are named twice. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the tool references of nodes sorted by id; one tool version may be bound by one node only. */
export function readBindings(nodes: readonly HarnessNode[]): Bindings {
  const references: { node: HarnessNode; reference: ToolReference }[] = [];
  const diagnostics: Diagnostic[] = [];
  const first = new Map<string, string>();
  for (const node of nodes) {
    const reference = parseToolReference(node.tool_ref);
    const holder = first.get(node.tool_ref);
    const fields = { tool_ref: node.tool_ref };
    if (reference === null) {
      diagnostics.push(report.invalidToolReference({ path: '/', nodeId: node.node_id, fields }));
    } else if (holder !== undefined) {
      const related = [node.node_id];
      diagnostics.push(report.duplicateToolBinding({ path: '/', nodeId: holder, related, fields }));
    } else {
      first.set(node.tool_ref, node.node_id);
      references.push({ node, reference });
    }
  }
  return { references, diagnostics };
}

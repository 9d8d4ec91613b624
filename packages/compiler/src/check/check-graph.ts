import type { Diagnostic } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import { ancestorsOf, type HarnessGraph } from './harness-graph.ts';

/** Checks that prerequisites make sense and that every node can come to run. */
export function checkGraph(harness: ResolvedHarness, graph: HarnessGraph): readonly Diagnostic[] {
  return [...checkEdges(graph), ...checkCycles(graph), ...checkReachability(harness, graph)];
}

function checkEdges(graph: HarnessGraph): readonly Diagnostic[] {
  return [
    ...graph.unknown.map(({ node, prerequisite }) =>
      report.unknownPrerequisite({ path: '/', nodeId: node, fields: { prerequisite } }),
    ),
    ...graph.self.map(({ node }) => report.selfPrerequisite({ path: '/', nodeId: node })),
    ...graph.duplicate.map(({ node, prerequisite }) =>
      report.duplicatePrerequisite({ path: '/', nodeId: node, fields: { prerequisite } }),
    ),
    ...graph.toTerminal.map(({ node, prerequisite }) =>
      report.terminalPrerequisite({
        path: '/',
        nodeId: node,
        related: [prerequisite],
        fields: { prerequisite },
      }),
    ),
  ];
}

function checkCycles(graph: HarnessGraph): readonly Diagnostic[] {
  return graph.cycles.map(([first = '', ...rest]) =>
    report.prerequisiteCycle({
      path: '/',
      nodeId: first,
      related: rest,
      fields: { members: [first, ...rest].join(', ') },
    }),
  );
}

function checkReachability(harness: ResolvedHarness, graph: HarnessGraph): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const inCycle = new Set(graph.cycles.flat());
  const required = harness.nodes.filter((node) => node.source.required).map((node) => node.nodeId);
  for (const node of harness.nodes) {
    const { nodeId } = node;
    // Each of these was reported by itself; more about the same node would be noise.
    if (inCycle.has(nodeId) || graph.blocked.has(nodeId)) continue;
    if (graph.ownersOfInvalidEdges.has(nodeId)) continue;
    const diagnostic = graph.satisfiable.has(nodeId)
      ? checkGate(node, required, graph)
      : unreachable(node);
    if (diagnostic !== null) found.push(diagnostic);
  }
  return found;
}

function unreachable({ nodeId, source }: ResolvedNode): Diagnostic {
  const found = { path: '/', nodeId };
  if (source.terminal_result !== null) return report.unreachableTerminal(found);
  return source.required ? report.unreachableRequiredNode(found) : report.unreachableNode(found);
}

/** Every required node must come before every terminal, or a run could end without it. */
function checkGate(
  { nodeId, source }: ResolvedNode,
  required: readonly string[],
  graph: HarnessGraph,
): Diagnostic | null {
  if (source.terminal_result === null || source.required || required.length === 0) return null;
  const ancestors = ancestorsOf(graph, nodeId);
  const related = required.filter((id) => !ancestors.has(id));
  if (related.length === 0 || !related.every((id) => graph.satisfiable.has(id))) return null;
  return report.ungatedTerminal({ path: '/', nodeId, related });
}

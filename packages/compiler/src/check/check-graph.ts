import { report } from '../diagnostics.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import type { Finding } from '../read/word-findings.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import { type HarnessGraph, writtenPrerequisites } from './harness-graph.ts';

/** Checks that prerequisites make sense and that every node can come to run. */
export function checkGraph(harness: ResolvedHarness, graph: HarnessGraph): readonly Finding[] {
  return [
    ...checkEdges(harness, graph),
    ...checkCycles(harness, graph),
    ...checkReachability(harness, graph),
  ];
}

function checkEdges(harness: ResolvedHarness, graph: HarnessGraph): readonly Finding[] {
  const possible = harness.nodes.filter(({ source }) => source.terminal_result === null);
  const nearest = nearestName(possible.map(({ nodeId }) => nodeId));
  return [
    ...graph.unknown.map(({ node, path, prerequisite }): Finding => {
      const word: Finding['word'] = (place) => {
        const found = nearest(prerequisite);
        const hint =
          found === null || found === node
            ? `Add a node '${prerequisite}', or name one that exists.`
            : didYouMean(found);
        const about = { ...place, nodeId: node, hint };
        return report.unknownPrerequisite({ ...about, fields: { prerequisite } });
      };
      return { path, word };
    }),
    ...graph.self.map(
      ({ node, path }): Finding => ({
        path,
        word: (place) =>
          report.selfPrerequisite({ ...place, nodeId: node, hint: 'Remove this prerequisite.' }),
      }),
    ),
    ...graph.duplicate.map(
      ({ node, path, prerequisite }): Finding => ({
        path,
        word: (place) =>
          report.duplicatePrerequisite({
            ...place,
            nodeId: node,
            hint: 'Keep one of them; it can hold all argument_matches.',
            fields: { prerequisite },
          }),
      }),
    ),
    ...graph.toTerminal.map(
      ({ node, path, prerequisite }): Finding => ({
        path,
        word: (place) =>
          report.terminalPrerequisite({
            ...place,
            nodeId: node,
            related: [prerequisite],
            hint: 'A terminal ends the run, so nothing comes after it: name a node that comes before.',
            fields: { prerequisite },
          }),
      }),
    ),
  ];
}

function checkCycles({ nodes }: ResolvedHarness, graph: HarnessGraph): readonly Finding[] {
  const nodesById = new Map(nodes.map((node) => [node.nodeId, node]));
  return graph.cycles.map((members): Finding => {
    const [first = '', ...rest] = members;
    const group = new Set(members);
    const node = nodesById.get(first);
    const written = node === undefined ? [] : writtenPrerequisites(node);
    const edge = written.find((prerequisite) => group.has(prerequisite.node_id));
    const next = edge?.node_id ?? first;
    return {
      path: edge?.path ?? '/graph/nodes',
      word: (place) =>
        report.prerequisiteCycle({
          ...place,
          nodeId: first,
          related: rest,
          hint: `Each of them waits for another one: remove a prerequisite, such as the one of '${first}' on '${next}'.`,
          fields: { members: [first, ...rest].join(', ') },
        }),
    };
  });
}

function checkReachability(harness: ResolvedHarness, graph: HarnessGraph): readonly Finding[] {
  const found: Finding[] = [];
  const inCycle = new Set(graph.cycles.flat());
  for (const node of harness.nodes) {
    const { nodeId } = node;
    // Each of these was reported by itself; more about the same node would be noise.
    if (inCycle.has(nodeId) || graph.blocked.has(nodeId)) continue;
    if (graph.ownersOfInvalidEdges.has(nodeId)) continue;
    const finding = graph.satisfiable.has(nodeId)
      ? checkGate(node, harness.nodes, graph)
      : unreachable(node, graph);
    if (finding !== null) found.push(finding);
  }
  return found;
}

function unreachable({ nodeId, path, source }: ResolvedNode, graph: HarnessGraph): Finding {
  const word: Finding['word'] = (place) => {
    const before = graph.prerequisitesOf.get(nodeId) ?? [];
    const blocking = before.filter((id) => !graph.satisfiable.has(id));
    const hint = `It waits for ${quoted(blocking)}, which can never run: mend that first, or remove the prerequisite.`;
    const found = { ...place, nodeId, hint };
    if (source.terminal_result !== null) return report.unreachableTerminal(found);
    return source.required ? report.unreachableRequiredNode(found) : report.unreachableNode(found);
  };
  return { path, word };
}

/** Nodes that must have succeeded before a run may end with that result, sorted. */
export function requiredBefore(result: string, nodes: readonly ResolvedNode[]): readonly string[] {
  return nodes
    .filter(({ source }) => source.required || source.required_for?.includes(result) === true)
    .map(({ nodeId }) => nodeId);
}

/** Every required node must come before every terminal, or a run could end without it. */
function checkGate(
  { nodeId, path, source }: ResolvedNode,
  nodes: readonly ResolvedNode[],
  graph: HarnessGraph,
): Finding | null {
  if (source.terminal_result === null || source.required) return null;
  const required = requiredBefore(source.terminal_result, nodes);
  const related = required.filter((id) => !graph.dominates(id, nodeId));
  if (related.length === 0 || !related.every((id) => graph.satisfiable.has(id))) return null;
  const hint = `Add a prerequisite on ${quoted(related)}, here or at a node that comes before this one.`;
  return {
    path: `${path}/prerequisites`,
    word: (place) => report.ungatedTerminal({ ...place, nodeId, related, hint }),
  };
}

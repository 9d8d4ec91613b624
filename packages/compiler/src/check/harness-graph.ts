import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import { findCycles } from './find-cycles.ts';

/** One prerequisite: `node` needs `prerequisite` first. */
export interface PrerequisiteEdge {
  /** The later node. */
  readonly node: string;
  /** The earlier node, or a name that no node has. */
  readonly prerequisite: string;
  /** Pointer to where it is written; for a repeated one, to the repetition. */
  readonly path: string;
}

/** The prerequisites of a harness, sorted out. All lists are sorted by id. */
export interface HarnessGraph {
  /** Edges to names that no node has. */
  readonly unknown: readonly PrerequisiteEdge[];
  /** Edges from a node to itself. */
  readonly self: readonly PrerequisiteEdge[];
  /** Edges that are written more than once. */
  readonly duplicate: readonly PrerequisiteEdge[];
  /** Edges to terminal nodes, which end a run and so precede nothing. */
  readonly toTerminal: readonly PrerequisiteEdge[];
  /** Nodes with an edge of any of the kinds above. */
  readonly ownersOfInvalidEdges: ReadonlySet<string>;
  /** For each node the prerequisites that are none of the kinds above. */
  readonly prerequisitesOf: ReadonlyMap<string, readonly string[]>;
  /** Groups of nodes that need each other, each sorted. */
  readonly cycles: readonly (readonly string[])[];
  /** Nodes that can come to run: everything before them can. */
  readonly satisfiable: ReadonlySet<string>;
  /** Nodes without a resolved tool, and everything that needs them. */
  readonly blocked: ReadonlySet<string>;
}

/** Sorts out the prerequisites of a harness. Every walk uses a worklist: a chain of 512 nodes is legal. */
export function toHarnessGraph({ nodes }: ResolvedHarness): HarnessGraph {
  const terminal = new Set<string>();
  const known = new Set<string>();
  for (const node of nodes) {
    known.add(node.nodeId);
    if (node.source.terminal_result !== null) terminal.add(node.nodeId);
  }

  const unknown: PrerequisiteEdge[] = [];
  const self: PrerequisiteEdge[] = [];
  const duplicate: PrerequisiteEdge[] = [];
  const toTerminal: PrerequisiteEdge[] = [];
  const prerequisitesOf = new Map<string, readonly string[]>();
  for (const node of nodes) {
    const { nodeId } = node;
    const written = node.source.prerequisites.map((prerequisite) => prerequisite.node_id);
    const valid: string[] = [];
    for (const prerequisite of [...new Set(written)].toSorted()) {
      const [first = 0, repetition] = written.flatMap((id, at) =>
        id === prerequisite ? [at] : [],
      );
      const edge = { node: nodeId, prerequisite, path: prerequisitePath(node, first) };
      const isKnown = known.has(prerequisite);
      const isSelf = prerequisite === nodeId;
      const isTerminal = terminal.has(prerequisite);
      if (!isKnown) unknown.push(edge);
      if (isSelf) self.push(edge);
      if (repetition !== undefined) {
        duplicate.push({ ...edge, path: prerequisitePath(node, repetition) });
      }
      if (isTerminal) toTerminal.push(edge);
      const isValid = isKnown && !isSelf && !isTerminal && repetition === undefined;
      if (isValid) valid.push(prerequisite);
    }
    prerequisitesOf.set(nodeId, valid);
  }

  const invalid = [unknown, self, duplicate, toTerminal].flat();
  const ownersOfInvalidEdges = new Set(invalid.map((edge) => edge.node));
  const dependentsOf = reverse(prerequisitesOf);
  const unresolved = nodes.filter((node) => node.tool === null).map((node) => node.nodeId);
  return {
    unknown,
    self,
    duplicate,
    toTerminal,
    ownersOfInvalidEdges,
    prerequisitesOf,
    cycles: findCycles(prerequisitesOf),
    satisfiable: findSatisfiable(prerequisitesOf, dependentsOf, ownersOfInvalidEdges),
    blocked: reach(unresolved, dependentsOf),
  };
}

/** Pointer to one of the prerequisites of a node, by the order in which they were written. */
export function prerequisitePath(node: Pick<ResolvedNode, 'path'>, index: number): string {
  return `${node.path}/prerequisites/${index}`;
}

/** Everything that must have happened before a node, without the node itself. */
export function ancestorsOf(graph: HarnessGraph, nodeId: string): ReadonlySet<string> {
  return reach(graph.prerequisitesOf.get(nodeId) ?? [], graph.prerequisitesOf);
}

type Adjacency = ReadonlyMap<string, readonly string[]>;

function reverse(edges: Adjacency): Adjacency {
  const reversed = new Map<string, string[]>();
  for (const [from, targets] of edges) {
    for (const to of targets) {
      const sources = reversed.get(to);
      if (sources === undefined) reversed.set(to, [from]);
      else sources.push(from);
    }
  }
  return reversed;
}

function reach(starts: readonly string[], edges: Adjacency): ReadonlySet<string> {
  const reached = new Set(starts);
  const pending = [...starts];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const neighbour of edges.get(next) ?? []) {
      if (reached.has(neighbour)) continue;
      reached.add(neighbour);
      pending.push(neighbour);
    }
  }
  return reached;
}

/** A node joins when its last open prerequisite has joined; cycles therefore never do. */
function findSatisfiable(
  prerequisitesOf: Adjacency,
  dependentsOf: Adjacency,
  excluded: ReadonlySet<string>,
): ReadonlySet<string> {
  const open = new Map<string, number>();
  const pending: string[] = [];
  for (const [node, prerequisites] of prerequisitesOf) {
    open.set(node, prerequisites.length);
    if (prerequisites.length === 0 && !excluded.has(node)) pending.push(node);
  }
  const satisfiable = new Set<string>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    satisfiable.add(next);
    for (const dependent of dependentsOf.get(next) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1;
      open.set(dependent, left);
      if (left === 0 && !excluded.has(dependent)) pending.push(dependent);
    }
  }
  return satisfiable;
}

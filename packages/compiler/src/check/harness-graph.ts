import type { HarnessPrerequisite } from '../harness-source.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import { findCycles } from './find-cycles.ts';
import { type Dominates, findDominators, type Requirements } from './find-dominators.ts';

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
  /** For each node the prerequisites that are none of the kinds above, alternatives included. */
  readonly prerequisitesOf: ReadonlyMap<string, readonly string[]>;
  /** Which nodes no way to a node can avoid. */
  readonly dominates: Dominates;
  /** Groups of nodes that need each other, each sorted. */
  readonly cycles: readonly (readonly string[])[];
  /** Nodes that can come to run: everything before them can, and of alternatives one. */
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
  const requirementsOf = new Map<string, readonly (readonly string[])[]>();
  for (const node of nodes) {
    const { nodeId } = node;
    const written = writtenPrerequisites(node);
    const valid: string[] = [];
    const writtenById = new Map<string, WrittenPrerequisite[]>();
    for (const item of written) {
      const same = writtenById.get(item.node_id);
      if (same === undefined) writtenById.set(item.node_id, [item]);
      else same.push(item);
    }
    for (const prerequisite of [...writtenById.keys()].toSorted()) {
      const [first, repetition] = writtenById.get(prerequisite) ?? [];
      const edge = { node: nodeId, prerequisite, path: first?.path ?? node.path };
      const isKnown = known.has(prerequisite);
      const isSelf = prerequisite === nodeId;
      const isTerminal = terminal.has(prerequisite);
      if (!isKnown) unknown.push(edge);
      if (isSelf) self.push(edge);
      if (repetition !== undefined) {
        duplicate.push({ ...edge, path: repetition.path });
      }
      if (isTerminal) toTerminal.push(edge);
      const isValid = isKnown && !isSelf && !isTerminal && repetition === undefined;
      if (isValid) valid.push(prerequisite);
    }
    prerequisitesOf.set(nodeId, valid);
    requirementsOf.set(nodeId, toRequirements(written, new Set(valid)));
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
    dominates: findDominators(requirementsOf),
    cycles: findCycles(prerequisitesOf),
    satisfiable: findSatisfiable(requirementsOf, dependentsOf, ownersOfInvalidEdges),
    blocked: reach(unresolved, dependentsOf),
  };
}

/** A prerequisite and where it is written; alternatives of one another share a requirement. */
export interface WrittenPrerequisite extends HarnessPrerequisite {
  /** Pointer to it. */
  readonly path: string;
  /** Place in the node's list of prerequisites. */
  readonly requirement: number;
}

/** The prerequisites of a node one by one, in the order in which they were written. */
export function writtenPrerequisites({
  path,
  source,
}: Pick<ResolvedNode, 'path' | 'source'>): readonly WrittenPrerequisite[] {
  const written: WrittenPrerequisite[] = [];
  source.prerequisites.forEach((item, requirement) => {
    const at = `${path}/prerequisites/${requirement}`;
    if ('any_of' in item) {
      item.any_of.forEach(({ node_id, argument_matches }, index) => {
        const place = { path: `${at}/any_of/${index}`, requirement };
        written.push({ node_id, argument_matches, ...place });
      });
    } else {
      const { node_id, argument_matches } = item;
      written.push({ node_id, argument_matches, path: at, requirement });
    }
  });
  return written;
}

function toRequirements(
  written: readonly WrittenPrerequisite[],
  valid: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const groups = new Map<number, string[]>();
  for (const { node_id, requirement } of written) {
    if (!valid.has(node_id)) continue;
    const group = groups.get(requirement);
    if (group === undefined) groups.set(requirement, [node_id]);
    else group.push(node_id);
  }
  return [...groups.values()];
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

/** A node joins when its last open requirement is met; cycles without a way around never are. */
function findSatisfiable(
  requirementsOf: Requirements,
  dependentsOf: Adjacency,
  excluded: ReadonlySet<string>,
): ReadonlySet<string> {
  const open = new Map<string, Set<readonly string[]>>();
  const pending: string[] = [];
  for (const [node, requirements] of requirementsOf) {
    open.set(node, new Set(requirements));
    if (requirements.length === 0 && !excluded.has(node)) pending.push(node);
  }
  const satisfiable = new Set<string>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    satisfiable.add(next);
    for (const dependent of dependentsOf.get(next) ?? []) {
      const left = open.get(dependent);
      const met = requirementsOf.get(dependent)?.find((group) => group.includes(next ?? ''));
      // A second alternative has nothing left to meet.
      if (left === undefined || met === undefined || !left.delete(met)) continue;
      if (left.size === 0 && !excluded.has(dependent)) pending.push(dependent);
    }
  }
  return satisfiable;
}

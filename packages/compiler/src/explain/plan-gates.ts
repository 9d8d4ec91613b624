import type { CompiledHarnessPlan, PlanNode, PlanPrerequisite } from '@millforge/contracts';

/** What a plan lets come before what. */
export interface PlanGates {
  /** Nodes that have certainly succeeded when this one is called, without itself, sorted. */
  readonly before: (nodeId: string) => readonly string[];
  /** Nodes that must have succeeded before a terminal is accepted, and all that comes before them, sorted. */
  readonly beforeEnd: (terminal: PlanNode) => readonly string[];
  /** What all terminals with this result come after, sorted. */
  readonly beforeResult: (result: string) => readonly string[];
}

/** Works out what every path to a node has in common; of alternatives only what all of them share counts. */
export function planGates(plan: CompiledHarnessPlan): PlanGates {
  const dominators = findDominators(plan.nodes);
  const before = (nodeId: string) =>
    [...(dominators.get(nodeId) ?? [])].filter((id) => id !== nodeId).toSorted();
  const known = new Map<string, readonly string[]>();
  const beforeEnd = ({ node_id: nodeId, terminal_result: result }: PlanNode) => {
    const found = new Set(before(nodeId));
    for (const node of plan.nodes) {
      if (result === null || !isRequiredFor(node, result)) continue;
      for (const id of dominators.get(node.node_id) ?? [node.node_id]) found.add(id);
    }
    return [...found].toSorted();
  };
  return {
    before,
    beforeEnd,
    beforeResult: (result) => {
      const answer = known.get(result);
      if (answer !== undefined) return answer;
      const terminals = plan.nodes.filter((node) => node.terminal_result === result);
      const [first = [], ...others] = terminals.map((node) => new Set(beforeEnd(node)));
      const sorted = [...first].filter((id) => others.every((other) => other.has(id)));
      known.set(result, sorted);
      return sorted;
    },
  };
}

/** Whether a node must have succeeded before a result is accepted. */
export function isRequiredFor(node: PlanNode, result: string): boolean {
  return node.required || (node.required_for ?? []).includes(result);
}

/** What must have succeeded before a node, each as its alternatives; a plain prerequisite is its only one. */
export function waysInto(node: PlanNode): readonly (readonly PlanPrerequisite[])[] {
  return node.prerequisites.map((item) => ('any_of' in item ? item.any_of : [item]));
}

/** Every node after all that it may wait for; a circle, which no compiler makes, keeps what is known. */
function findDominators(nodes: readonly PlanNode[]): ReadonlyMap<string, ReadonlySet<string>> {
  const dominators = new Map<string, ReadonlySet<string>>();
  const dependents = new Map<string, PlanNode[]>();
  const open = new Map<string, number>();
  const ready: PlanNode[] = [];
  for (const node of nodes) {
    const targets = new Set(waysInto(node).flatMap((way) => way.map(({ node_id }) => node_id)));
    open.set(node.node_id, targets.size);
    if (targets.size === 0) ready.push(node);
    for (const target of targets) {
      dependents.set(target, [...(dependents.get(target) ?? []), node]);
    }
  }
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    dominators.set(node.node_id, dominatorsOf(node, dominators));
    for (const dependent of dependents.get(node.node_id) ?? []) {
      const left = (open.get(dependent.node_id) ?? 0) - 1;
      open.set(dependent.node_id, left);
      if (left === 0) ready.push(dependent);
    }
  }
  return dominators;
}

function dominatorsOf(
  node: PlanNode,
  known: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const found = new Set([node.node_id]);
  for (const way of waysInto(node)) {
    const [first, ...others] = way.map(({ node_id }) => known.get(node_id) ?? new Set([node_id]));
    for (const id of first ?? []) if (others.every((other) => other.has(id))) found.add(id);
  }
  return found;
}

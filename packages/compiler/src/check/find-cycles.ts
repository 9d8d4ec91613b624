/** Finds groups of two and more nodes that reach each other; members and groups come sorted. */
export function findCycles(
  edges: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const state: Search = { visited: new Map(), lowest: new Map(), open: [], isOpen: new Set() };
  for (const root of edges.keys()) {
    if (!state.visited.has(root)) searchFrom(root, edges, { ...state, cycles });
  }
  return cycles.toSorted(([left = ''], [right = '']) => (left < right ? -1 : 1));
}

interface Search {
  /** Order in which nodes were met. */
  readonly visited: Map<string, number>;
  /** The earliest open node that each node reaches. */
  readonly lowest: Map<string, number>;
  /** Nodes whose group is not settled. */
  readonly open: string[];
  readonly isOpen: Set<string>;
}

interface Frame {
  readonly node: string;
  next: number;
}

/** Tarjan's search with its own stack, since a legal chain may be longer than the call stack allows. */
function searchFrom(
  root: string,
  edges: ReadonlyMap<string, readonly string[]>,
  search: Search & { readonly cycles: string[][] },
): void {
  const frames: Frame[] = [enter(root, search)];
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const neighbour = edges.get(frame.node)?.[frame.next];
    if (neighbour !== undefined) {
      frame.next += 1;
      if (!search.visited.has(neighbour)) frames.push(enter(neighbour, search));
      else if (search.isOpen.has(neighbour))
        lower(frame.node, search.visited.get(neighbour), search);
      continue;
    }
    frames.pop();
    const parent = frames.at(-1);
    if (parent !== undefined) lower(parent.node, search.lowest.get(frame.node), search);
    if (search.lowest.get(frame.node) === search.visited.get(frame.node))
      settle(frame.node, search);
  }
}

function enter(node: string, search: Search): Frame {
  search.lowest.set(node, search.visited.size);
  search.visited.set(node, search.visited.size);
  search.open.push(node);
  search.isOpen.add(node);
  return { node, next: 0 };
}

function lower(node: string, to: number | undefined, { lowest }: Search): void {
  const own = lowest.get(node);
  if (own !== undefined && to !== undefined && to < own) lowest.set(node, to);
}

function settle(node: string, search: Search & { readonly cycles: string[][] }): void {
  const group = search.open.splice(search.open.lastIndexOf(node));
  for (const member of group) search.isOpen.delete(member);
  if (group.length > 1) search.cycles.push(group.toSorted());
}

/** What each node waits for: every requirement, and of each requirement one of its nodes. */
export type Requirements = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Whether `earlier` has run in every order in which `node` can run; a node has itself. */
export type Dominates = (earlier: string, node: string) => boolean;

/**
 * Finds out which nodes no order of running can avoid.
 *
 * Behind a node stands all that stands behind each requirement, and of alternatives what stands behind
 * all of them. Nodes in a cycle and those that wait for them alone never run and have nothing behind them.
 */
export function findDominators(requirementsOf: Requirements): Dominates {
  const numbers = new Map([...requirementsOf.keys()].map((node, index) => [node, index]));
  const words = Math.ceil(numbers.size / WORD);
  const sets = new Map<string, Uint32Array>();
  for (const node of inOrder(requirementsOf)) {
    const own = new Uint32Array(words);
    for (const alternatives of requirementsOf.get(node) ?? []) {
      addShared(
        own,
        alternatives.flatMap((id) => sets.get(id) ?? []),
      );
    }
    addBit(own, numbers.get(node) ?? 0);
    sets.set(node, own);
  }
  return (earlier, node) => {
    const number = numbers.get(earlier);
    const word = sets.get(node)?.[Math.floor((number ?? 0) / WORD)];
    return number !== undefined && word !== undefined && ((word >>> (number % WORD)) & 1) === 1;
  };
}

const WORD = 32;

function addBit(set: Uint32Array, number: number): void {
  const place = Math.floor(number / WORD);
  set[place] = (set[place] ?? 0) | (1 << (number % WORD));
}

/** Adds what all sets share. */
function addShared(own: Uint32Array, [first, ...others]: readonly Uint32Array[]): void {
  first?.forEach((word, place) => {
    const shared = others.reduce((bits, other) => bits & (other[place] ?? 0), word);
    own[place] = (own[place] ?? 0) | shared;
  });
}

/** Every node behind all that it may wait for; a worklist, since a chain of 512 nodes is legal. */
function inOrder(requirementsOf: Requirements): readonly string[] {
  const dependentsOf = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [node, requirements] of requirementsOf) {
    const earlier = new Set(requirements.flat());
    open.set(node, earlier.size);
    for (const id of earlier) {
      const dependents = dependentsOf.get(id);
      if (dependents === undefined) dependentsOf.set(id, [node]);
      else dependents.push(node);
    }
  }
  const order = [...requirementsOf.keys()].filter((node) => open.get(node) === 0);
  for (const node of order) {
    for (const dependent of dependentsOf.get(node) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1;
      open.set(dependent, left);
      if (left === 0) order.push(dependent);
    }
  }
  return order;
}

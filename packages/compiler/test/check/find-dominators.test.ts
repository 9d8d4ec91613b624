import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findDominators } from '../../src/check/find-dominators.ts';

const SIZE = 6;

/** An acyclic graph: requirements of a node name nodes with smaller numbers, one or several of each. */
function graphs(alternatives: number) {
  const requirement = fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: alternatives });
  return fc
    .array(fc.array(requirement, { maxLength: 3 }), { minLength: SIZE, maxLength: SIZE })
    .map(
      (rows) =>
        new Map(
          rows.map((row, node) => [
            `n${node}`,
            node === 0 ? [] : row.map((group) => [...new Set(group.map((id) => `n${id % node}`))]),
          ]),
        ),
    );
}

type Graph = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Every set of nodes that some order of running leads to; brute force, 64 sets at most. */
function reachableSets(graph: Graph): readonly ReadonlySet<string>[] {
  const found = new Map<string, ReadonlySet<string>>([['', new Set()]]);
  for (const done of found.values()) {
    for (const [node, requirements] of graph) {
      const mayRun = requirements.every((group) => group.some((id) => done.has(id)));
      if (!mayRun || done.has(node)) continue;
      const next = new Set([...done, node]);
      found.set([...next].toSorted().join(), next);
    }
  }
  return [...found.values()];
}

test('a node dominates another exactly when no order of running avoids it', () => {
  fc.assert(
    fc.property(graphs(3), (graph) => {
      const dominates = findDominators(graph);
      const sets = reachableSets(graph);
      for (const earlier of graph.keys()) {
        for (const node of graph.keys()) {
          const isAvoided = sets.some((done) => done.has(node) && !done.has(earlier));
          expect(dominates(earlier, node)).toBe(!isAvoided);
        }
      }
    }),
  );
});

test('without alternatives the nodes that dominate are the node and its ancestors', () => {
  fc.assert(
    fc.property(graphs(1), (graph) => {
      const dominates = findDominators(graph);
      for (const node of graph.keys()) {
        const before = new Set([node]);
        for (const id of before)
          for (const [earlier] of graph.get(id) ?? []) before.add(earlier ?? '');
        expect([...graph.keys()].filter((id) => dominates(id, node))).toEqual(
          [...before].toSorted(),
        );
      }
    }),
  );
});

test('a cycle has nothing behind it, and a chain of 2,000 nodes is no trouble', () => {
  const cycle = findDominators(
    new Map([
      ['a', [['b']]],
      ['b', [['a']]],
      ['c', [['a']]],
    ]),
  );
  expect(cycle('a', 'c')).toBe(false);
  const chain = Array.from({ length: 2000 }, (_, index): [string, string[][]] => [
    `n${index}`,
    index === 0 ? [] : [[`n${index - 1}`]],
  ]);
  expect(findDominators(new Map(chain))('n0', 'n1999')).toBe(true);
});

import { compileHarness } from '@millforge/compiler';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFixture } from './support/fixtures.ts';
import { graphOf, inputFor, needs } from './support/harness.ts';

const ticket = readFixture('ticket-review');
const review11 = readFixture('review-v11');
const LISTS_WITHOUT_ORDER = new Set([
  'stage_kind_ids',
  'prerequisites',
  'produces',
  'declared_artifact_ids',
  'REVIEW_DONE',
  'any_of',
  'required_for',
  'hosts',
]);

/** The same document with keys, and items of lists without order, in another order. */
function shuffled(value: JsonValue, random: () => number, key = ''): JsonValue {
  const order = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, rank: random() }))
      .toSorted((left, right) => left.rank - right.rank)
      .map(({ item }) => item);
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffled(item, random));
    return LISTS_WITHOUT_ORDER.has(key) ? order(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    order(Object.entries(value)).map(([name, child]) => [name, shuffled(child, random, name)]),
  );
}

test.each([
  ['1.0', ticket],
  ['1.1', review11],
])('gives the same bytes in whatever order a source of version %s is written', (_, fixture) => {
  const reference = compileHarness(fixture.source, fixture.input);
  if (!reference.ok) throw new Error('not compiled');
  let document: JsonObject = {};
  compileHarness(fixture.source, {
    ...fixture.input,
    onPhase: ({ name, print }) => {
      if (name === 'parse') document = JSON.parse(print());
    },
  });
  const { logicalPath: _path, ...request } = fixture.input.request;
  fc.assert(
    fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (stream) => {
      const random = () => stream.next().value ?? 0;
      const source = JSON.stringify(shuffled(document, random));
      const result = compileHarness(source, { ...fixture.input, request });
      expect(result).toMatchObject({ ok: true, bytes: reference.bytes });
    }),
    { numRuns: 50 },
  );
});

test('never throws, whatever it is given, and always says why', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.uint8Array()), (source) => {
      const result = compileHarness(source, ticket.input);
      expect(result.ok).toBe(false);
      expect(result.diagnostics.length).toBeGreaterThan(0);
    }),
  );
});

test('accepts exactly the graphs in which every required node comes before every terminal', () => {
  const edges = fc.uniqueArray(fc.tuple(fc.nat(6), fc.nat(6)), {
    selector: ([from, to]) => `${from} ${to}`,
    maxLength: 14,
  });
  const required = fc.uniqueArray(fc.nat(6), { maxLength: 2 });
  fc.assert(
    fc.property(edges, required, (pairs, requiredNodes) => {
      const before = (node: number) => pairs.filter(([from]) => from === node).map(([, to]) => to);
      const nodes = Object.fromEntries(
        Array.from({ length: 7 }, (_, index) => [
          `n${index}`,
          {
            ...needs(...before(index).map((id) => `n${id}`)),
            required: requiredNodes.includes(index),
          },
        ]),
      );
      const source = graphOf({ ...nodes, x: { terminal_result: 'DONE', ...needs('n0') } });
      expect(compileHarness(source, inputFor(source)).ok).toBe(isLegal(before, requiredNodes));
    }),
  );
});

/** Judged by walking all ways backwards, at most seven steps long. */
function isLegal(
  before: (node: number) => readonly number[],
  required: readonly number[],
): boolean {
  const ancestors = (node: number) => {
    const reached = new Set(before(node));
    for (let step = 0; step < 7; step++)
      for (const id of reached) for (const to of before(id)) reached.add(to);
    return reached;
  };
  const isAcyclic = [0, 1, 2, 3, 4, 5, 6].every((node) => !ancestors(node).has(node));
  const beforeTerminal = new Set([0, ...ancestors(0)]);
  return isAcyclic && required.every((node) => beforeTerminal.has(node));
}

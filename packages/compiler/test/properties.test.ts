import { compileHarness } from '@millforge/compiler';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeYaml } from '../../source/test/support/write-yaml.ts';
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
])(
  'gives the same bytes however and wherever a source of version %s is written',
  { tags: ['slow'] },
  (_, fixture) => {
    const reference = compileHarness(fixture.source, fixture.input);
    if (!reference.ok) throw new Error('not compiled');
    let document: JsonObject = {};
    compileHarness(fixture.source, {
      ...fixture.input,
      onPhase: ({ name, print }) => {
        if (name === 'parse') document = JSON.parse(print());
      },
    });
    const logicalPath = fc.constantFrom('a', 'b/c', 'é/🙂/deep/er');
    const notation = fc.constantFrom('yaml', 'json', 'object');
    const mark = fc.constantFrom('', '\ufeff');
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const layout = fc.tuple(logicalPath, notation, mark, lineEnd, fc.boolean());
    const seen = new Set<string>();
    fc.assert(
      fc.property(layout, fc.infiniteStream(fc.nat()), (chosen, stream) => {
        const [path, form, start, end, isBytes] = chosen;
        const random = () => (Number(stream.next().value) % 1000) / 1000;
        const choose = (count: number) => Number(stream.next().value) % count;
        const other = shuffled(document, random);
        if (!isObject(other)) throw new Error('not an object');
        const text =
          form === 'yaml' ? writeYaml(other, choose) : JSON.stringify(other, null, choose(3));
        const marked = `${start}${text.replaceAll('\n', end)}`;
        const source = isBytes ? new TextEncoder().encode(marked) : marked;
        const { format: _format, ...asked } = fixture.input.request;
        const result = compileHarness(form === 'object' ? other : source, {
          ...fixture.input,
          request: {
            ...asked,
            logicalPath: path,
            ...(form === 'object' ? {} : { format: form }),
          },
        });
        expect(result).toMatchObject({ ok: true, bytes: reference.bytes });
        seen.add(form);
      }),
      { numRuns: 40 },
    );
    expect(seen).toEqual(new Set(['yaml', 'json', 'object']));
  },
);

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

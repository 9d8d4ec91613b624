import { compileHarness } from '@millforge/compiler';
import type { JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { graphOf, inputFor, needs } from './support/harness.ts';

/** What each node of a shape needs, by its number. */
const BEFORE = {
  chain: (at: number) => (at === 0 ? [] : [at - 1]),
  star: (at: number) => (at === 0 ? [] : [0]),
  layered: (at: number) => (at < 8 ? [] : range(8).map((place) => at - (at % 8) - 8 + place)),
  dense: (at: number) => range(Math.min(at, 64)).map((back) => at - 1 - back),
};

type Shape = keyof typeof BEFORE;

const SHAPES: readonly Shape[] = ['chain', 'star', 'layered', 'dense'];

/** A graph of so many nodes, and what it is compiled with; the last node ends the run. */
function graph(shape: Shape, size: number, first: JsonObject = {}) {
  const nodes = range(size - 1).map((at): [string, JsonObject] => [
    `n${at}`,
    { ...needs(...BEFORE[shape](at).map((before) => `n${before}`)), ...(at === 0 ? first : {}) },
  ]);
  const finish = { terminal_result: 'DONE', ...needs(`n${size - 2}`) };
  const source = graphOf({ ...Object.fromEntries(nodes), finish });
  const text = JSON.stringify(source);
  return { text, input: inputFor(source), edges: text.split('"node_id"').length - 1 };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

const SIZES = SHAPES.flatMap((shape) => [64, 128, 256, 512].map((size) => ({ shape, size })));

test.each(SIZES)('compiles a $shape graph of $size nodes, or says its limit (B-40)', (given) => {
  const { text, input } = graph(given.shape, given.size);
  const result = compileHarness(text, input);
  const codes = result.diagnostics.map(({ code }) => code);
  // A document has 10,000 entries, and 64 prerequisites of 128 nodes are more.
  expect(codes).toEqual(given.shape === 'dense' && given.size >= 128 ? ['MF-S010'] : []);
});

test.each(SIZES)('finds what is wrong in a $shape graph of $size nodes', ({ shape, size }) => {
  for (const wrong of [needs(`n${size - 2}`), needs('nowhere'), { tool_ref: 'test.n0@2' }]) {
    const { text, input } = graph(shape, size, { required: true, ...wrong });
    const { ok, diagnostics } = compileHarness(text, input);
    expect(ok).toBe(false);
    expect(diagnostics.length).toBeGreaterThan(0);
    for (const { code } of diagnostics) expect(code).toMatch(/^MF-(?:G|R|S010|D001)/);
  }
});

test.each<[shape: Shape, sizes: [number, number]]>([
  ['chain', [256, 512]],
  ['star', [256, 512]],
  ['layered', [256, 512]],
  ['dense', [64, 91]],
])(
  'twice the edges of a %s graph take at most two and a half times as long',
  {
    tags: ['slow'],
  },
  (shape, [half, whole]) => {
    const [less, more] = [graph(shape, half), graph(shape, whole)];
    expect(more.edges / less.edges).toBeGreaterThan(1.85);
    // The least of many runs in turn is what neither other work nor collecting garbage has stretched.
    let short = Number.POSITIVE_INFINITY;
    let long = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 100 && (round < 15 || long > 2.5 * short); round += 1) {
      short = Math.min(short, timed(less));
      long = Math.min(long, timed(more));
    }
    expect(long / short).toBeLessThanOrEqual(2.5);
  },
);

function timed({ text, input }: ReturnType<typeof graph>): number {
  const start = performance.now();
  expect(compileHarness(text, input).ok).toBe(true);
  return performance.now() - start;
}

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern } from '../../src/search/compile-pattern.ts';

const RUNS = Number(process.env['MILLFORGE_PATTERN_RUNS'] ?? 200);

/** A pattern as a tree, with a matcher that counts what it tries. */
type Node =
  | { readonly kind: 'atom'; readonly source: string }
  | { readonly kind: 'group'; readonly ways: readonly (readonly Node[])[] }
  | { readonly kind: 'repeat'; readonly body: Node; readonly source: string };

const FITTING: { readonly [source: string]: string } = {
  a: 'a',
  b: 'b',
  '.': 'ab ',
  '[ab]': 'ab',
  '[^b]': 'a ',
  '\\w': 'ab',
  '\\S': 'ab',
};

const { ways } = fc.letrec<{ node: Node; ways: readonly (readonly Node[])[] }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      kind: fc.constant('atom' as const),
      source: fc.constantFrom('a', ...Object.keys(FITTING)),
    }),
    fc.record({ kind: fc.constant('group' as const), ways: tie('ways') }),
    fc.record({
      kind: fc.constant('repeat' as const),
      body: tie('node').filter(({ kind }) => kind !== 'repeat'),
      source: fc.constantFrom('?', '*', '+', '{2}', '{0,3}', '{1,}', '*?'),
    }),
  ),
  ways: fc.array(fc.array(tie('node'), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  }),
}));

test('knows how many steps a pattern takes at most, whatever the text', () => {
  fc.assert(
    fc.property(
      ways,
      fc.array(fc.stringMatching(/^(?:a{0,12}|[ab ]{0,12})$/), { minLength: 1, maxLength: 3 }),
      (meant, lines) => {
        const text = lines.join('\n');
        const pattern = compilePattern(sourceOf(meant), { isLiteral: false, ignoresCase: false });
        const most = pattern.mostSteps(text);
        fc.pre(most < Number.POSITIVE_INFINITY);
        // With few choices and no repetition it is in proportion to the text.
        const limit = most === 0 ? (text.length + 1) * 16 * sourceOf(meant).length : most;
        expect(stepsOf(meant, lines)).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: RUNS },
  );
});

test.each([
  ['(a+)+b', 'a repetition in another'],
  ['(a|aa)*b', 'a choice that is repeated'],
  ['(a?){20}b', 'a choice that is repeated so many times'],
  ['((a{1,2})x*)+b', 'a repetition two groups down'],
])('does not say how many steps %s takes: it has %s', (pattern) => {
  expect(mostOf(pattern)).toBe(Number.POSITIVE_INFINITY);
});

test('takes choices one after another for ways of each other, and few of them for none', () => {
  expect(mostOf('(a|b)(a|b)a?a?')).toBe(0);
  expect(mostOf('(a|b)(a|b)(a|b)a?a?')).toBe(5 * 9 * 32);
  expect(mostOf('ab+a')).toBe(5 * 4 * 5);
  expect(mostOf('a+b+')).toBe(5 * 3 * 25);
});

test.each([
  ['[^x]', '\n'],
  ['\\s', '\n'],
  ['\\W', '\n'],
  ['[\\D]', '\n'],
  ['[[:space:]]', '\n'],
  ['[\\x00-\\x20]', '\n'],
  ['a\\s+b', 'a\nb'],
])('matches no line feed by %s', (pattern, text) => {
  const { mayFit } = compilePattern(pattern, { isLiteral: false, ignoresCase: false });
  expect([mayFit(text, true), mayFit(text, false)]).toEqual([false, false]);
  const near = text.replace('\n', pattern.startsWith('a') ? ' ' : '\t');
  expect([mayFit(near, true), mayFit(near, false)]).toEqual([true, true]);
});

function mostOf(pattern: string): number {
  return compilePattern(pattern, { isLiteral: false, ignoresCase: false }).mostSteps('aaaa');
}

function sourceOf(meant: readonly (readonly Node[])[]): string {
  return meant.map((way) => way.map(sourceOfNode).join('')).join('|');
}

function sourceOfNode(node: Node): string {
  if (node.kind === 'atom') return node.source;
  if (node.kind === 'group') return `(${sourceOf(node.ways)})`;
  return sourceOfNode(node.body) + node.source;
}

/** What a matcher that goes back tries in all lines, when the last thing never fits. */
function stepsOf(meant: readonly (readonly Node[])[], lines: readonly string[]): number {
  let steps = 0;
  for (const line of lines) {
    for (let start = 0; start <= line.length; start++) {
      tryWays(meant, start, () => false);
    }

    function tryWays(some: readonly (readonly Node[])[], at: number, next: Next): boolean {
      return some.some((way) => tryAll(way, at, next));
    }
    function tryAll([first, ...rest]: readonly Node[], at: number, next: Next): boolean {
      return first === undefined ? next(at) : tryOne(first, at, (end) => tryAll(rest, end, next));
    }
    function tryOne(node: Node, at: number, next: Next): boolean {
      if (node.kind === 'group') return tryWays(node.ways, at, next);
      if (node.kind === 'repeat') return tryTimes(node, { at, count: 0 }, next);
      steps++;
      const fits = at < line.length && FITTING[node.source]?.includes(line.charAt(at)) === true;
      return fits && next(at + 1);
    }
    function tryTimes(
      node: Node & { readonly kind: 'repeat' },
      { at, count }: { readonly at: number; readonly count: number },
      next: Next,
    ): boolean {
      const [least, most] = TIMES[node.source] ?? [0, 0];
      const again = (end: number) =>
        (end > at || count < least) && tryTimes(node, { at: end, count: count + 1 }, next);
      return (count < most && tryOne(node.body, at, again)) || (count >= least && next(at));
    }
  }
  return steps;
}

type Next = (at: number) => boolean;

const MANY = Number.POSITIVE_INFINITY;
const TIMES: { readonly [source: string]: readonly [number, number] } = {
  '?': [0, 1],
  '*': [0, MANY],
  '*?': [0, MANY],
  '+': [1, MANY],
  '{2}': [2, 2],
  '{0,3}': [0, 3],
  '{1,}': [1, MANY],
};

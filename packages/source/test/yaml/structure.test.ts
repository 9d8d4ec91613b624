import { describe, expect, test } from 'vitest';
import { accepted, refused } from '../support/parse.ts';

test('nests what stands deeper than an empty key of a list item (P-02)', () => {
  const yaml = 'x:\n  - key:\n      z: 1\n    other: 2\n  - key:\n      - 3\n';
  expect(accepted('yaml', yaml).value).toEqual({ x: [{ key: { z: 1 }, other: 2 }, { key: [3] }] });
});

describe('accepted structure', () => {
  test.each<[yaml: string, value: unknown]>([
    ['a:', { a: {} }],
    ['a:   # nothing\nb: 1', { a: {}, b: 1 }],
    ['a:\n  b:\n    c: 1\n  d: 2', { a: { b: { c: 1 }, d: 2 } }],
    ['a:\n  - 1\n  - b: 2\n    c: 3\n  - "x"', { a: [1, { b: 2, c: 3 }, 'x'] }],
    ['a:\n- 1\n- 2', { a: [1, 2] }],
    ['a:\n    b: 1\n    c: 2', { a: { b: 1, c: 2 } }],
    ['a:\n   b: 1', { a: { b: 1 } }],
    ['  a: 1\n  b: 2', { a: 1, b: 2 }],
    ['a:\n  -\n    - 1', { a: [[1]] }],
    ['a:\n  -\n  - 1', { a: [{}, 1] }],
    ['---\na: 1', { a: 1 }],
    ['# c\n\n---\n# d\n\na: 1\n', { a: 1 }],
    ['a : 1', { a: 1 }],
    ['a:\n  # c\n\n  b: 1\n# d\n  c: 2\n\n', { a: { b: 1, c: 2 } }],
    ['"a": 1\n\'b\': 2\n"": 3', { a: 1, b: 2, '': 3 }],
    ['"1": a\n"true": b\n"<<": c\n"[": d', { 1: 'a', true: 'b', '<<': 'c', '[': 'd' }],
    [
      'True: 1\n~: 2\n01: 3\n.nan: 4\n2026-06-14: 5',
      { True: 1, '~': 2, '01': 3, '.nan': 4, '2026-06-14': 5 },
    ],
  ])('%j', (yaml, value) => {
    expect(accepted('yaml', yaml).value).toEqual(value);
  });

  test('a key may be longer than YAML lets an implicit key be, as in JSON', () => {
    const key = 'k'.repeat(2000);
    expect(accepted('yaml', `${key}: 1`).value).toEqual({ [key]: 1 });
  });
});

describe('refused structure', () => {
  test.each<[yaml: string, expected: string]>([
    ['', 'MF-S012 1:1'],
    ['# only a comment\n', 'MF-S012 1:1'],
    ['---\n', 'MF-S012 1:1'],
    ['- 1', 'MF-S012 1:1'],
    ['hello', 'MF-S011 1:1'],
    ['|\n  x', 'MF-S011 1:1'],
    ['a: 1\nfoo\nb: 2', 'MF-S011 2:1'],
    ['a:b', 'MF-S011 1:1'],
    ['a: b: c', 'MF-S011 1:1'],
    [': v', 'MF-S011 1:1'],
    ['- - x', 'MF-S011 1:1'],
    ['a:\n  - - x', 'MF-S011 2:3'],
    ['a: - x', 'MF-S011 1:1'],
    ['a: 1\n b: 2', 'MF-S011 2:2'],
    ['a:\n    b: 1\n  c: 2', 'MF-S011 3:3'],
    ['a:\n  - 1\n - 2', 'MF-S011 3:2'],
    ['a: ]', 'MF-S011 1:1'],
    ['%YAML 1.2\n---\na: 1', 'MF-S011 1:1'],
    ['--- a: 1', 'MF-S011 1:1'],
    ['---\na: 1\n---', 'MF-S009 3:1'],
    ['---\n---\na: 1', 'MF-S009 2:1'],
    ['a: 1\n---\nb: 2', 'MF-S009 2:1'],
    ['a: 1\n...', 'MF-S009 2:1'],
    ['a: 1\na: 2', 'MF-S006 2:1'],
    ['a: 1\n"\\u0061": 2', 'MF-S006 2:1'],
    ["x:\n  - a: 1\n    'a': 2", 'MF-S006 3:5'],
    ['1: a', 'MF-S008 1:1'],
    ['-1.5e3: a', 'MF-S008 1:1'],
    ['true: a', 'MF-S008 1:1'],
    ['null: a', 'MF-S008 1:1'],
    ['[a]: b', 'MF-S008 1:1'],
    ['{"a": 1}: b', 'MF-S008 1:1'],
    ['?a: b', 'MF-S008 1:1'],
    ['? a\n: b', 'MF-S008 1:1'],
    ['x:\n  ? - a\n  : b', 'MF-S008 2:3'],
    ['<<: 1', 'MF-S008 1:1'],
    ['x:\n  - <<: 1', 'MF-S008 2:5'],
  ])('%j is %s', (yaml, expected) => {
    expect(refused('yaml', yaml)).toBe(expected);
  });
});

describe('anchors, aliases and tags', () => {
  test.each<[yaml: string, expected: string]>([
    ['base: &b {}\nx:\n  <<: *b', 'MF-S007 1:1'],
    ['x:\n  <<: *b', 'MF-S007 2:1'],
    ['x:\n  a: *b', 'MF-S007 2:1'],
    ['&x a: 1', 'MF-S007 1:1'],
    ['a:\n  - &x 1', 'MF-S007 2:1'],
    ['a: [&x 1]', 'MF-S007 1:1'],
    ['a: *.py', 'MF-S007 1:1'],
    ['a: !x 1', 'MF-S008 1:1'],
    ['a: !!binary x', 'MF-S008 1:1'],
    ['a: !!set {}', 'MF-S008 1:1'],
    ['a:\n  - ! x', 'MF-S008 2:1'],
    ['!!map\na: 1', 'MF-S008 1:1'],
  ])('%j is %s', (yaml, expected) => {
    expect(refused('yaml', yaml)).toBe(expected);
  });

  test('are not seen in texts (P-03)', () => {
    const yaml = 'a: x *.py & b !c\nb: "&x *y !z"\nc: \'*y\'\nd: ["&x", "!z"]\n# &x *y !z\n';
    expect(accepted('yaml', yaml).value).toEqual({
      a: 'x *.py & b !c',
      b: '&x *y !z',
      c: '*y',
      d: ['&x', '!z'],
    });
  });
});

describe('tabs', () => {
  test('are refused as indentation, at their column (P-04)', () => {
    expect(refused('yaml', 'a:\n\tb: 1')).toBe('MF-S011 2:1');
    expect(refused('yaml', 'a: 1\n \tb: 2')).toBe('MF-S011 2:2');
    expect(refused('yaml', 'a:\n  b: 1\n\tc: 2')).toBe('MF-S011 3:1');
    expect(refused('yaml', 'a:\n\t- 1')).toBe('MF-S011 2:1');
  });

  test('are accepted everywhere else (P-04)', () => {
    expect(accepted('yaml', 'a:\tb\nc: d\te\nf: 1\t# g\t\n\t\nh: "i\\tj"\n').value).toEqual({
      a: 'b',
      c: 'd\te',
      f: 1,
      h: 'i\tj',
    });
  });
});

describe('limits', () => {
  test('nesting counts the root as level 1 and an empty value as a mapping', () => {
    expect(accepted('yaml', nested(32, ' 1')).format).toBe('yaml');
    expect(refused('yaml', nested(32, ''))).toMatch(/^MF-S010 32:/);
    expect(refused('yaml', nested(33, ' 1'))).toBe('MF-S010 33:65');
    expect(accepted('yaml', nested(31, ' []')).format).toBe('yaml');
    expect(refused('yaml', nested(32, ' []'))).toBe('MF-S010 32:66');
  });

  test('entries of mappings, lists and flow collections count together (P-08)', () => {
    expect(accepted('yaml', items(9_999)).value['a']).toHaveLength(9_999);
    expect(refused('yaml', items(10_000))).toBe('MF-S010 10001:3');
    expect(refused('yaml', `${items(9_997)}b: [1, 2]`)).toBe('MF-S010 9999:8');
    const keys = Array.from({ length: 10_001 }, (_, index) => `k${index}: 1`);
    expect(accepted('yaml', keys.slice(1).join('\n')).format).toBe('yaml');
    expect(refused('yaml', keys.join('\n'))).toBe('MF-S010 10001:1');
  });
});

function nested(levels: number, leaf: string): string {
  return Array.from({ length: levels }, (_, level) => `${'  '.repeat(level)}a:`).join('\n') + leaf;
}

function items(count: number): string {
  return `a:\n${'  - 1\n'.repeat(count)}`;
}

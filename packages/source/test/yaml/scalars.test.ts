import { JsonFloat } from '@millforge/contracts';
import { describe, expect, test } from 'vitest';
import { accepted, refused } from '../support/parse.ts';

describe('plain scalars', () => {
  test.each<[plain: string, value: unknown]>([
    ['null', null],
    ['~', null],
    ['true', true],
    ['false', false],
    ['0', 0],
    ['-0', 0],
    ['4', 4],
    ['4.0', new JsonFloat(4)],
    ['1e5', new JsonFloat(100_000)],
    ['0.65', 0.65],
    ['-12.5E-1', -1.25],
    ['12345678901234567890', 12_345_678_901_234_567_890n],
    ['', {}],
  ])('%j means %o', (plain, value) => {
    expect(accepted('yaml', `a: ${plain}`).value).toEqual({ a: value });
  });

  test.each([
    'yes',
    'no',
    'on',
    'off',
    'True',
    'NULL',
    'Null',
    '01',
    '+1',
    '0x1F',
    '0o17',
    '1_000',
    '.5',
    '1.',
    '1e',
    '--1',
    'infinity',
    '2026-06-14foo',
    '2026-6-14',
    '12:30:45',
    'http://x:y',
    'x#y',
    'a & b *c !d',
    "it's",
    'a"b',
    '-x',
    '?x',
    '\u00a0x\u00a0',
    'docs.tool@1',
  ])('%j is text', (plain) => {
    expect(accepted('yaml', `a: ${plain}`).value).toEqual({ a: plain });
  });

  test.each<[plain: string, code: string]>([
    ['.nan', 'MF-S011 1:4'],
    ['.INF', 'MF-S011 1:4'],
    ['+.inf', 'MF-S011 1:4'],
    ['-.inf', 'MF-S011 1:4'],
    ['NaN', 'MF-S011 1:4'],
    ['inf', 'MF-S011 1:4'],
    ['+Inf', 'MF-S011 1:4'],
    ['-inf', 'MF-S011 1:4'],
    ['1e999', 'MF-S011 1:4'],
    ['2026-06-14', 'MF-S008 1:4'],
    ['2026-06-14T10:00:00Z', 'MF-S008 1:4'],
    ['2026-06-14t', 'MF-S008 1:4'],
    ['2026-06-14 at noon', 'MF-S008 1:4'],
    ['@x', 'MF-S011 1:1'],
    ['`x`', 'MF-S011 1:1'],
    ['%x', 'MF-S011 1:1'],
  ])('%j is refused as %s', (plain, expected) => {
    expect(refused('yaml', `a: ${plain}`)).toBe(expected);
  });

  test('end where a comment begins', () => {
    expect(accepted('yaml', 'a: x # y\nb: "z" # y\nc: 1\t# y\n').value).toEqual({
      a: 'x',
      b: 'z',
      c: 1,
    });
  });

  test('cover one line', () => {
    expect(refused('yaml', 'a: one\n  two')).toBe('MF-S011 2:3');
    expect(refused('yaml', 'a: one\n\n \n  two')).toBe('MF-S011 4:3');
    expect(accepted('yaml', 'a:\n  one').value).toEqual({ a: 'one' });
  });

  test('keep to the limits of numbers and texts', () => {
    const digits = '9'.repeat(128);
    expect(accepted('yaml', `a: ${digits}`).value).toEqual({ a: BigInt(digits) });
    expect(refused('yaml', `a: ${digits}9`)).toBe('MF-S010 1:4');
    expect(refused('yaml', `a: 0.${digits}`)).toBe('MF-S010 1:4');
    const text = 'é'.repeat(32_768);
    expect(accepted('yaml', `a: ${text}`).value).toEqual({ a: text });
    expect(refused('yaml', `a: ${text}x`)).toBe('MF-S010 1:4');
    expect(refused('yaml', `${text}x: 1`)).toBe('MF-S010 1:1');
  });
});

describe('quoted scalars', () => {
  test('in double quotes are JSON strings', () => {
    expect(accepted('yaml', 'a: "\\u0041\\ud83d\\ude42\\/\\n"').value).toEqual({ a: 'A🙂/\n' });
    for (const quoted of ['"\\x41"', '"\\e"', '"\\0"', '"a', '"a\n  b"', '"a\\"']) {
      expect(refused('yaml', `k:\n  a: ${quoted}`)).toBe('MF-S011 2:3');
    }
  });

  test('in single quotes double the quote', () => {
    expect(accepted('yaml', "a: 'it''s \\n'\nb: ''\nc: ''''\n").value).toEqual({
      a: "it's \\n",
      b: '',
      c: "'",
    });
    for (const quoted of ["'abc", "'a\n  b'", "'''"]) {
      expect(refused('yaml', `k:\n  a: ${quoted}`)).toBe('MF-S011 2:3');
    }
  });

  test('place an escaped control character at the scalar (P-07)', () => {
    expect(refused('yaml', 'k:\n  a: "x\\u0000"')).toBe('MF-S011 2:6');
    expect(refused('yaml', 'k:\n  a: "x\\ud800"')).toBe('MF-S011 2:6');
  });

  test('have nothing behind them but a comment', () => {
    for (const value of ["'x' y", '"x" y', '"x"#y', '"x" "y"', '[1] x', '[1] [2]', '{} x']) {
      expect(refused('yaml', `a: ${value}`)).toBe('MF-S011 1:1');
    }
  });
});

describe('flow collections', () => {
  test('are JSON and share the limits of the document', () => {
    expect(accepted('yaml', 'a: [0.65, 0.8, 1]\nb: {"x": [], "y": {}}\n').value).toEqual({
      a: [0.65, 0.8, 1],
      b: { x: [], y: {} },
    });
    expect(accepted('yaml', 'a: [1,\n  2]\n').value).toEqual({ a: [1, 2] });
    const limits = { maxEntries: 4, maxDepth: 3 };
    expect(accepted('yaml', 'a: [1, 2]\nb: 1', { limits }).value).toEqual({ a: [1, 2], b: 1 });
    expect(refused('yaml', 'a: [1, 2]\nb: [1]', { limits })).toBe('MF-S010 2:5');
    expect(accepted('yaml', 'a: [[]]', { limits }).value).toEqual({ a: [[]] });
    expect(refused('yaml', 'a: [[[]]]', { limits })).toBe('MF-S010 1:6');
    expect(refused('yaml', 'a:\n  - [[]]', { limits })).toBe('MF-S010 2:6');
  });

  test('report a fault at its own place in the line (P-09)', () => {
    expect(refused('yaml', 'k:\n  a: [1, foo]')).toBe('MF-S011 2:10');
    expect(refused('yaml', 'k:\n  a: [1,]')).toBe('MF-S011 2:9');
    expect(refused('yaml', 'k:\n  a: {x: 1}')).toBe('MF-S011 2:7');
    expect(refused('yaml', "k:\n  a: ['x']")).toBe('MF-S011 2:7');
    expect(refused('yaml', 'k:\n  a: [NaN]')).toBe('MF-S011 2:7');
    expect(refused('yaml', 'k:\n  a: {"x":1,"x":2}')).toBe('MF-S006 2:13');
    expect(refused('yaml', 'k: [1, 2')).toBe('MF-S011 1:9');
    expect(refused('yaml', 'k: [1, 2\nl: 3')).toBe('MF-S011 2:1');
  });

  test('may be the root when they are mappings', () => {
    expect(accepted('yaml', '{"a": 1}').value).toEqual({ a: 1 });
    expect(refused('yaml', '[1]')).toBe('MF-S012 1:1');
  });
});

import { JsonFloat } from '@millforge/contracts';
import { describe, expect, test } from 'vitest';
import { accepted, refused } from '../support/parse.ts';

describe('refused JSON documents', () => {
  test.each<[content: string, expected: string]>([
    ['{"a":1,"\\u0061":2}', 'MF-S006 1:8'],
    ['{"a":{"b":1,"b":2}}', 'MF-S006 1:13'],
    ['{} x', 'MF-S011 1:4'],
    ['[1] x', 'MF-S011 1:5'],
    ['{"a":01}', 'MF-S011 1:6'],
    ['{"a":+1}', 'MF-S011 1:6'],
    ['{"a":.5}', 'MF-S011 1:6'],
    ['{"a":1.}', 'MF-S011 1:6'],
    ['{"a":1e}', 'MF-S011 1:6'],
    ['{"a":1,}', 'MF-S011 1:8'],
    ["{'a':1}", 'MF-S011 1:2'],
    ['{"a":1 // no\n}', 'MF-S011 1:8'],
    ['{"a":\u00a01}', 'MF-S011 1:6'],
    ['{"a":1e999}', 'MF-S011 1:6'],
    ['{"a":NaN}', 'MF-S011 1:6'],
    ['{"a":-Infinity}', 'MF-S011 1:6'],
    ['{"é🙂":\n "a\tb"}', 'MF-S011 2:4'],
    ['', 'MF-S011 1:1'],
    ['{"a":', 'MF-S011 1:6'],
    ['[1]', 'MF-S012 1:1'],
    [' \n 1', 'MF-S012 2:2'],
    ['null', 'MF-S012 1:1'],
  ])('%j is %s', (content, expected) => {
    expect(refused('json', content)).toBe(expected);
  });
});

test('refuses digits that are not ASCII without failing itself (P-05)', () => {
  expect(refused('json', '{"a":1\u0663}')).toBe('MF-S011 1:7');
  expect(refused('json', '{"a":\u0661}')).toBe('MF-S011 1:6');
  expect(refused('yaml', 'a: [1\u0663]')).toBe('MF-S011 1:6');
  expect(accepted('yaml', 'a: 1\u0663').value).toEqual({ a: '1\u0663' });
});

test('places a character that only an escape brings in at its string (P-07)', () => {
  for (const escape of ['\\u0000', '\\b', '\\f', '\\u007f', '\\ud800']) {
    expect(refused('json', `{"a":\n  "x${escape}"}`)).toBe('MF-S011 2:3');
  }
  expect(accepted('json', '{"a":"\\t\\n\\r"}').value).toEqual({ a: '\t\n\r' });
});

test('keeps number kinds', () => {
  expect(accepted('json', '{"a":4,"b":4.0,"c":0.5,"d":12345678901234567890}').value).toEqual({
    a: 4,
    b: new JsonFloat(4),
    c: 0.5,
    d: 12_345_678_901_234_567_890n,
  });
});

describe('limits', () => {
  test('an integer of 128 characters is read and one of 129 is not (P-08)', () => {
    const digits = '9'.repeat(128);
    expect(accepted('json', `{"a":${digits}}`).value).toEqual({ a: BigInt(digits) });
    expect(refused('json', `{"a":${digits}9}`)).toBe('MF-S010 1:6');
    expect(accepted('json', `{"a":-${'9'.repeat(127)}}`).value).toEqual({
      a: -BigInt('9'.repeat(127)),
    });
    expect(refused('json', `{"a":\n[0.${'9'.repeat(127)}]}`)).toBe('MF-S010 2:2');
  });

  test('an object holds 31 levels of lists and not 32 (P-08)', () => {
    expect(accepted('json', nested(31)).format).toBe('json');
    expect(refused('json', nested(32))).toBe('MF-S010 1:37');
  });

  test('a document holds 10,000 entries and not one more (P-08)', () => {
    expect(accepted('json', list(9_999)).value['a']).toHaveLength(9_999);
    expect(refused('json', list(10_000))).toBe('MF-S010 2:19999');
  });

  test('a string holds 65,536 bytes and not one more (P-08)', () => {
    const bytes = 'é'.repeat(32_768);
    expect(accepted('json', `{"a":"${bytes}"}`).value).toEqual({ a: bytes });
    expect(refused('json', `{"a":"${bytes}x"}`)).toBe('MF-S010 1:6');
    expect(refused('json', `{"${bytes}x":1}`)).toBe('MF-S010 1:2');
  });
});

function nested(levels: number): string {
  return `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
}

function list(items: number): string {
  return `{"a":[\n${Array.from({ length: items }, () => '1').join(',')}]}`;
}

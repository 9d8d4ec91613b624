import { JsonFloat } from '@millforge/contracts';
import { parseSource, SOURCE_LIMITS } from '@millforge/source';
import { describe, expect, test } from 'vitest';
import { accepted, refused } from './support/parse.ts';

function answer(format: string, content: Uint8Array | string): string {
  const [diagnostic] = parseSource({ logicalPath: 'h', format, content }).diagnostics;
  return diagnostic === undefined ? 'accepted' : `${diagnostic.code} ${diagnostic.message}`;
}

describe('limits', () => {
  test('a source has 1,048,576 bytes with its byte order mark, and not one more', () => {
    const head = '\ufeff{"a":1}';
    const full = head + ' '.repeat(SOURCE_LIMITS.maxBytes - Buffer.byteLength(head));
    expect(accepted('json', full).value).toEqual({ a: 1 });
    expect(refused('json', `${full} `)).toBe('MF-S003 1:1');
    expect(refused('json', Buffer.from(`${full} `))).toBe('MF-S003 1:1');
  });

  test('a float has 128 characters, and not one more (P-08)', () => {
    for (const float of [`0.${'5'.repeat(126)}`, `-1e-${'0'.repeat(123)}1`]) {
      expect(float).toHaveLength(128);
      expect(typeof accepted('json', `{"a":${float}}`).value['a']).not.toBe('string');
      expect(typeof accepted('yaml', `a: ${float}`).value['a']).not.toBe('string');
    }
    const longer = `0.${'5'.repeat(127)}`;
    expect(answer('json', `{"a":${longer}}`)).toBe(
      'MF-S010 Floating-point lexeme exceeds parser limit.',
    );
    expect(refused('json', `{"a":${longer}}`)).toBe('MF-S010 1:6');
    expect(refused('yaml', `a: ${longer}`)).toBe('MF-S010 1:4');
  });

  test('a text is measured when its escapes are decoded', () => {
    const escapes = '\\u0041'.repeat(65_536);
    expect(accepted('json', `{"a":"${escapes}"}`).value).toEqual({ a: 'A'.repeat(65_536) });
    expect(refused('json', `{"a":"${escapes}A"}`)).toBe('MF-S010 1:6');
    expect(accepted('yaml', `a: "${escapes}"`).value).toEqual({ a: 'A'.repeat(65_536) });
    expect(refused('yaml', `a: "${escapes}A"`)).toBe('MF-S010 1:4');
  });

  test('a mapping entry counts behind its colon, a list item before its value', () => {
    const limits = { maxEntries: 1 };
    expect(refused('json', '{"a":1,"b"}', { limits })).toMatch(/^MF-S011/);
    expect(refused('json', '{"a":1,"b":}', { limits })).toMatch(/^MF-S010/);
    expect(refused('json', '{"a":[x]}', { limits })).toMatch(/^MF-S010/);
  });

  test('depth counts when a container opens', () => {
    const limits = { maxDepth: 1 };
    expect(refused('json', '{"a":[x', { limits })).toMatch(/^MF-S010/);
    expect(refused('json', '{"a":x', { limits })).toMatch(/^MF-S011/);
  });
});

describe('every fault says which rule it breaks', () => {
  test.each<[format: string, content: string, expected: string]>([
    ['json', '{"a":1,"\\u0061":2}', 'MF-S006 Duplicate object key.'],
    ['json', '{"a":1,"a":bad}', 'MF-S006 Duplicate object key.'],
    ['yaml', 'x: {"a":1,"a":2}', 'MF-S006 Duplicate object key.'],
    ['yaml', 'a: 1\na: 2', 'MF-S006 Duplicate mapping key.'],
    ['json', '{} x', 'MF-S011 JSON source document has trailing non-whitespace content.'],
    ['json', '[1] x', 'MF-S011 JSON source document has trailing non-whitespace content.'],
    ['json', '{"a":1e999}', 'MF-S011 Non-finite number is not allowed.'],
    ['json', '{"a":-1e999}', 'MF-S011 Non-finite number is not allowed.'],
    ['json', '{"a":NaN}', 'MF-S011 Non-finite number is not allowed.'],
    ['json', '{"a":Infinity}', 'MF-S011 Non-finite number is not allowed.'],
    ['json', '{"a":+Infinity}', 'MF-S011 Non-finite number is not allowed.'],
    ['json', '{"a":-Infinity}', 'MF-S011 Non-finite number is not allowed.'],
    ['yaml', 'a: 1e999', 'MF-S011 Non-finite number is not allowed.'],
    ['yaml', 'a: .inf', 'MF-S011 Non-finite YAML numbers are not allowed.'],
    ['json', '{"a":"\\u0007"}', 'MF-S011 Source document contains a forbidden control character.'],
    ['json', '{"a":"\\udc00"}', 'MF-S011 Source document contains an unpaired Unicode surrogate.'],
    ['yaml', '&a b: 1', 'MF-S007 YAML anchors, aliases, and tags are not supported.'],
    ['yaml', 'a: !b 1', 'MF-S008 YAML anchors, aliases, and tags are not supported.'],
    ['yaml', '<<: 1', 'MF-S008 YAML merge keys are not supported.'],
    ['yaml', '1: a', 'MF-S008 YAML mapping keys must be strings.'],
    ['yaml', 'a: 2026-06-14', 'MF-S008 YAML timestamps are not supported.'],
    ['yaml', '---\na: 1\n---', 'MF-S009 YAML source must contain exactly one document.'],
    ['yaml', 'a: 1\n...', 'MF-S009 YAML source must contain exactly one document.'],
    ['yaml', 'a:\n    b: 1\n  c: 2', 'MF-S011 Malformed YAML indentation.'],
    ['yaml', 'a:\n\tb: 1', 'MF-S011 YAML tabs are not accepted for indentation.'],
    ['yaml', 'hello', 'MF-S011 YAML mapping entries must contain a colon.'],
    ['yaml', ': v', 'MF-S011 YAML mapping key must be non-empty.'],
    ['yaml', 'a: >-\n  x', 'MF-S011 Unsupported YAML block scalar indicator.'],
    ['yaml', 'a: |-\n  x', 'MF-S011 Unsupported YAML block scalar indicator.'],
    ['yaml', 'a: |\nb: 1', 'MF-S011 YAML block scalar must contain indented content.'],
    ['yaml', "a: 'x", 'MF-S011 Malformed YAML quoted scalar.'],
    ['yaml', '', 'MF-S012 Top-level YAML source document must be an object.'],
    ['yaml', '- a', 'MF-S012 Top-level YAML source document must be an object.'],
    ['json', '[]', 'MF-S012 Top-level source document must be an object.'],
    ['json', '', 'MF-S011 Malformed JSON source document.'],
    ['toml', '{}', 'MF-S005 Unsupported source format.'],
    ['JSON', '{}', 'MF-S005 Unsupported source format.'],
  ])('%s %j', (format, content, expected) => {
    expect(answer(format, content)).toBe(expected);
  });
});

describe('JSON', () => {
  test('takes space, TAB, CR and LF between tokens, and nothing else', () => {
    expect(accepted('json', ' \t\r\n{ \t"a"\r:\n1 ,"b" : [ 1\t,2 ] } \n').value).toEqual({
      a: 1,
      b: [1, 2],
    });
    for (const space of ['\u00a0', '\u2028', '\ufeff', '\u3000']) {
      expect(refused('json', `{"a":${space}1}`)).toBe('MF-S011 1:6');
    }
  });

  test.each([
    ['{"a":0}', 0],
    ['{"a":-7}', -7],
    ['{"a":0.5}', 0.5],
    ['{"a":1E2}', new JsonFloat(100)],
    ['{"a":1e-2}', 0.01],
    ['{"a":5e+0}', new JsonFloat(5)],
  ])('%s keeps its number', (content, value) => {
    expect(accepted('json', content).value).toEqual({ a: value });
  });

  test.each(['{a:1}', '{"a":1}}', '[', '{"a" 1}', '{"a":tru}', '{"a":"\\x"}', '{"a":-}', '{,}'])(
    '%s is malformed',
    (content) => {
      expect(answer('json', content)).toMatch(/^MF-S011/);
    },
  );
});

describe('YAML', () => {
  test.each([
    ['a: |\n  *emphasis* & b\n', '*emphasis* & b\n'],
    ['a: |\n  one\n\n  # two\n  x # y\n', 'one\n\n# two\nx # y\n'],
    ['a: |\n  one\n     two\n', 'one\n   two\n'],
  ])('%j keeps block text as it is written (P-01)', (yaml, value) => {
    expect(accepted('yaml', yaml).value).toEqual({ a: value });
  });

  test.each([
    ["a: it's # c", { a: "it's" }],
    ["it's: b", { "it's": 'b' }],
    ['a: say "x" # c', { a: 'say "x"' }],
    ['a: x#y', { a: 'x#y' }],
    ['a: b:c', { a: 'b:c' }],
    ['a: x*.py', { a: 'x*.py' }],
    ['a: \u00a0b', { a: '\u00a0b' }],
  ])('%j: quotes inside plain text hide nothing', (yaml, value) => {
    expect(accepted('yaml', yaml).value).toEqual(value);
  });

  test.each(['a: b: c', '- - x', "a: 'abc", 'a: >-', 'a: "abc', 'a:\u00a0b', '%YAML 1.2'])(
    '%j is malformed and not taken for text',
    (yaml) => {
      expect(answer('yaml', yaml)).toMatch(/^MF-S011/);
    },
  );
});

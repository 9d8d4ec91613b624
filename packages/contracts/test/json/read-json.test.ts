import { type ExactJson, JsonFloat, readJson } from '@millforge/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

function valueOf(text: string, options?: Parameters<typeof readJson>[1]): ExactJson {
  const read = readJson(text, options);
  if (!read.ok) throw new Error(`${read.reason} at ${read.offset}: ${read.message}`);
  return read.value;
}

function faultOf(
  text: string,
  options?: Parameters<typeof readJson>[1],
): readonly [string, number] {
  const read = readJson(text, options);
  if (read.ok) throw new Error('The text was read.');
  return [read.reason, read.offset];
}

/** Exact values as plain ones: floats unwrapped, big integers as numbers. */
function plain(value: ExactJson): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, item: unknown) =>
      typeof item === 'bigint' ? Number(item) : item,
    ),
  );
}

test('reads what JSON.parse reads, for any value and any white space', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 6 }),
      fc.constantFrom(0, 1, '\t', ' \r\n'),
      (value, space) => {
        const text = JSON.stringify(value, null, 2).replaceAll('\n', `\n${space === 0 ? '' : ' '}`);
        const read = readJson(text, { allowControlCharacters: true });
        // A lone surrogate is the one thing JSON.stringify writes, as an escape, that is refused.
        if (!read.ok) return read.reason === 'lone-surrogate';
        expect(plain(read.value)).toEqual(JSON.parse(text));
        return true;
      },
    ),
  );
});

test('refuses every text that JSON.parse refuses', () => {
  const alphabet = fc.constantFrom(...Array.from('{}[]",:\\u0012aenrtfls-+.E \n/'));
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 14 }), (characters) => {
      const text = characters.join('');
      const read = readJson(text);
      let accepted = true;
      try {
        JSON.parse(text);
      } catch {
        accepted = false;
      }
      const isStricter = !read.ok && !['malformed', 'trailing', 'non-finite'].includes(read.reason);
      expect(read.ok).toBe(accepted && !isStricter);
    }),
    { numRuns: 3000 },
  );
});

test('never throws and always names an offset inside the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = readJson(text);
      if (!read.ok) {
        expect(read.offset).toBeGreaterThanOrEqual(0);
        expect(read.offset).toBeLessThanOrEqual(text.length);
      }
    }),
  );
});

test('keeps integers, floats and integers past the safe range apart', () => {
  expect(valueOf('[4, 4.0, 4e0, 0.5, -0, 1e-999]')).toEqual([
    4,
    new JsonFloat(4),
    new JsonFloat(4),
    0.5,
    0,
    new JsonFloat(0),
  ]);
  expect(valueOf('9007199254740991')).toBe(9_007_199_254_740_991);
  expect(valueOf('9007199254740992')).toBe(9_007_199_254_740_992n);
  expect(valueOf('-9007199254740993')).toBe(-9_007_199_254_740_993n);
  const whole = valueOf('-0.0');
  expect(whole).toBeInstanceOf(JsonFloat);
  expect(whole instanceof JsonFloat && Object.is(whole.value, -0)).toBe(true);
  expect(Object.is(valueOf('-0'), 0)).toBe(true);
});

test('makes __proto__ an own property and leaves every prototype alone', () => {
  const value = valueOf('{"__proto__":{"polluted":true},"constructor":1,"toString":2}');
  expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor', 'toString']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect(faultOf('{"__proto__":1,"__proto__":2}')).toEqual(['duplicate-key', 15]);
});

describe('faults', () => {
  test.each<[text: string, reason: string, offset: number]>([
    ['', 'malformed', 0],
    ['  ', 'malformed', 2],
    ['{} x', 'trailing', 3],
    ['[1] x', 'trailing', 4],
    ['1 2', 'trailing', 2],
    ['{"a":01}', 'malformed', 5],
    ['{"a":+1}', 'malformed', 5],
    ['{"a":.5}', 'malformed', 5],
    ['{"a":1.}', 'malformed', 5],
    ['{"a":1e}', 'malformed', 5],
    ['{"a":1e+}', 'malformed', 5],
    ['{"a":-}', 'malformed', 5],
    ['{"a":1,}', 'malformed', 7],
    ['[1,]', 'malformed', 3],
    ['[1 2]', 'malformed', 3],
    ['[1', 'malformed', 2],
    ['{"a"', 'malformed', 4],
    ['{"a" 1}', 'malformed', 5],
    ["{'a':1}", 'malformed', 1],
    ['{a:1}', 'malformed', 1],
    ['[tru]', 'malformed', 1],
    ['// c\n1', 'malformed', 0],
    ['\u00a01', 'malformed', 0],
    ['\ufeff{}', 'malformed', 0],
    ['1\u0663', 'trailing', 1],
    ['"a\nb"', 'malformed', 2],
    ['"a', 'malformed', 2],
    ['"a\\', 'malformed', 2],
    ['"a\\x"', 'malformed', 2],
    ['"a\\n\\u00g0"', 'malformed', 4],
    ['"\\n\u0001"', 'malformed', 3],
    ['"\\x\u0001"', 'malformed', 1],
    ['"\\n\\x', 'malformed', 3],
    ['"\\u12', 'malformed', 1],
    ['"\\\n"', 'malformed', 1],
    ['[NaN]', 'non-finite', 1],
    ['[Infinity]', 'non-finite', 1],
    ['[+Infinity]', 'non-finite', 1],
    ['[-Infinity]', 'non-finite', 1],
    ['{"a":1e999}', 'non-finite', 5],
    ['{"a":1,"\\u0061":2}', 'duplicate-key', 7],
    ['{"a":{"b":1,"b":2}}', 'duplicate-key', 12],
    ['["\\u0000"]', 'control-character', 1],
    ['["\\b"]', 'control-character', 1],
    ['["\\f"]', 'control-character', 1],
    ['["\\u007f"]', 'control-character', 1],
    ['["\u0085"]', 'control-character', 1],
    ['["\\ud800"]', 'lone-surrogate', 1],
    ['["\\udc00\\ud800"]', 'lone-surrogate', 1],
  ])('%j is %s at %i', (text, reason, offset) => {
    expect(faultOf(text)).toEqual([reason, offset]);
  });
});

test('reads halves of surrogate pairs where they are allowed', () => {
  const text = '["\\ud83d", {"\\ude00": 1}]';
  expect(readJson(text)).toMatchObject({ ok: false, reason: 'lone-surrogate' });
  expect(readJson(text, { allowLoneSurrogates: true })).toEqual({
    ok: true,
    value: ['\ud83d', { '\ude00': 1 }],
  });
});

test('reads escaped tabs and line ends, surrogate pairs and solidi', () => {
  expect(valueOf('"\\t\\n\\r\\u00e9\\ud83d\\ude42\\/🙂"')).toBe('\t\n\ré🙂/🙂');
});

test('reads control characters written as escapes only when asked to', () => {
  const options = { allowControlCharacters: true };
  expect(valueOf('"\\u001b[0m"', options)).toBe('\u001b[0m');
  expect(faultOf('"\u001b"', options)).toEqual(['malformed', 1]);
});

describe('limits', () => {
  test('depth counts the root container as level 1', () => {
    expect(valueOf('[[1]]', { maxDepth: 2 })).toEqual([[1]]);
    expect(faultOf('[[[]]]', { maxDepth: 2 })).toEqual(['depth', 2]);
    expect(faultOf('['.repeat(1001))).toEqual(['depth', 1000]);
  });

  test('a hundred thousand open brackets neither overflow the stack nor take long', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(readJson(text, { maxDepth: Number.POSITIVE_INFINITY }).ok).toBe(true);
    const half = '{"a":['.repeat(50_000);
    expect(faultOf(half, { maxDepth: Number.POSITIVE_INFINITY })).toEqual([
      'malformed',
      half.length,
    ]);
  });

  test('entries count object entries and array items alike', () => {
    expect(readJson('{"a":[1,2]}', { maxEntries: 3 }).ok).toBe(true);
    expect(faultOf('{"a":[1,2]}', { maxEntries: 2 })).toEqual(['entries', 8]);
    expect(faultOf('{"a":1,"b":2}', { maxEntries: 1 })).toEqual(['entries', 7]);
  });

  test('strings are measured in UTF-8 after decoding', () => {
    expect(readJson('"\\u00e9🙂"', { maxStringBytes: 6 }).ok).toBe(true);
    expect(faultOf('["é🙂"]', { maxStringBytes: 5 })).toEqual(['string-size', 1]);
    expect(faultOf('{"abcdef":1}', { maxStringBytes: 5 })).toEqual(['string-size', 1]);
    expect(faultOf('"aaa"', { maxStringBytes: 2 })).toEqual(['string-size', 0]);
  });

  test('numbers are measured as written', () => {
    expect(readJson(`-${'9'.repeat(127)}`, { maxNumberChars: 128 }).ok).toBe(true);
    expect(faultOf(`[${'9'.repeat(129)}]`, { maxNumberChars: 128 })).toEqual(['number-size', 1]);
    expect(faultOf(`[0.${'9'.repeat(127)}]`, { maxNumberChars: 128 })).toEqual(['number-size', 1]);
    expect(faultOf('9'.repeat(1001))).toEqual(['number-size', 0]);
  });
});

test('tells the place of every entry, with the containers of the result', () => {
  const heard: [object, string | number, number][] = [];
  const value = valueOf(' {"a": [10, {"b": 1}], "2": 3}', {
    onEntry: (container, key, offset) => heard.push([container, key, offset]),
  });
  expect(heard.map(([, key, offset]) => [key, offset])).toEqual([
    ['a', 2],
    [0, 8],
    [1, 12],
    ['b', 13],
    ['2', 23],
  ]);
  expect(heard[0]?.[0]).toBe(value);
});

test('keeps the order in which keys were written', () => {
  expect(Object.keys(valueOf('{"b":1,"a":2,"c":{}}') ?? {})).toEqual(['b', 'a', 'c']);
});

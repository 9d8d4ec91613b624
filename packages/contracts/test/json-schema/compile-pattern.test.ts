import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern } from '../../src/json-schema/compile-pattern.ts';
import { patternFaultText } from '../../src/json-schema/pattern-fault.ts';
import { cpuTimeOf } from './cpu-time.ts';

function matches(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new Error(compiled.fault);
  return compiled.test(text);
}

test.each([
  ['a look ahead', '(?=a)b', 'look ahead'],
  ['a negative look ahead', '(?!a)b', 'look ahead'],
  ['a look behind', '(?<=a)b', 'look ahead or behind'],
  ['a change of flags', '(?i:a)', ''],
  ['a back reference', '(a)\\1', 'back references'],
  ['a named back reference', '(?<x>a)\\k<x>', 'back references'],
  ['a word boundary', '\\bfoo', 'word boundaries'],
  ['broken syntax', '(a', 'regular expression'],
  ['an escape that only lax syntax has', '\\-', 'flag u'],
  ['a repetition without end inside another', '(?:a{1000}){1000}', 'states'],
  ['a repetition of an option', '(?:a?){100000000}', 'states'],
  ['a very long pattern', 'a'.repeat(2049), '2048 characters'],
  ['many states', '\\d{1024}', 'states'],
  ['deep groups', `${'('.repeat(65)}a${')'.repeat(65)}`, '64 groups'],
])('refuses %s', (_, pattern, reason) => {
  const spent = cpuTimeOf(() => {
    const compiled = compilePattern(pattern);
    expect(compiled.ok).toBe(false);
    expect(!compiled.ok && patternFaultText(compiled.fault)).toContain(reason);
  });
  expect(spent).toBeLessThan(200);
});

test.each([
  ['', '', true],
  ['^$', '', true],
  ['$^', '', true],
  ['^$', 'a', false],
  ['b', 'abc', true],
  ['^b', 'abc', false],
  ['c$', 'abc', true],
  ['b$', 'abc', false],
  ['^(?:a|bc)*$', 'abcbca', true],
  ['^(?:a|bc)*$', 'abcb', false],
  ['^a{2,3}$', 'aaaa', false],
  ['^a{2,}?$', 'aaaa', true],
  ['^[^\\]a-c]+$', 'xyz', true],
  ['^[^\\]a-c]+$', 'x]z', false],
  ['^.$', '😀', true],
  ['^\\u{1F600}$', '😀', true],
  ['^\\uD83D\\uDE00$', '😀', true],
  ['^\\p{L}+$', 'Grüße', true],
  ['^\\P{L}+$', '12é', false],
  ['^(?<year>\\d{4})-\\d\\d$', '2024-02', true],
  ['.', '\n', false],
  ['a^b|c', 'xc', true],
  ['^\\cA\\0\\x41\\/$', '\u0001\u0000A/', true],
])('%s on %j is %s', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

test('takes a repetition of nothing for nothing, at once', () => {
  expect(cpuTimeOf(() => matches('(?:(?:(?:){9999}){9999}){99999}', ''))).toBeLessThan(200);
  expect(matches('^(?:(?:){9999}|a)$', 'a')).toBe(true);
});

test('agrees with the engine of JavaScript on any pattern and text', () => {
  fc.assert(
    fc.property(anyPattern, fc.array(anyText, { maxLength: 8 }), (pattern, texts) => {
      const compiled = compilePattern(pattern);
      fc.pre(compiled.ok);
      const native = new RegExp(pattern, 'u');
      for (const text of texts) {
        expect([text, compiled.ok && compiled.test(text)]).toEqual([text, native.test(text)]);
      }
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['a repetition in a repetition', '^(a+)+$', `${'a'.repeat(200_000)}b`],
  ['alternatives that overlap', '^(?:a|a|a?)+$', `${'a'.repeat(200_000)}b`],
  ['neighbours that overlap', '^\\s*\\s*\\s*x', ' '.repeat(200_000)],
  ['a search from every place', 'a.*b.*c.*d$', 'abc'.repeat(70_000)],
  ['more sets of threads than are kept', '(?:a|b)*a(?:a|b){200}$', 'abbabaab'.repeat(2500)],
])('takes linear time for %s', (_, pattern, text) => {
  const spent = cpuTimeOf(() => {
    expect(matches(pattern, text)).toBe(false);
  });
  expect(spent).toBeLessThan(2000);
});

const { anyPattern } = fc.letrec<{ anyPattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', 'é', '😀', '.', '^', '$', '\\d', '\\W', '[ab]', '[^a]', '[😀-😂é]'),
    fc
      .tuple(tie('anyPattern'), fc.constantFrom('(', '(?:'))
      .map(([inner, opening]) => `${opening}${inner})`),
  ),
  anyPattern: fc
    .array(
      fc.tuple(
        tie('atom'),
        fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '|'),
      ),
      { maxLength: 5 },
    )
    .map((parts) =>
      parts
        .map(([atom, mark]) => (atom === '^' || atom === '$' ? atom : `${atom}${mark}`))
        .join(''),
    ),
}));

const anyText = fc
  .array(fc.constantFrom('a', 'b', 'é', '😀', '1', '\n'), { maxLength: 8 })
  .map((letters) => letters.join(''));

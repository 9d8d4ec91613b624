import type { ExactJson, JsonValue } from '@millforge/contracts';
import { canonicalJson } from '@millforge/contracts';
import { parseSource, SOURCE_LIMITS } from '@millforge/source';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { accepted } from './support/parse.ts';
import { writeYaml } from './support/write-yaml.ts';
import { meaningOfValue, readWithLibrary } from './support/yaml-oracle.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.stringMatching(/^[a-z #:|>*&!'"[\]{},-]{0,12}$/),
  fc
    .array(fc.stringMatching(/^[a-z#*&:|>\- ]{0,8}$/), { maxLength: 5 })
    .map((lines) => `${lines.join('\n')}\n`),
  fc.constantFrom('null', 'true', '1', '1.0', '01', '.nan', '2026-06-14', '<<', '__proto__', '12'),
);
const plainText = text.filter((value) => !/[^\P{Cc}\t\n\r]/u.test(value));
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      plainText,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(plainText, tie('value'), { maxKeys: 4 }),
  ),
}));
const document = fc.dictionary(plainText, anyValue, { maxKeys: 5 });

test('YAML and JSON forms of one value agree', () => {
  fc.assert(
    fc.property(document, fc.infiniteStream(fc.nat()), (value, choices) => {
      const choose = (count: number) => Number(choices.next().value) % count;
      const yaml = accepted('yaml', writeYaml(value, choose)).value;
      const json = accepted('json', JSON.stringify(value)).value;
      expect(canonicalJson(yaml)).toBe(canonicalJson(json));
    }),
    { numRuns: 200 },
  );
});

const FRAGMENTS = [
  'a',
  'b: ',
  'c:\n',
  ': ',
  ':',
  '\n',
  '\n\n',
  '  ',
  ' ',
  '- ',
  '-\n',
  '- - ',
  '|\n',
  '|-\n',
  '>\n',
  '# c\n',
  '"x"',
  '"',
  "'y'",
  "'",
  '[1]',
  '[',
  ']',
  '{',
  '}',
  '{"k": 1}',
  ',',
  '&a ',
  '*a',
  '!t ',
  '\t',
  '---\n',
  '...\n',
  '%Y\n',
  'null',
  '1',
  '1.0',
  '1e999',
  '.inf',
  '2026-06-14',
  '? ',
  '<<: ',
  '🙂',
  '\ufeff',
  '\r\n',
  '\\',
  '@',
  '__proto__: ',
];

test('any mixture of YAML is a document within limits or exactly one diagnostic', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 24 }), (fragments) => {
      expectWithinLimits('yaml', fragments.join(''));
    }),
    { numRuns: 1500 },
  );
});

test('any text and any bytes are a document within limits or exactly one diagnostic', () => {
  const content = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 200 }));
  fc.assert(fc.property(fc.constantFrom('yaml', 'json', 'toml'), content, expectWithinLimits), {
    numRuns: 1000,
  });
});

test('what is accepted means what the YAML library reads', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 16 }), (fragments) => {
      const content = fragments.join('');
      const { source } = parseSource({ logicalPath: 'h', format: 'yaml', content });
      if (source === null) return;
      expect(meaningOfValue(source.value)).toEqual(readWithLibrary(content));
    }),
    { numRuns: 3000 },
  );
});

test('every value in every layout means what the YAML library reads', () => {
  const head = fc.constantFrom('', '\ufeff', '---\n', '\ufeff# c\n\n---\n');
  const lineEnd = fc.constantFrom('\n', '\r\n');
  fc.assert(
    fc.property(document, head, lineEnd, fc.infiniteStream(fc.nat()), (value, ...layout) => {
      const [start, end, choices] = layout;
      const choose = (count: number) => Number(choices.next().value) % count;
      const yaml = `${start}${writeYaml(value, choose)}`.replaceAll('\n', end);
      expect(meaningOfValue(accepted('yaml', yaml).value)).toEqual(readWithLibrary(yaml));
    }),
    { numRuns: 300 },
  );
});

test('blank and comment lines between entries change nothing', () => {
  const entries = [
    'a: 1',
    'b:',
    '  - x',
    '  - y: 2',
    '    z:',
    '      - 3',
    'c: [1]',
    'd:',
    '  e: "f"',
  ];
  const fillers = fc.constantFrom('', '#', '   # x: y', '\t', '  ', '- # -'.slice(2));
  const inserted = fc.array(fc.array(fillers, { maxLength: 4 }), { minLength: 10, maxLength: 10 });
  const expected = accepted('yaml', entries.join('\n')).value;
  fc.assert(
    fc.property(inserted, (blanks) => {
      const lines = entries.flatMap((entry, index) => [...(blanks[index] ?? []), entry]);
      expect(accepted('yaml', [...lines, ...(blanks[9] ?? [])].join('\n')).value).toEqual(expected);
    }),
  );
});

function expectWithinLimits(format: string, content: string | Uint8Array): void {
  const limits = { maxDepth: 4, maxEntries: 12, maxScalarBytes: 16, maxNumberChars: 5 };
  for (const chosen of [{}, limits]) {
    const { source, diagnostics } = parseSource(
      { logicalPath: 'h', format, content },
      { limits: chosen },
    );
    expect(diagnostics).toHaveLength(source === null ? 1 : 0);
    if (source === null) continue;
    const size = measure(source.value, 1);
    const bounds = { ...SOURCE_LIMITS, ...chosen };
    expect(size.depth).toBeLessThanOrEqual(bounds.maxDepth);
    expect(size.entries).toBeLessThanOrEqual(bounds.maxEntries);
    expect(size.scalarBytes).toBeLessThanOrEqual(bounds.maxScalarBytes);
  }
}

interface Size {
  readonly depth: number;
  readonly entries: number;
  readonly scalarBytes: number;
}

function measure(value: ExactJson, depth: number): Size {
  if (typeof value === 'string')
    return { depth: 0, entries: 0, scalarBytes: Buffer.byteLength(value) };
  const children = childrenOf(value);
  if (children === null) return { depth: 0, entries: 0, scalarBytes: 0 };
  const sizes = children.map(([key, child]) => {
    const size = measure(child, depth + 1);
    return { ...size, scalarBytes: Math.max(size.scalarBytes, Buffer.byteLength(key)) };
  });
  return {
    depth: Math.max(depth, ...sizes.map((size) => size.depth)),
    entries: sizes.reduce((sum, size) => sum + size.entries, sizes.length),
    scalarBytes: Math.max(0, ...sizes.map((size) => size.scalarBytes)),
  };
}

function childrenOf(value: ExactJson): readonly [string, ExactJson][] | null {
  if (Array.isArray(value)) return value.map((child: ExactJson) => ['', child]);
  const isMapping =
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
  return isMapping ? Object.entries(value) : null;
}

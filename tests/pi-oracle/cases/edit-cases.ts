import { casesOf } from '../harness/case-builder.ts';
import { files, lines } from '../harness/fixture.ts';
import type { OracleCase } from '../harness/oracle-case.ts';

type Pair = readonly [string, string];
type Extra = Parameters<ReturnType<typeof casesOf>>[1];

const on = (row: number, content: string | Uint8Array) => {
  const make = casesOf('edit', row, files({ f: content }));
  return (pairs: readonly Pair[], extra: Extra = {}) => make(inputOf(pairs), extra);
};
const inputOf = (pairs: readonly Pair[], path = 'f') => ({
  path,
  edits: pairs.map(([oldText, newText]) => ({ oldText, newText })),
});

/** A miss is explained, and an ambiguous text is placed. */
const HINT = { differs: { default: 'KB-06' } };
const both = (mark: string) => ({ differs: { strict: mark, default: mark } });
/** A patch is one of the bytes, with their endings and their mark. */
const BYTES = { differs: { default: 'the patch applies to the bytes' } };
/** Pi compares what it has made of the whole file, not the file. */
const SPELLING = both('KB-01');
/** Only the first fault is told, in the words of every other tool. */
const HOUSE = { differs: { default: 'the words of the house' } };
const abc = on(28, 'a\nb\nc\n');
const numbered = (count: number) => lines(count);

export const editCases: readonly OracleCase[] = [
  ...argumentCases(),
  abc([['b', 'B']]),
  abc([
    ['a', 'A'],
    ['c', 'C'],
  ]),
  abc([
    ['c', 'C'],
    ['a', 'A'],
  ]),
  abc(
    [
      ['a', 'x'],
      ['x', 'y'],
    ],
    HINT,
  ),
  on(29, 'a\n')([['zzz', 'y']], HINT),
  on(29, 'a\n')(
    [
      ['a', 'b'],
      ['zzz', 'y'],
    ],
    HINT,
  ),
  on(29, 'a\na\n')([['a', 'b']], HINT),
  on(29, 'a\na\nb\n')(
    [
      ['b', 'c'],
      ['a', 'x'],
    ],
    HINT,
  ),
  on(29, 'aaa')([['aa', 'b']]),
  on(29, 'aaaa')([['aa', 'b']], HINT),
  on(
    29,
    'abc\n',
  )([
    ['bc', 'x'],
    ['ab', 'y'],
  ]),
  on(
    29,
    'abc\n',
  )([
    ['ab', 'x'],
    ['ab', 'y'],
  ]),
  on(
    29,
    'abcd\n',
  )([
    ['abcd', 'x'],
    ['bc', 'y'],
  ]),
  on(
    29,
    'abcd\n',
  )([
    ['ab', 'x'],
    ['cd', 'y'],
  ]),
  on(30, 'a')([['', 'b']]),
  on(
    30,
    'a',
  )([
    ['a', 'b'],
    ['', 'b'],
  ]),
  on(30, '')([['a', 'b']], HINT),
  on(30, 'a')([]),
  on(30, 'a')([['a', 'a']]),
  on(
    30,
    'a b',
  )([
    ['a', 'a'],
    ['b', 'b'],
  ]),
  on(
    30,
    'a b',
  )([
    ['a', 'a'],
    ['b', 'c'],
  ]),
  on(31, 'a\r\nb\r\nc\r\n')([['b', 'x\ny']], BYTES),
  on(31, 'a\nb\nc\n')([['a\r\nb', 'x\r\ny']]),
  on(31, '\uFEFFa\nb\n')([['a', 'A']], BYTES),
  on(31, '\uFEFFa\r\nb\r\n')([['a\nb', 'A\nB']], BYTES),
  on(31, '\uFEFF\uFEFFa\n')([['a', 'A']], BYTES),
  on(31, '\uFEFFa\n')([['\uFEFFa', 'A']], HINT),
  on(31, 'a\nb')([['b', 'B']]),
  on(31, 'a\nb\n')([['a\nb\n', '']]),
  on(32, 'a\r\nb\nc\n')([['b', 'B']], both('KB-02')),
  on(32, 'a\nb\r\nc\r\n')([['b', 'B']], both('KB-02')),
  on(32, 'a\rb\nc\n')([['b', 'B']], both('KB-02')),
  on(32, 'a\rb\rc')([['b', 'B']], both('KB-02')),
  on(33, 'a  \nb\n')([['a\nb', 'x\nb']], SPELLING),
  on(33, 'a\nb\n')([['a  \nb', 'x\nb']]),
  on(33, 'say “x” ‘y’\n')([['say "x" \'y\'', 'z']], SPELLING),
  on(33, 'say "x" \'y\'\n')([['say “x” ‘y’', 'z']]),
  on(33, 'a‐b‑c‒d–e—f―g−h\n')([['a-b-c-d-e-f-g-h', 'z']], SPELLING),
  on(33, 'a\u00A0b\u2002c\u200Ad\u202Fe\u205Ff\u3000g\n')([['a b c d e f g', 'z']], SPELLING),
  on(33, 'a\u2000b\n')([['a b', 'z']], SPELLING),
  on(33, 'ﬁ Ａ ½\n')([['fi A 1⁄2', 'z']], SPELLING),
  on(33, `${'é'.normalize('NFD')}\n`)([['é'.normalize('NFC'), 'z']], SPELLING),
  on(33, `${'é'.normalize('NFC')}\n`)([['é'.normalize('NFD'), 'z']]),
  on(34, 'keep  \n“q” — x\nsay “x”\n')([['say "x"', 'z']], both('KB-01')),
  on(34, 'keep  \nsay “x”\nend\n')(
    [
      ['say "x"', 'z'],
      ['end', 'END'],
    ],
    both('KB-01'),
  ),
  on(35, 'say "x"\nsay “x”\n')([['say "x"', 'z']], both('KB-03')),
  on(35, 'a   b\n')([['   ', ' ']], both('KB-04')),
  on(35, 'a\tb\n')([['\t', ' ']], both('KB-04')),
  on(36, 'say «x»\n')([['say "x"', 'z']], HINT),
  on(36, 'a\u200Bb\n')([['ab', 'z']], HINT),
  on(36, '  a\n')([['    a', 'z']], HINT),
  on(36, 'a  b\n')([['a b', 'z']], HINT),
  on(36, 'Abc\n')([['abc', 'z']], HINT),
  on(37, 'a b\n')([['b', '$& $1 $$']]),
  on(37, 'a🙂b\n')([['🙂', '😀']]),
  on(37, 'a\0b\n')([['b', 'c']]),
  on(37, Buffer.from([0xff, 0x0a, 0x61, 0x0a]))([['a', 'b']], both('KB-12')),
  ...others(),
  ...diffs(),
  {
    row: 41,
    title: 'two edits and twenty writes at once, also through a link',
    fixture: files({ f: 'a\nb\n', link: { link: 'f' } }),
    isParallel: true,
    isChange: true,
    calls: [
      { tool: 'edit', input: inputOf([['a', 'A']]) },
      { tool: 'edit', input: inputOf([['b', 'B']], 'link') },
      ...Array.from({ length: 20 }, (_, index) => ({
        tool: 'write' as const,
        input: { path: index % 2 === 0 ? 'f' : 'link', content: `${index}\n` },
      })),
    ],
  },
  on(41, 'a\n')([['a', 'b']], { abort: 'before' }),
  on(41, 'a\n')([['a', 'b']], { abort: 'after' }),
];

function others(): readonly OracleCase[] {
  const make = casesOf(
    'edit',
    38,
    files({
      'd/': { folder: 0o755 },
      f: 'a\n',
      closed: { content: 'a\n', mode: 0o444 },
      loop: { link: 'loop' },
      link: { link: 'f' },
      run: { content: 'a\n', mode: 0o755 },
      'it\u2019s': 'a\n',
    }),
  );
  const prepare = casesOf('edit', 39, files({ f: 'a\nb\n' }));
  const one = { oldText: 'a', newText: 'A' };
  const FORMS = { differs: { default: 'KB-08' } };
  return [
    ...['missing', 'd', 'f/x', 'loop', 'link', 'run', '@f', "it's"].map((path) =>
      make(inputOf([['a', 'b']], path)),
    ),
    make(inputOf([['a', 'b']], 'closed'), { isBounded: true }),
    prepare({ path: 'f', ...one }),
    prepare({ path: 'f', edits: [{ oldText: 'b', newText: 'B' }], ...one }),
    prepare({ path: 'f', edits: JSON.stringify([one]) }),
    prepare({ path: 'f', edits: '[{' }),
    prepare({ path: 'f', edits: '[]' }),
    prepare({ path: 'f', edits: one }, FORMS),
    prepare({ path: 'f', edits: JSON.stringify(one) }, FORMS),
    prepare({ path: 'f', edits: '[{', ...one }),
  ];
}

function diffs(): readonly OracleCase[] {
  return [
    on(
      40,
      numbered(30),
    )([
      ['L5\n', 'x\n'],
      ['L14\n', 'y\n'],
    ]),
    on(
      40,
      numbered(30),
    )([
      ['L5\n', 'x\n'],
      ['L15\n', 'y\n'],
    ]),
    on(
      40,
      numbered(40),
    )([
      ['L5\n', 'x\n'],
      ['L33\n', 'y\n'],
    ]),
    on(40, numbered(12))([['L1\nL2\n', 'L2\n']]),
    on(40, numbered(12))([['L6\n', 'L6\nnew\n']]),
    on(40, 'a\nb')([['b', 'b\n']]),
    on(40, 'a\nb\n')([['b\n', 'b']]),
    on(40, numbered(9))([['L9\n', 'L9\nL10\n']]),
    on(40, 'a\na\na\nb\na\n')([['b\na\n', 'a\nb\na\na\n']]),
  ];
}

function argumentCases(): readonly OracleCase[] {
  const make = casesOf('edit', 42, files({ f: 'a1b\n' }));
  const checked = (input: object, extra: Extra = HOUSE) => make(input, { host: 'check', ...extra });
  const pair = { oldText: 'a', newText: 'b' };
  return [
    checked({ path: 'f', edits: [{ ...pair, extra: 1 }] }),
    checked({ path: 'f', edits: [pair], extra: 1 }),
    checked({ path: 'f', edits: [{ oldText: 'a' }] }),
    checked({ path: 'f', edits: ['x'] }),
    checked({ path: 'f', edits: [{ old_text: 'a', new_text: 'b' }] }),
    checked({ path: [], edits: [pair, { oldText: {}, more: 1 }], extra: 1 }),
    checked({ path: 'f', edits: [null, 5] }),
    checked({ path: {} }),
    checked({}),
    checked({ path: 'f', edits: [pair] }, {}),
    checked(
      { path: 'f', edits: [{ oldText: 1, newText: 2 }] },
      both('the guard converts, the tool does not'),
    ),
  ];
}

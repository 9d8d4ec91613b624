import { compileHarness } from '@millforge/compiler';
import { readFixture } from './fixtures.ts';
import { harness } from './harness.ts';

/** A document that nobody should have written, and the notation that it claims to be in. */
export interface HostileDocument {
  readonly kind: HostileKind;
  readonly format: 'yaml' | 'json';
  readonly content: string | Uint8Array;
}

/** A whole number from 0 up to a bound. */
export type Random = (bound: number) => number;

/** What the documents attack. */
export type HostileKind = keyof typeof KINDS;

/** Makes the documents of a seed, one after the other, all kinds in turn. */
export function* hostileDocuments(seed: number): Generator<HostileDocument, never> {
  const random = createRandom(seed);
  for (let index = 0; ; index = (index + 1) % HOSTILE_KINDS.length) {
    const kind = HOSTILE_KINDS[index] ?? 'mixture';
    const format = random(3) === 0 ? 'json' : 'yaml';
    yield { kind, format, content: KINDS[kind](random, format) };
  }
}

/** Xorshift: the same seed gives the same documents everywhere. */
function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % bound;
  };
}

const REVIEW = { yaml: readFixture('review').text, json: jsonOf('review') };
const YAML = [
  REVIEW.yaml,
  readFixture('ticket-review').text,
  'a:\n  - b: 1\n    c:\n      - x\n  - |\n    t\n     u\n\nd: [1, {"e": 2}]\nf:\n- g\n- h: "i"\n',
];
const JSON_TEXT = [JSON.stringify(harness(), null, 1), REVIEW.json];

const KINDS = {
  truncation(random: Random, format: string) {
    const text = valid(random, format);
    return text.slice(0, random(text.length));
  },
  mutation(random: Random, format: string) {
    let text = valid(random, format);
    for (let count = random(4); count >= 0; count -= 1) text = mutate(text, random);
    return text;
  },
  edits(random: Random, format: string) {
    const lines = (format === 'json' ? REVIEW.json : REVIEW.yaml).split('\n');
    for (let count = random(3); count >= 0; count -= 1) {
      const at = random(lines.length);
      const line = lines[at] ?? '';
      const word = random(2) === 0 ? /[A-Za-z0-9]+/ : /[A-Za-z0-9]+(?=[^A-Za-z0-9]*$)/;
      lines[at] = pick(
        [
          `${line}  `,
          `${line}\n`,
          format === 'json' ? ` ${line}` : `${line} # ${random(9)}`,
          line.replace(word, (text) => `${text}${random(10)}`),
          line.replace(word, (text) => text.slice(1)),
          line.replace(word, () => String(random(99))),
          line.replace(/\bfalse\b|\btrue\b/, (text) => String(text === 'false')),
        ],
        random,
      );
    }
    return lines.join('\n');
  },
  lines(random: Random) {
    const lines = pick(YAML, random).split('\n');
    for (let count = random(4); count >= 0; count -= 1) {
      lines.splice(random(lines.length), random(3), lines[random(lines.length)] ?? '');
    }
    return lines.join('\n');
  },
  mixture(random: Random) {
    return many(random, 40, () => pick(FRAGMENTS, random)).join('');
  },
  suite(random: Random, format: string) {
    const snippets = format === 'json' ? JSON_SNIPPETS : YAML_SNIPPETS;
    const snippet = pick(snippets, random);
    return pick(
      [
        snippet,
        `{"a": ${snippet}}`,
        `a: ${snippet}\n`,
        `a:\n  - ${snippet}\n`,
        `${snippet}\nb: 1\n`,
      ],
      random,
    );
  },
  nesting(random: Random) {
    const depth = 1 << random(13);
    const open = pick(['[', '{"a":', '[{"a":', '- ', 'a: ', '? ', '"'], random);
    if (random(3) > 0) return `{"a": ${open.repeat(depth)}`;
    const step = 1 + random(3);
    const levels = Math.min(depth, 400);
    const head = pick(['a:', '-', '- a:', '"a":'], random);
    return Array.from({ length: levels }, (_, at) => `${' '.repeat(at * step)}${head}`).join('\n');
  },
  aliases(random: Random) {
    const levels = 1 + random(40);
    const lines = ['a0: &a0 ["lol", "lol"]'];
    for (let at = 1; at < levels; at += 1) {
      const before = `*a${at - 1}`;
      lines.push(
        random(4) === 0
          ? `a${at}: &a${at}\n  <<: ${before}`
          : `a${at}: &a${at} [${before}, ${before}]`,
      );
    }
    return lines.join('\n');
  },
  duplicates(random: Random, format: string) {
    const key = pick(['a', '__proto__', 'constructor', 'nodes', '1', ''], random);
    const forms = [`"${key}"`, `"\\u0061"`, `'${key}'`, key, ` ${key} `];
    const entries = many(random, 30, () => `${pick(forms, random)}: ${random(3)}`);
    return format === 'json' ? `{${entries.join(',')}}` : entries.join('\n');
  },
  encoding(random: Random, format: string) {
    const bytes = Buffer.from(valid(random, format));
    if (random(4) === 0) return Buffer.from(`\ufeff${bytes.toString('utf8')}`, 'utf16le');
    for (let count = random(6); count >= 0; count -= 1) {
      const part = pick(BAD_BYTES, random);
      bytes.set(part, random(Math.max(1, bytes.length - part.length)));
    }
    return new Uint8Array(bytes);
  },
  bytes(random: Random) {
    return Uint8Array.from({ length: random(300) }, () => random(256));
  },
  controls(random: Random, format: string) {
    const code = random(0xa0);
    const raw = String.fromCharCode(code);
    const escaped = `\\u${code.toString(16).padStart(4, '0')}`;
    return insert(valid(random, format), pick([raw, escaped, raw.repeat(40)], random), random);
  },
  scalars(random: Random) {
    const length = 1 << random(random(8) === 0 ? 18 : 12);
    const unit = pick(
      ['x', '9', 'é', '🙂', '\\', '"', "''", ' ', 'a ', '\\u0041', '0.', '\n  '],
      random,
    );
    const text = unit.repeat(Math.ceil(length / unit.length));
    return pick(
      [`a: ${text}`, `a: "${text}"`, `{"a":"${text}"}`, `a: |\n  ${text}`, `${text}: 1`],
      random,
    );
  },
  numbers(random: Random) {
    const digits = String(random(10)).repeat(1 + random(300));
    const number = pick(
      [
        digits,
        `-${digits}`,
        `0.${digits}`,
        `${digits}e${random(999)}`,
        `1e-${digits}`,
        `0x${digits}`,
      ],
      random,
    );
    return pick([`{"a":${number}}`, `a: ${number}`, `a: [${number}]`, `${number}: a`], random);
  },
  indentation(random: Random) {
    return pick(YAML, random)
      .split('\n')
      .map((line) => (random(6) === 0 ? `${pick(INDENTS, random)}${line.trimStart()}` : line))
      .join('\n');
  },
  spaces(random: Random, format: string) {
    const space = pick(UNICODE_SPACES, random);
    const text = valid(random, format);
    return random(2) === 0
      ? text.replaceAll(' ', () => (random(9) === 0 ? space : ' '))
      : insert(text, space, random);
  },
  endings(random: Random, format: string) {
    return valid(random, format).replaceAll('\n', () => pick(LINE_ENDS, random));
  },
  entries(random: Random, format: string) {
    const count = 1 << random(random(16) === 0 ? 15 : 9);
    const list = Array.from({ length: count }, (_, at) =>
      format === 'json' ? `"k${at}":${at}` : `k${at}: ${at}`,
    );
    if (format === 'json') return `{${list.join(',')}}`;
    return random(2) === 0 ? list.join('\n') : `a:\n${'- 1\n'.repeat(count)}`;
  },
  values(random: Random) {
    return JSON.stringify(harness(), (_key, value: unknown) =>
      random(12) === 0 ? structuredClone(pick<unknown>(VALUES, random)) : value,
    );
  },
  graphs(random: Random) {
    const size = 1 << random(random(8) === 0 ? 10 : 6);
    const nodes = Array.from({ length: size }, (_, at) => {
      const before = many(random, 4, () => ({ node_id: `n${random(size + 1)}` }));
      const result = random(9) === 0 ? { terminal_result: `R${random(4)}` } : {};
      return [`n${at}`, { tool_ref: `test.n${random(size)}@1`, prerequisites: before, ...result }];
    });
    return JSON.stringify(harness({ graph: { nodes: Object.fromEntries(nodes) } }));
  },
  secrets(random: Random) {
    const secret = pick(SECRETS, random).replaceAll('#', () => String(random(10)));
    return insert(
      valid(random, 'yaml'),
      pick([secret, `${secret}: 1\n`, `# ${secret}\n`], random),
      random,
    );
  },
} satisfies { readonly [kind: string]: (random: Random, format: string) => string | Uint8Array };

/** All kinds. */
const HOSTILE_KINDS = Object.keys(KINDS).filter((kind): kind is HostileKind => kind in KINDS);

function valid(random: Random, format: string): string {
  return pick(format === 'json' ? JSON_TEXT : YAML, random);
}

/** A valid harness in the other notation. */
function jsonOf(name: string): string {
  const { source, input } = readFixture(name);
  let parsed = '';
  compileHarness(source, {
    ...input,
    onPhase: (phase) => {
      if (phase.name === 'parse') parsed = phase.print();
    },
  });
  return parsed;
}

function mutate(text: string, random: Random): string {
  const at = random(text.length + 1);
  const removed = random(3);
  return text.slice(0, at) + pick(FRAGMENTS, random) + text.slice(at + removed);
}

function insert(text: string, part: string, random: Random): string {
  const at = random(text.length + 1);
  return text.slice(0, at) + part + text.slice(at);
}

function pick<T>(items: readonly [T, ...T[]] | readonly T[], random: Random): T {
  const item = items[random(items.length)];
  if (item === undefined) throw new TypeError('Nothing to choose from.');
  return item;
}

function many<T>(random: Random, most: number, make: () => T): T[] {
  return Array.from({ length: 1 + random(most) }, make);
}

const FRAGMENTS =
  `a|b: |c:\n|: |:|\n|\n\n|  | |- |-\n|- - |\u007c\n|\u007c-\n|>\n|# c\n|"x"|"|'y'|'|[1]|[|]|{|}|{"k": 1}|,|&a |*a|!t |\t|---\n|...\n|%Y\n|null|1|1.0|1e999|.inf|2026-06-14|? |<<: |\ufeff|\r\n|\\|@|__proto__: |é|🙂|\ud83d|\u0000`.split(
    '|',
  );
const JSON_SNIPPETS = [
  ...`[1,] [,1] [1,,2] [1 [1}] [1:2] [a] [-] [-01] [01] [1.] [.1] [1e] [1e+] [0x1] [1_0] [++1] [NaN] [Infinity] [tru] [True] {1:1} {a:1} {'a':1} {"a"} {"a":} {"a":1,} {"a":1"b":2} {"a"1} {,} {} [] "a" 1 null`.split(
    ' ',
  ),
  '["\\x"]',
  '["\\u12"]',
  '["\\ud800"]',
  '["\\ud83d\\ude42"]',
  '["\\udc00\\ud800"]',
  '["\ta"]',
  '["\n"]',
  '["a\u0000"]',
  '[1]x',
  '[1]//c',
  '/*c*/[1]',
  '[1]\u00a0',
  '\ufeff[1]',
  '{"a":1}{"b":2}',
  '{"__proto__":{"polluted":1}}',
];
const YAML_SNIPPETS = [
  '? a\n: b',
  '? - a\n: - b',
  '!!set {a, b}',
  '!!binary |\n  R0lG',
  '!<tag:x,2000:y> z',
  '%YAML 1.2\n---\na: 1',
  '%TAG ! tag:x:\n---\na: 1',
  '--- |1-\n x',
  '--- >\n x',
  '"a\\\n  b"',
  "'a\n  b'",
  '{a, b: c}',
  '[a, [b]: c]',
  '{a: 1,}',
  '[a\n, b]',
  '&a a: *a',
  '*a : b',
  '&a\n- b',
  '- - - x',
  '- a: b\n  - c',
  'a:\n b:\n  c: d\n e: f',
  'a: |\n\n   x\n  y',
  'a: |2\n  x',
  'a: |+\n  x\n\n',
  'a: >-\n  x\n',
  'a: |\n\tx',
  'a: # c\n  b',
  'a:b: c',
  ': a',
  'a: : b',
  'a: b: c',
  '"a": "b" c',
  '"a" : b',
  'a: b #c',
  'a: b#c',
  'a: "b"#c',
  '---\n---\n',
  '...\n',
  '---\na: 1\n...\nb: 2',
  '--- a: 1',
  '<<: {a: 1}',
  '<<: [*a, *b]',
  '2026-06-14: x',
  'a: 2026-06-14 10:00:00',
  'a: 0o17',
  'a: 1:30',
  'a: ~',
  '~: a',
  'true: a',
  '1.5: a',
  '.inf: a',
  'a: .NaN',
  '@a: b',
  '`a`: b',
  '%a: b',
  '- \t- a',
  '-\ta',
  'a:\tb',
  '\ta: b',
  'a:\n\t- b',
];
const BAD_BYTES = [
  [0xff],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0x80],
  [0xef, 0xbb, 0xbf],
  [0xfe, 0xff],
  [0x00],
];
const INDENTS = ['', ' ', '  ', '   ', '    ', '\t', ' \t', '\t ', '       ', '\u00a0', '\u3000'];
const UNICODE_SPACES = [
  '\u00a0',
  '\u0085',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u3000',
  '\ufeff',
  '\u200b',
  '\u180e',
];
const LINE_ENDS = ['\n', '\r\n', '\r', '\n\r', '\n\n', '\u2028', '\u0085'];
const VALUES = [
  null,
  {},
  [],
  '',
  ' ',
  0,
  -1,
  1.5,
  1e21,
  true,
  'x'.repeat(200),
  '__proto__',
  '../../x',
  'a@1',
  'a@99999999999',
  ['a', 'a'],
  [null],
  { a: 1 },
  { node_id: 'a' },
  [[[[[]]]]],
  '\u2028',
  '🙂',
];
const SECRETS = [
  'sk-proj-a#b#c#d#e#f#g#h#i#j#',
  'ghp_a#b#c#d#e#f#g#h#i#j#k#',
  'AKIAABCDEFGHIJ######',
  'Bearer a#b#c#d#e#f#g#h#i#j#',
  'eyJhbGciOiJI#.eyJzdWIiOiIx#.SflKxwRJSMeK#',
  'PASSWORD=hunter######',
  'https://user:pass######@example.org/',
  '-----BEGIN PRIVATE KEY-----MIIE####',
];

import { casesOf } from '../harness/case-builder.ts';
import { files, lines } from '../harness/fixture.ts';
import { drawing, GRADIENT, noise, turnedPhotograph } from '../harness/made-images.ts';
import type { OracleCase } from '../harness/oracle-case.ts';

const abc = files({ f: 'a\nb\nc\n' });
const png = (chunks: readonly (readonly [string, number])[]) =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...chunks.map(([name, size]) => {
      const chunk = Buffer.alloc(12 + size);
      chunk.writeUInt32BE(size, 0);
      chunk.write(name, 4, 'latin1');
      return chunk;
    }),
  ]);

const empty = casesOf('read', 1, files({ f: '' }));
const offsets = casesOf('read', 2, abc);
const limits = casesOf('read', 3, abc);
const unended = casesOf('read', 4, files({ f: 'a\nb\nc' }));
const bytes = casesOf(
  'read',
  5,
  files({ crlf: 'a\r\nb\r\n', bom: '\uFEFFa\nb\n', wild: Buffer.from([0, 0xff, 0x61, 0xc3, 10]) }),
);
const long = casesOf(
  'read',
  6,
  files({
    a2000: lines(2000),
    a2001: lines(2001),
    b2001: lines(2001).trimEnd(),
    a2500: lines(2500),
  }),
);
const wide = casesOf('read', 7, files({ f: `${'x'.repeat(98)}\n`.repeat(600) }));
const huge = casesOf(
  'read',
  8,
  files({
    a: 'x'.repeat(51_200),
    b: 'x'.repeat(51_201),
    c: `${'x'.repeat(51_199)}\n`,
    d: `${'x'.repeat(51_200)}\n`,
    e: `short\n${'x'.repeat(60_000)}\nend\n`,
    'f g': 'é'.repeat(30_000),
    h: 'é'.repeat(30_000),
  }),
);
const missing = casesOf(
  'read',
  9,
  files({
    f: 'x',
    'd/': { folder: 0o755 },
    dangling: { link: 'nowhere' },
    loop: { link: 'loop' },
    closed: { content: 'x', mode: 0 },
  }),
);
const named = casesOf('read', 10, files({ one: '1\n', '@lit': 'lit\n', lit: 'no\n', 'a b': 'ab' }));
const spaced = casesOf('read', 11, files({ 'sp ace.txt': 'x' }));
const mac = casesOf(
  'read',
  12,
  files({
    'Shot 10.00.00\u202FAM.txt': 'am',
    'Shot 11.00.00\u202Fpm.txt': 'pm',
    [`${'é'.normalize('NFD')}.txt`]: 'nfd',
    'it\u2019s.txt': 'curly',
    [`${'é'.normalize('NFD')}\u2019s.txt`]: 'both',
    [`${'ü'.normalize('NFC')}.txt`]: 'nfc',
  }),
);
const images = casesOf(
  'read',
  13,
  files({
    'text.png': 'text\n',
    gif: 'GIFTS = 1\n',
    cut: png([]),
    apng: png([
      ['IHDR', 13],
      ['acTL', 8],
      ['IDAT', 4],
    ]),
    bmp: 'BM6\0\0\0\0\0\0\0 some more bytes of it\n',
    wave: 'RIFF\x24\0\0\0WAVEfmt \n',
    'jpeg-ls': Buffer.from([0xff, 0xd8, 0xff, 0xf7, 0x61]),
  }),
);

const shown = casesOf(
  'read',
  14,
  files({
    a: drawing(2000, 10, GRADIENT),
    b: drawing(2001, 10, GRADIENT),
    c: drawing(3000, 1000, GRADIENT),
    noise: drawing(1600, 1600, noise()),
    broken: drawing(40, 40, GRADIENT).subarray(0, 60),
    turned: turnedPhotograph(2100, 300, GRADIENT),
  }),
);
/** What one model cannot see stands in its requests, and not in the result for all. */
const BLIND = { strict: 'KB-19', default: 'KB-19' };

const TOTALS = { default: 'KB-13' };

export const readCases: readonly OracleCase[] = [
  empty({ path: 'f' }),
  empty({ path: 'f', offset: 1 }),
  empty({ path: 'f', offset: 2 }, { differs: TOTALS }),
  offsets({ path: 'f', offset: 2 }),
  offsets({ path: 'f', offset: 4 }, { differs: TOTALS }),
  offsets({ path: 'f', offset: 5 }, { differs: TOTALS }),
  offsets({ path: 'f', offset: 0 }),
  offsets({ path: 'f', offset: -3 }),
  limits({ path: 'f', limit: 1 }, { differs: TOTALS }),
  limits({ path: 'f', limit: 3 }, { differs: TOTALS }),
  limits({ path: 'f', limit: 4 }),
  limits({ path: 'f', limit: 0 }, { differs: { default: 'KB-30' } }),
  limits({ path: 'f', offset: 2, limit: 1 }, { differs: TOTALS }),
  unended({ path: 'f', limit: 2 }),
  bytes({ path: 'crlf' }),
  bytes({ path: 'bom' }),
  bytes({ path: 'wild' }),
  long({ path: 'a2000' }),
  long({ path: 'a2001' }, { differs: TOTALS }),
  long({ path: 'b2001' }),
  long({ path: 'a2500', offset: 500 }, { differs: TOTALS }),
  long({ path: 'a2500', offset: 501 }),
  long({ path: 'a2500', limit: 2200 }, { differs: TOTALS }),
  long({ path: 'a2500', limit: 2000 }, { differs: TOTALS }),
  long({ path: 'a2500', offset: 2400, limit: 50 }, { differs: TOTALS }),
  wide({ path: 'f' }, { differs: TOTALS }),
  huge({ path: 'a' }),
  huge({ path: 'b' }),
  huge({ path: 'c' }),
  huge({ path: 'd' }, { differs: TOTALS }),
  huge({ path: 'e' }, { differs: TOTALS }),
  huge({ path: 'e', offset: 2 }),
  huge({ path: 'f g' }, { differs: { default: 'KB-46' } }),
  huge({ path: 'h' }),
  missing({ path: 'missing' }),
  missing({ path: 'd' }),
  missing({ path: '' }),
  missing({ path: 'f/x' }),
  missing({ path: 'dangling' }),
  missing({ path: 'loop' }),
  missing({ path: 'closed' }, { isBounded: true }),
  missing({ path: 'a\0b' }, { differs: { default: 'a path with NUL is refused in our words' } }),
  named({ path: '@one' }),
  named({ path: '@@one' }),
  named({ path: '@lit' }, { differs: { default: 'KB-47' } }),
  named({ path: '@@lit' }),
  named({ path: './@lit' }),
  named({ path: '~' }),
  named({ path: '~/none' }),
  named({ path: '~root/x' }),
  named({ path: 'file:///etc/hostname' }),
  named({ path: 'file:///etc/host%6Eame' }),
  named({ path: 'FILE:///etc/hostname' }),
  named({ path: 'file://other/etc/hostname' }),
  spaced({ path: 'sp\u00A0ace.txt' }),
  spaced({ path: 'sp\u2003ace.txt' }),
  spaced({ path: 'sp\u200Bace.txt' }),
  mac({ path: 'Shot 10.00.00 AM.txt' }),
  mac({ path: 'Shot 11.00.00 pm.txt' }),
  mac({ path: `${'é'.normalize('NFC')}.txt` }),
  mac({ path: "it's.txt" }),
  mac({ path: `${'é'.normalize('NFC')}'s.txt` }),
  mac({ path: `${'ü'.normalize('NFD')}.txt` }),
  images({ path: 'text.png' }),
  images({ path: 'gif' }, { differs: { default: 'KB-15' } }),
  images({ path: 'cut' }),
  images({ path: 'apng' }),
  images({ path: 'bmp' }),
  images({ path: 'wave' }),
  images({ path: 'jpeg-ls' }),
  shown({ path: 'a' }),
  shown({ path: 'b' }),
  shown({ path: 'c' }),
  shown({ path: 'noise' }),
  shown({ path: 'broken' }),
  shown({ path: 'turned' }),
  shown({ path: 'c' }, { host: 'unscaled' }),
  shown({ path: 'broken' }, { host: 'unscaled' }),
  shown({ path: 'a' }, { host: 'blind', differs: BLIND }),
  casesOf('read', 15, abc)({ path: 'f' }, { abort: 'before' }),
  casesOf('read', 15, abc)({ path: 'f' }, { abort: 'after' }),
];

import { createRedactor } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const PHRASE = 'correct horse "battery"\n\nstaple';
const SECRETS = [PHRASE, 'correct horse', 'open sesame', 'sesame seed', '秘密 の鍵', 'aab aab aab'];
const redactor = createRedactor({ secrets: SECRETS });
const LINE = 'MIIEpAIBAAKCAQEA7Vn5pQ3xT9eW1kLr+8uYbZc2dFgHjKmNoPqRsTuVwXyZ0123';
const begin = (kind: string): string => `-----BEGIN ${kind}PRIVATE KEY-----`;
const end = (kind: string): string => `-----END ${kind}PRIVATE KEY-----`;
const ENCRYPTED = `${begin('RSA ')}\nProc-Type: 4,ENCRYPTED\n\n${LINE}\n${LINE.slice(9)}\n${end('RSA ')}`;

/** What is given of a text that comes in these pieces, piece by piece. */
function given(pieces: readonly string[], from = redactor): string[] {
  const next = from.stream();
  return pieces.map((piece) => next(piece));
}

function characters(text: string): string[] {
  return text.split('');
}

/** Cuts a text into pieces whose lengths repeat. */
function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1)
    pieces.push(text.slice(at, at + (lengths[pieces.length % lengths.length] ?? 1)));
  return pieces;
}

test.each([
  ['a known secret of several words', `Say ${PHRASE} now `, 'Say **redacted** now '],
  [
    'a known secret of several words in JSON text',
    `Say ${JSON.stringify(PHRASE)} now `,
    'Say "**redacted**" now ',
  ],
  [
    'a known secret of several words in a URL',
    `See /${encodeURIComponent(PHRASE)} now `,
    'See /**redacted** now ',
  ],
  ['a known secret in a script without spaces', '鍵は秘密 の鍵です。', '鍵は**redacted**です。'],
  ['a known secret that ends early', 'Say open sesam, please ', 'Say open sesam, please '],
  [
    'the longest of two known secrets',
    `Say correct horse, ${PHRASE} `,
    'Say **redacted**, **redacted** ',
  ],
  [
    'the first of two known secrets that overlap',
    'Say open sesame seed and sesame seed now ',
    'Say **redacted** seed and **redacted** now ',
  ],
  [
    'a private key with headers and an empty line',
    `Here: ${ENCRYPTED} so `,
    `Here: ${begin('RSA ')}**redacted**${end('RSA ')} so `,
  ],
  [
    'the end of a private key',
    `${LINE}\n${LINE}\nAbC= ${end('')} so `,
    `**redacted**${end('')} so `,
  ],
  [
    'a quoted value of several words',
    `PASSWORD="my horse's name" run `,
    'PASSWORD="**redacted**" run ',
  ],
  ['a token on another line', 'Bearer\n\nabcdef0123456789 so ', 'Bearer\n\n**redacted** so '],
  ['a value behind spaces', 'password = hunter2hunter2 so ', 'password = **redacted** so '],
  [
    'a scheme before a token',
    'Authorization: Basic  dXNlcg so ',
    'Authorization: Basic  **redacted** so ',
  ],
  ['a spaced signature in a query', 'a?sig = Zx81kkPq02LmNv7Q so ', 'a?sig = **redacted** so '],
  ['cookies', 'Cookie: a=b; c=d\nand so ', 'Cookie: **redacted**\nand so '],
])('%s is replaced in a text that comes character by character', (_, text, expected) => {
  expect(redactor.text(text)).toBe(expected);
  expect(given(characters(text)).join('')).toBe(expected);
  for (let at = 0; at < text.length; at++) {
    const [before = '', after = ''] = given([text.slice(0, at), text.slice(at)]);
    expect(expected.startsWith(before)).toBe(true);
    expect(before + after).toBe(expected);
  }
});

test('ordinary text waits for the end of a word alone', () => {
  expect(given(['I wi', 'll look ', 'at 你好', '，x=1 or ', 'the token is ', '2: a'])).toEqual([
    'I ',
    'will look ',
    'at 你好',
    '，x=1 or ',
    'the token is ',
    '2: ',
  ]);
});

test('a secret is not looked for within a replacement that comes in pieces', () => {
  const pieces = characters('a **redacted** b dacted c ');
  expect(given(pieces, createRedactor({ secrets: ['dacted'] })).join('')).toBe(
    'a **redacted** b **redacted** c ',
  );
});

test('no character is given by halves', () => {
  expect(given(characters('x 😀😀 y '))).toEqual(['', 'x ', '', '😀', '', '😀', ' ', '', 'y ']);
});

test('what looked like the beginning of a secret comes once it is none', () => {
  expect(given(['a correct hor', 'n. ', `b ${LINE} `, 'and ', 'more '])).toEqual([
    'a ',
    'correct horn. ',
    'b ',
    '',
    `${LINE} and more `,
  ]);
});

const PARTS = [
  ...SECRETS,
  PHRASE.slice(0, 9),
  PHRASE.slice(0, 27),
  JSON.stringify(PHRASE),
  encodeURIComponent(PHRASE),
  'aab ',
  'aab',
  ENCRYPTED,
  ENCRYPTED.slice(0, 90),
  begin(''),
  end('EC '),
  `${LINE}\n`,
  LINE.slice(20),
  LINE.slice(50),
  '\\n',
  '-----BEGIN ',
  '-----',
  'password = ',
  'token: "',
  'Authorization: Basic ',
  'Cookie: a=b; ',
  '?sig = ',
  'my_token="a ',
  'Zx81kkPq02LmNv7Q ',
  'password',
  'cookie',
  'authorization',
  '?sig',
  '=',
  ':',
  '==',
  '"',
  "'",
  '\\"',
  'Bearer ',
  'bearer',
  'Basic ',
  'abcdef0123456789',
  'hunter2hunter2',
  'https://',
  'me:pw@host',
  '${X}',
  'a=b; c=d',
  'the',
  'so,',
  '語',
  '語\u3000',
  '😀',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '\n\n',
  '\u00a0',
  '**redacted**',
];

const RUNS = Number(process.env['MILLFORGE_REDACTION_RUNS'] ?? 3000);

test('what was given is at any time a beginning of the whole text redacted, however it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PARTS), { maxLength: 24 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }),
      (parts, lengths) => {
        const text = parts.join('');
        const shown = given(cut(text, lengths)).join('');
        expect(redactor.text(text).slice(0, shown.length)).toBe(shown);
      },
    ),
    { numRuns: RUNS },
  );
}, 600_000);

test('a text without any space costs what its length does', () => {
  const next = redactor.stream();
  let length = 0;
  for (let piece = 0; piece < 100_000; piece++) length += next('abcdefghij').length;
  expect(length).toBe(0);
  expect(next('! '.repeat(20_000))).toHaveLength(1_040_000);
});

test('thirty thousand known secrets are looked for at no more than the length of the text, piece by piece', () => {
  const secrets = Array.from({ length: 30_000 }, (_, at) => `sk_${at * 7919}_${'x'.repeat(30)}`);
  const next = createRedactor({ secrets }).stream();
  const text = `the sk_${5 * 7919}_${'x'.repeat(29)}y or sk_1 ${secrets[77]} so `.repeat(500);
  let shown = '';
  for (const piece of characters(text)) shown += next(piece);
  expect(shown).toBe(text.replaceAll(secrets[77] ?? '', '**redacted**'));
});

test('a replacement and what stands beside it are no known secret together', () => {
  const stars = createRedactor({ secrets: ['pass', 'word**', '**next'] });
  const text = 'a wordpass b passnext c word** d ';
  const expected = 'a word**redacted** b **redacted**next c **redacted** d ';
  expect(stars.text(text)).toBe(expected);
  expect(given(characters(text), stars).join('')).toBe(expected);
  expect(stars.unfinished(text)).toBe(expected);
});

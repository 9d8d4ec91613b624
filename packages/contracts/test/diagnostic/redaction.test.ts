import { createRedactor, type JsonValue, looksSecret } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const redactor = createRedactor();
const R = '**redacted**';
/** Put together here, so that no scanner takes this file for a leak. */
const key = (prefix: string, body = 'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2'): string =>
  prefix + body;
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', 'dozjgNryP4J3jVmN'].join('.');
const pem = (kind: string): string => `-----BEGIN ${kind}PRIVATE KEY-----`;

const pemEnd = '-----END RSA PRIVATE KEY-----';
const LINE = 'MIIEpAIBAAKCAQEA7Vn5pQ3xT9eW1kLr+8uYbZc2dFgHjKmNoPqRsTuVwXyZ0123';

test.each([
  ['an assignment in an environment', 'export MY_TOKEN=x y', `export MY_TOKEN=${R} y`],
  ['an assignment, keeping its = (B-03)', 'token=abc', `token=${R}`],
  [
    'a query parameter, keeping its neighbours',
    'GET /a?x=1&api_key=abc&y=2',
    `GET /a?x=1&api_key=${R}&y=2`,
  ],
  ['an encoded parameter name', 'https://h/a?api%5Fkey=abc&y', `https://h/a?api%5Fkey=${R}&y`],
  ['a signature in a query', 'https://h/a?sig=abc%2B&se=1', `https://h/a?sig=${R}&se=1`],
  [
    'an access token in a fragment',
    'https://h/cb#access_token=abc&x=1',
    `https://h/cb#access_token=${R}&x=1`,
  ],
  ['a quoted assignment', `PASSWORD='correct horse' run`, `PASSWORD='${R}' run`],
  ['a value after a colon (B-03)', 'password: hunter2hunter2', `password: ${R}`],
  ['a value in JSON text', '{"password":"s3cr3tpass","a":1}', `{"password":"${R}","a":1}`],
  [
    'a value in escaped JSON text',
    '{\\"client_secret\\":\\"s3cr3tpass\\"}',
    `{\\"client_secret\\":\\"${R}\\"}`,
  ],
  ['a spaced assignment', 'aws_secret_access_key = wJalrXUtnFEMI7', `aws_secret_access_key = ${R}`],
  ['a declared constant', 'const token := "abcdef123456"', `const token := "${R}"`],
  ['a bearer token', 'Authorization: Bearer abcdefghijklmnop', `Authorization: Bearer ${R}`],
  [
    'a basic authorization',
    '-H "Authorization: Basic dXNlcjpwYXNz"',
    `-H "Authorization: Basic ${R}"`,
  ],
  ['a cookie header', 'Cookie: a=b; c=d\r\nAccept: x', `Cookie: ${R}\r\nAccept: x`],
  [
    'the userinfo of a URL',
    'git clone https://me:pw@host/x.git',
    `git clone https://${R}@host/x.git`,
  ],
  ['userinfo with an @ inside', 'postgres://u:p@ss@h:5432/db', `postgres://${R}@h:5432/db`],
  ['userinfo before an invalid port (B-06)', 'http://u:pw@host:PORT/x', `http://${R}@host:PORT/x`],
  ['a token that poses as a user', `https://${key('x')}@host/`, `https://${R}@host/`],
  [
    'a private key (B-03)',
    `a ${pem('RSA ')}\nMIIE/+=\n-----END RSA PRIVATE KEY----- b`,
    `a ${pem('RSA ')}${R}-----END RSA PRIVATE KEY----- b`,
  ],
  ['a private key without its end', `${pem('')}\nMIIE\nAAAA "next"`, `${pem('')}${R}"next"`],
  [
    'a private key whose beginning was cut off',
    `${LINE.slice(20)}\n${LINE}\nQk1=\n${pemEnd} b`,
    `${R}${pemEnd} b`,
  ],
  [
    'an escaped end of a private key',
    `the log says ${LINE}\\nQk1=\\n${pemEnd}`,
    `the log says ${R}${pemEnd}`,
  ],
  ['a key of OpenAI, dash and all (B-03)', `use ${key('sk-')} now`, `use ${R} now`],
  ['a project key of OpenAI (D-17)', key('sk-proj-', 'Ab1Cd2Ef3-Gh4Ij5Kl6_Mn7Op8Qr9St0Uv1'), R],
  ['a key of Anthropic (D-17)', key('sk-ant-api03-'), R],
  ['a short dashed key', 'pk-abcd1234', R],
  ['a live key of Stripe', key('sk_live_'), R],
  [
    'a token of GitHub',
    `${key('ghp_')} ${key('gho_')} ${key('github_pat_', '11ABCDEFG0_abcdefghijkl')}`,
    `${R} ${R} ${R}`,
  ],
  ['a token of GitLab', key('glpat-', 'abcdefghij_klmnopqrst'), R],
  ['a key of Groq', key('gsk_', 'abcdefghijklmnopqrstuvwxyz0123456789'), R],
  ['a key id of AWS', key('AKIA', 'IOSFODNN7EXAMPLE'), R],
  ['a token of Slack', key('xoxb-', '123456789012-abcdefABCDEF'), R],
  ['a JWT', `(${jwt})`, `(${R})`],
  ['what an inner replacement makes a value', 'MY_SECRET=${MY_SECRET=}', `MY_SECRET=${R}`],
  ['a JWT behind the rest of another token', `eyJ.${jwt}`, R],
  ['a bearer token behind another one', `Bearer .Bearer ${key('')}`, `Bearer .Bearer ${R}`],
])('replaces %s', (_, text, expected) => {
  expect(redactor.text(text)).toBe(expected);
});

test.each([
  '</div> // comment',
  'if (a <b) { x = y /* z */ }',
  'http://localhost:PORT/x?a=1&b=%20#section',
  'https://example.com/a/b?page_token=abc&q=C%2B%2B#top',
  'ssh://git@github.com/x/y.git and https://registry.npmjs.org/@scope/name',
  'password: required',
  'The token: string is parsed by the tokenizer; secret: it has none.',
  'bearer of bad news, and a Bearer authentication scheme',
  'max_tokens=4096 max_output_tokens: 16384, token_count: 12345678',
  'const token = getToken(); const apiKey = process.env.API_KEY;',
  'f(token=self.token, password=read_password())',
  'token: Uint8Array, password: config.auth0.password, secret: $secret',
  'curl -H "Authorization: Bearer $TOKEN" -u "$USER:${PASS}" API_KEY=${API_KEY}',
  'password: ********',
  'api_key_env: OPENAI_API_KEY_2, secret_ref: main-account-1',
  'token == other_token1, Token::new(abc12345)',
  'sk-learn pipelines, org-chart-container, a task-1234567890123456',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  'sha256 dafaa58e5d1a4a2f68e81968a174016e0b8211d86a0d94c51f69e245377e651d',
])('leaves ordinary text alone: %s (B-06)', (text) => {
  expect(redactor.text(text)).toBe(text);
  expect(looksSecret(text)).toBe(false);
});

test.each([
  'MY_TOKEN=x',
  'X_API_KEY_2=y',
  'bearer abcdefghijklmnop',
  'token=abcdefgh',
  'secret: abcdefg1',
  'https://me:pw@host/',
  pem('OPENSSH '),
  key('sk-', 'abcdefghijklmnop'),
  key('sk-proj-'),
  key('ghp_'),
  key('AKIA', 'IOSFODNN7EXAMPLE'),
  jwt,
])('detects %s in a document', (text) => {
  expect(looksSecret(text)).toBe(true);
  expect(looksSecret(`some words ${text} and more`)).toBe(true);
});

test.each(['TOKEN=x', 'token=short', 'pk-abcd1234', '', '   ', R])(
  'does not refuse a document for %j',
  (text) => {
    expect(looksSecret(text)).toBe(false);
  },
);

test('takes the immediate name of metadata as evidence, and no other name (B-02)', () => {
  expect(looksSecret('anything', 'api-key')).toBe(true);
  expect(looksSecret('anything', 'accessToken')).toBe(true);
  expect(looksSecret('anything', 'set_cookie')).toBe(true);
  expect(looksSecret('  ', 'password')).toBe(false);
  expect(looksSecret('anything', 'max_tokens')).toBe(false);
  expect(looksSecret('anything', 'next_page_token')).toBe(false);
  expect(looksSecret('anything', 'api_key_env')).toBe(false);
  expect(looksSecret('anything')).toBe(false);
});

test('replaces known values first, whatever they look like (D-17)', () => {
  const { text } = createRedactor({ secrets: ['swordfish', 'sword', 'a/b c"d', 'abc'] });
  expect(text('swordfish swords abc')).toBe(`${R} ${R}s abc`);
  expect(text('x=a%2Fb%20c%22d {"k":"a/b c\\"d"}')).toBe(`x=${R} {"k":"${R}"}`);
});

test('accepts known values with characters that patterns treat specially', () => {
  const { text } = createRedactor({ secrets: ['a.*+?^${}()|[]\\/-', 'redacted', '\ud800lone'] });
  expect(text('1 a.*+?^${}()|[]\\/- 2')).toBe(`1 ${R} 2`);
  expect(text(text('it is redacted'))).toBe(`it is ${R}`);
  expect(text('\ud800lone')).toBe(R);
});

test('changes string leaves only, never the shape (B-05)', () => {
  const value: JsonValue = {
    token_count: 12,
    password: 'x',
    nested: [{ 'api-key': 'x', note: 'MY_TOKEN=x' }],
    secrets: { github: 'x', ports: [1, 'y'] },
    authorization: { kind: 'approved' },
    cookies: ['a', { b: 'c' }],
    next_page_token: 'p',
    empty_password: '',
  };
  expect(redactor.value(value)).toEqual({
    token_count: 12,
    password: R,
    nested: [{ 'api-key': R, note: `MY_TOKEN=${R}` }],
    secrets: { github: R, ports: [1, R] },
    authorization: { kind: 'approved' },
    cookies: [R, { b: R }],
    next_page_token: 'p',
    empty_password: '',
  });
});

test('does not take the property names of a schema for evidence (B-02)', () => {
  const schema: JsonValue = {
    type: 'object',
    properties: { password: { type: 'string' }, api_key: { type: 'string', enum: ['a'] } },
  };
  expect(redactor.value(schema)).toEqual(schema);
});

test('keeps a key named __proto__ and copes with any depth', () => {
  const odd: JsonValue = JSON.parse('{"__proto__":{"password":"x"}}');
  expect(JSON.stringify(redactor.value(odd))).toBe(`{"__proto__":{"password":"${R}"}}`);
  let deep: JsonValue = 'token=abc';
  for (let level = 0; level < 100_000; level++) deep = [deep];
  let redacted = redactor.value(deep);
  while (Array.isArray(redacted)) redacted = redacted[0] ?? null;
  expect(redacted).toBe(`token=${R}`);
});

const fragment = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'token',
    'password',
    '=',
    ': ',
    ':',
    ' ',
    '"',
    "'",
    '\\"',
    '&',
    '?',
    '\n',
    '@',
    '://',
    'https://',
    'u:p@',
    R,
    'API_KEY',
    'MY_SECRET=',
    'Bearer ',
    'Authorization: ',
    'Cookie: ',
    'a=b; c',
    pem(''),
    '-----END ',
    'sk-',
    'eyJ',
    'abc12345',
    key(''),
    jwt,
    key('sk-'),
    key('ghp_'),
    'swordfish',
    ',',
    ')',
    '${',
    '}',
    '$TOKEN',
    'x',
    '.',
    '-',
  ),
);
const texts = fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join(''));

test('redacting twice is redacting once', () => {
  const known = createRedactor({ secrets: ['swordfish'] });
  fc.assert(
    fc.property(texts, (text) => {
      const once = known.text(text);
      expect(known.text(once)).toBe(once);
    }),
    { numRuns: 3000 },
  );
});

test('leaves nothing that a document would be refused for', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(looksSecret(redactor.text(text))).toBe(false);
    }),
    { numRuns: 3000 },
  );
});

test('keeps the shape of any value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(shapeOf(redactor.value(value as JsonValue))).toEqual(shapeOf(value as JsonValue));
    }),
  );
});

test('takes linear time for hostile texts', () => {
  const hostile = [
    'a',
    'a-',
    'a:',
    '=',
    'TOKEN',
    'token:',
    'token=',
    'token="',
    'token="token=\'token=`',
    'eyJ-',
    'eyJ.',
    'sk-',
    'xoxb-',
    'a://',
    'http://u:p@',
    'bearer ',
    'authorization: ',
    'cookie:',
    pem(''),
    '-----BEGIN ',
    'token=a(',
  ];
  for (const part of hostile) {
    const text = part.repeat(Math.ceil(250_000 / part.length));
    const started = performance.now();
    redactor.text(text);
    // A quadratic search takes ten seconds and more; the bound leaves room for a slow machine.
    expect([part, performance.now() - started < 4000]).toEqual([part, true]);
  }
});

function shapeOf(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? 'string' : value;
  return Object.entries(value).map(([name, item]) => [name, shapeOf(item)]);
}

test('replaces secrets that overlap as one', () => {
  const found = key('sk-');
  expect(createRedactor().text(`postgres://u:${found}@h/db`)).toBe(`postgres://${R}@h/db`);
});

test('finds the shortest secret that there is', () => {
  expect(looksSecret('?sig=x')).toBe(true);
  expect(looksSecret('://a:b@')).toBe(true);
  expect(looksSecret('sig=x')).toBe(false);
});

test('tells of a text that may go on nothing that may become a known secret', () => {
  const secrets = ['hunter2-hunter2', 'a "quoted" one', 'hunter2'];
  const knowing = createRedactor({ secrets });
  expect(knowing.unfinished('the password is hunter2-hu')).toBe('the password is ');
  expect(knowing.unfinished('the password is hunter2-hunter2')).toBe(`the password is ${R}`);
  // Three characters are no secret, and an end that fits by chance is a word of the text.
  expect(knowing.unfinished('with a hun')).toBe('with a hun');
  expect(knowing.unfinished('{"key":"a \\"quo')).toBe('{"key":"');
  expect(createRedactor().unfinished('half')).toBe('half');
  const whole = `x ${secrets.join(' y ')} z`;
  for (let end = 0; end <= whole.length; end++) {
    const shown = knowing.unfinished(whole.slice(0, end));
    for (const secret of secrets) expect(shown).not.toContain(secret.slice(0, 4));
  }
});

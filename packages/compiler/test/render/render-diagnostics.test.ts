import { compileHarness } from '@millforge/compiler';
import { renderDiagnostics } from '@millforge/compiler/render';
import type { Diagnostic } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { readFixture } from '../support/fixtures.ts';

const review = readFixture('review');

function diagnostic(parts: Partial<Diagnostic>): Diagnostic {
  return {
    code: 'MF-S020',
    name: 'source-schema-invalid',
    severity: 'error',
    phase: 'schema',
    message: 'Source schema validation failed.',
    path: '/a',
    ...parts,
  };
}

/** The rows of the frame of one place, without the head and the page. */
function frame(source: string, span: Diagnostic['span'], width?: number): readonly string[] {
  const found = span === undefined ? diagnostic({}) : diagnostic({ span });
  const text = renderDiagnostics([found], { source, ...(width === undefined ? {} : { width }) });
  return text.trimEnd().split('\n').slice(1, -1);
}

test('shows place, sentence, lines, mark, hint and page', () => {
  const text = review.text.replace('docs.review.write@2', 'docs.reviw.write@2');
  const { diagnostics } = compileHarness(text, {
    ...review.input,
    request: { ...review.input.request, logicalPath: 'harness.yaml' },
  });
  expect(renderDiagnostics(diagnostics.slice(0, 1), { source: text })).toBe(
    `harness.yaml:30:7: error MF-R002: Tool binding docs.reviw.write@2 could not be resolved. (/graph/nodes/1/tool_ref)
  29 |     write_review:
> 30 |       tool_ref: docs.reviw.write@2
     |       ^^^^^^^^
  31 |       produces: ["review_notes"]
  hint: Did you mean 'docs.review.write@2'?
  page: docs/codes/R/MF-R002.md
`,
  );
});

test('shows no frame without a source or a place, and nothing for nothing', () => {
  const found = diagnostic({ logicalPath: 'h.yaml', span: { line: 9, column: 1 } });
  const head = 'h.yaml:9:1: error MF-S020: Source schema validation failed. (/a)';
  const expected = `${head}\n  page: docs/codes/S/MF-S020.md\n`;
  expect(renderDiagnostics([found])).toBe(expected);
  expect(renderDiagnostics([found], { source: 'a: 1\n' })).toBe(expected);
  expect(renderDiagnostics([])).toBe('');
});

test('separates diagnostics by a blank line, and takes name and pages from the caller', () => {
  const text = renderDiagnostics([diagnostic({}), diagnostic({})], {
    path: 'x.yaml',
    pages: 'https://docs.example/codes',
  });
  const one =
    'x.yaml: error MF-S020: Source schema validation failed. (/a)\n  page: https://docs.example/codes/S/MF-S020.md\n';
  expect(text).toBe(`${one}\n${one}`);
});

test.each<[string, string, number, string]>([
  ['a key to its colon', 'name: 1', 1, '^^^^'],
  ['a quoted key', '"a b": 1', 1, '^^^^^'],
  ['an item with its first word', '- node_id: a', 1, '^^^^^^^^^'],
  ['a character that begins no word', ': 1', 1, '^'],
  ['the end of a line', 'ab', 3, '  ^'],
  ['behind a tab', '\tname: 1', 2, '    ^^^^'],
  ['behind wide characters', '名前 = x', 6, '       ^'],
  ['behind a combining mark', 'e\u0301 x', 4, '  ^'],
  ['wide characters by their width', '名前: 1', 1, '^^^^'],
  ['behind a character outside the basic plane', '🙂 x', 3, '   ^'],
])('marks %s', (...row) => {
  const [, line, column, carets] = row;
  expect(frame(line, { line: 1, column })[1]).toBe(`    | ${carets}`);
});

test('marks a stated end', () => {
  const span = { line: 1, column: 3, endLine: 1, endColumn: 6 };
  expect(frame('abcdefgh', span)[1]).toBe('    |   ^^^');
});

test('counts lines as the parser does', () => {
  expect(frame('\ufeffa: 1\r\nb: 2\rc: 3\n', { line: 2, column: 1 })).toEqual([
    '  1 | a: 1',
    '> 2 | b: 2',
    '    | ^',
    '  3 | c: 3',
  ]);
});

test('cuts a long line around the mark', () => {
  const line = `${'a'.repeat(500)} mark ${'b'.repeat(500)}`;
  const rows = frame(line, { line: 1, column: 502 }, 60);
  expect(rows).toHaveLength(2);
  const [text = '', carets = ''] = rows;
  expect(Array.from(text).length).toBeLessThanOrEqual(60);
  expect(text.startsWith('> 1 | …aaaa')).toBe(true);
  expect(text.endsWith('bbb…')).toBe(true);
  expect(text.indexOf('mark')).toBe(carets.indexOf('^^^^'));
});

test('cuts between whole characters, and a mark only with the one that bears it', () => {
  const line = `${'🙂'.repeat(3000)}mark${'e\u0301'.repeat(3000)}`;
  const [smiles = '', below = ''] = frame(line, { line: 1, column: 3001 }, 60);
  expect(smiles).toMatch(/^> 1 \| …(?:🙂)+mark(?:e\u0301)+…$/u);
  // A smile takes two columns of a terminal and two code units.
  expect(below.indexOf('^')).toBe(smiles.indexOf('mark'));
  const [marks = ''] = frame(line, { line: 1, column: 5001 }, 60);
  expect(marks).toMatch(/^> 1 \| …(?:e\u0301)+…$/u);
  const [heap = ''] = frame(`a${'\u0301'.repeat(9000)}b`, { line: 1, column: 9002 }, 60);
  expect(heap).toBe('> 1 | …b');
});

test('marks a quoted text that ends far behind the frame', () => {
  const rows = frame(`${'a'.repeat(500)}"${'b c\\"'.repeat(500)}"`, { line: 1, column: 501 }, 60);
  expect(rows[1]).toMatch(/\^{30,}$/);
  expect(rows[1]?.length).toBeLessThanOrEqual(60);
});

test('draws a hundred frames of one long line at the cost of what is shown', () => {
  const value = 'wörd 🙂 '.repeat(900);
  const entries = Array.from({ length: 140 }, (_, index) => `"key_${100 + index}": "${value}"`);
  const source = `{${entries.join(',')}}`;
  const step = Array.from(`${entries[0]},`).length;
  const found = entries.map((_, index) =>
    diagnostic({ span: { line: 1, column: 2 + index * step } }),
  );
  const before = process.cpuUsage();
  const text = renderDiagnostics(found, { source });
  const { user } = process.cpuUsage(before);
  expect(text.match(/^ +\| +\^{9}$/gm)).toHaveLength(140);
  expect(text).toContain('"key_239": "wörd');
  expect(user / 1e6).toBeLessThan(5);
});

test('shows the characters of others without their power over a terminal', () => {
  const rows = frame('a: \u001b[31m\u202ex\u0000', { line: 1, column: 1 });
  expect(rows[0]).toBe('> 1 | a: \ufffd[31m\ufffdx\ufffd');
  const text = renderDiagnostics([diagnostic({ message: 'a\u001b[2Jb\nc' })], { path: 'x\u0007' });
  expect(text).toContain('x\ufffd: error MF-S020: a\ufffd[2Jb\ufffdc');
});

test('colours only when asked', () => {
  const found = [diagnostic({ span: { line: 1, column: 1 } })];
  expect(renderDiagnostics(found, { source: 'a: 1' })).not.toContain('\u001b');
  expect(renderDiagnostics(found, { source: 'a: 1', color: true })).toContain('\u001b[31m^');
});

const KEY = `ghp_${'x1'.repeat(18)}`;
const BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ';

test.each<[string, string, string]>([
  ['a token', `a: 1\nb: ${KEY}\nc: 1`, KEY],
  ['a token that escapes hide', `{"a":\n"\\u0067hp_${'x1'.repeat(18)}"}`, 'x1x1x1x1'],
  ['a name on one line and its value on the next', `a: |\n  Bearer\n  ${'q9Zx'.repeat(8)}`, 'q9Zx'],
  [
    'a private key',
    `a: |\n  -----BEGIN PRIVATE KEY-----\n  ${BODY}\n  ${BODY}\n  -----END PRIVATE KEY-----\nb: 1`,
    BODY,
  ],
  ['a private key without an end', `a: |\n  -----BEGIN PRIVATE KEY-----\n  ${BODY}\nb: 1`, BODY],
  ['a password in a URL', 'a: "https://user:hunter2hunter2@host/"', 'hunter2'],
])('never shows %s, wherever the place is', (_, source, secret) => {
  const lines = source.split('\n');
  for (let line = 1; line <= lines.length; line++) {
    const text = renderDiagnostics([diagnostic({ span: { line, column: 1 } })], { source });
    expect(text).not.toContain(secret);
  }
});

test('hides all of a scalar that a diagnostic calls a secret, and says so', () => {
  const source = 'a:\n  b: |\n    first\n\n    second\n  c: 1\n';
  const found = diagnostic({ code: 'MF-S026', span: { line: 2, column: 3 } });
  const other = diagnostic({ span: { line: 5, column: 5 } });
  const text = renderDiagnostics([found, other], { source });
  expect(text).toContain('> 2 | (hidden: this line holds something that looks like a secret)');
  expect(text).not.toMatch(/first|second|\^/);
  expect(text).toContain('  6 |   c: 1');
});

test('never shows what a compilation finds to be a secret', () => {
  for (const secret of [KEY, `postgres://u:${'p4Ss'.repeat(4)}@h/db`, `sk-${'a1B2'.repeat(8)}`]) {
    const text = review.text.replace('Read the ticket', `Use ${secret}.\n    Read the ticket`);
    const { diagnostics } = compileHarness(text, review.input);
    expect(diagnostics.map(({ code }) => code)).toEqual(['MF-S026']);
    expect(renderDiagnostics(diagnostics, { source: text })).not.toContain(secret);
  }
});

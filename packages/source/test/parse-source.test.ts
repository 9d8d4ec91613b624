import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonFloat } from '@millforge/contracts';
import { parseSource, SOURCE_LIMITS } from '@millforge/source';
import { describe, expect, test } from 'vitest';
import { accepted, refused } from './support/parse.ts';

const TICKET_REVIEW = readFileSync(join(import.meta.dirname, 'fixtures/ticket-review.yaml'));
const TICKET_REVIEW_SHA256 = '92c118cff5cf4a630b50311fa5f06ac33161bfe06d42626cefe7d13ebb157c57';

describe('the documented harness', () => {
  test('has its documented size and digest', () => {
    const { source, documentSha256 } = parseSource({
      logicalPath: 'ticket-review.yaml',
      format: 'yaml',
      content: TICKET_REVIEW,
    });
    expect(TICKET_REVIEW.byteLength).toBe(1669);
    expect(documentSha256).toBe(TICKET_REVIEW_SHA256);
    expect(source?.documentSha256).toBe(TICKET_REVIEW_SHA256);
  });

  test('has the same digest and value with a byte order mark and CR LF line ends', () => {
    const text = TICKET_REVIEW.toString('utf8');
    for (const content of [`\ufeff${text.replaceAll('\n', '\r\n')}`, text.replaceAll('\n', '\r')]) {
      const document = accepted('yaml', content);
      expect(document.documentSha256).toBe(TICKET_REVIEW_SHA256);
      expect(document.value).toEqual(accepted('yaml', TICKET_REVIEW).value);
    }
  });

  test('means the same as bytes and as text', () => {
    const fromText = accepted('yaml', TICKET_REVIEW.toString('utf8'));
    expect(fromText.value).toEqual(accepted('yaml', TICKET_REVIEW).value);
    expect(fromText.documentSha256).toBe(TICKET_REVIEW_SHA256);
  });

  test('keeps its prompt and the kinds of its numbers', () => {
    expect(accepted('yaml', TICKET_REVIEW).value).toMatchObject({
      schema_version: '1.0',
      harness_version: 3,
      prompt: {
        system_instructions:
          'Read the ticket before you search.\n' +
          'Quote the caller\'s words; write "n/a" when nothing fits. Café 🙂\n',
      },
      context: { phase_thresholds: [0.65, 0.8, 1] },
    });
    const floats = TICKET_REVIEW.toString('utf8').replace('0.8, 1]', '0.8, 1.0]');
    expect(accepted('yaml', floats).value).toMatchObject({
      context: { phase_thresholds: [0.65, 0.8, new JsonFloat(1)] },
    });
  });
});

test('freezes the value to its leaves', () => {
  const document = accepted('yaml', 'a:\n  - b: {"c": [1]}\n');
  const a = document.value['a'];
  expect(Object.isFrozen(document)).toBe(true);
  expect(Object.isFrozen(document.value)).toBe(true);
  expect(Array.isArray(a) && Object.isFrozen(a) && Object.isFrozen(a[0])).toBe(true);
});

describe('the order of checks', () => {
  const tooLarge = new Uint8Array(SOURCE_LIMITS.maxBytes + 1).fill(0xff);

  test.each<{ title: string; format: string; content: Uint8Array | string; expected: string }>([
    { title: 'size, then encoding', format: 'json', content: tooLarge, expected: 'MF-S003 1:1' },
    {
      title: 'encoding, then format',
      format: 'toml',
      content: Uint8Array.of(0xff),
      expected: 'MF-S004 1:1',
    },
    {
      title: 'characters, then format',
      format: 'toml',
      content: 'a\u0000',
      expected: 'MF-S011 1:2',
    },
    { title: 'format, then content', format: 'YAML', content: '{', expected: 'MF-S005 1:1' },
    {
      title: 'trailing content, then the root',
      format: 'json',
      content: '[1] x',
      expected: 'MF-S011 1:5',
    },
    { title: 'syntax, then the root', format: 'yaml', content: '[1', expected: 'MF-S011 1:3' },
  ])('$title', ({ format, content, expected }) => {
    expect(refused(format, content)).toBe(expected);
  });
});

test('gives a digest as soon as there is text, and null before', () => {
  expect(digestOf('json', Uint8Array.of(0xff))).toBeNull();
  expect(digestOf('json', '"\u0007"')).toBeNull();
  expect(digestOf('toml', 'a\r\n')).toBe(
    '87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7',
  );
  expect(digestOf('json', 'a\n')).toBe(digestOf('yaml', '\ufeffa\r\n'));
});

test('reports the size of a document that is too large', () => {
  const { diagnostics } = parseSource({
    logicalPath: 'h',
    format: 'yaml',
    content: new Uint8Array(2 * SOURCE_LIMITS.maxBytes),
  });
  expect(diagnostics[0]?.fields).toEqual([{ key: 'source_size', value: 2_097_152 }]);
});

test('measures text in UTF-8 bytes', () => {
  const limits = { maxBytes: 12 };
  expect(accepted('json', '{"a":"🙂"}', { limits }).value).toEqual({ a: '🙂' });
  expect(refused('json', '{"aa":"🙂"}', { limits })).toBe('MF-S003 1:1');
});

test('names the line and column of the first byte that is not UTF-8 (P-11)', () => {
  expect(refused('json', bytes('{"a":\n "é', 0xff, 0x22, 0x7d))).toBe('MF-S004 2:4');
  expect(refused('json', bytes('\ufeffab', 0xc3, 0x28))).toBe('MF-S004 1:3');
  expect(refused('json', bytes('🙂', 0xed, 0xa0, 0x80))).toBe('MF-S004 1:2');
  expect(refused('json', bytes('x', 0xe2, 0x82))).toBe('MF-S004 1:2');
  expect(refused('json', bytes('', 0xc0, 0xaf))).toBe('MF-S004 1:1');
});

test('refuses control characters at their place, counting only LF as a line end', () => {
  expect(refused('yaml', 'a: 1\nb: \u0000')).toBe('MF-S011 2:4');
  expect(refused('yaml', 'a: 🙂\u007f')).toBe('MF-S011 1:5');
  expect(refused('json', '{}\r\r\u0085')).toBe('MF-S011 1:5');
  expect(accepted('yaml', 'a: "\u00a0\u2028\u2029"').value).toEqual({ a: '\u00a0\u2028\u2029' });
});

test('refuses half a surrogate pair in text', () => {
  expect(refused('json', '{"a":"\ud83d"}')).toBe('MF-S011 1:7');
});

test('strips one byte order mark and takes a second one as content', () => {
  expect(accepted('json', '\ufeff{}').value).toEqual({});
  expect(refused('json', '\ufeff\ufeff{}')).toBe('MF-S011 1:1');
  expect(refused('yaml', '\ufeff\ufeffa: 1')).toBe('MF-S011 1:1');
});

test('repeats nothing of the document in its diagnostic', () => {
  const secret = 'hunter2hunter2';
  const contents = [
    `${secret}: [${secret}`,
    `a: !${secret} x`,
    `a: ${secret}: ${secret}`,
    `- "${secret}`,
  ];
  for (const format of ['yaml', 'json'] as const) {
    for (const content of contents) {
      const { diagnostics } = parseSource({ logicalPath: 'h', format, content });
      expect(diagnostics).toHaveLength(1);
      expect(JSON.stringify(diagnostics)).not.toContain(secret);
    }
  }
});

test('keeps the logical path and what to do in the diagnostic', () => {
  const { diagnostics } = parseSource({
    logicalPath: 'a/b.yaml',
    format: 'yaml',
    content: 'a:\n\tb: 1',
  });
  expect(diagnostics).toEqual([
    {
      code: 'MF-S011',
      name: 'malformed-source',
      severity: 'error',
      phase: 'parse',
      message: 'YAML tabs are not accepted for indentation.',
      path: '/',
      logicalPath: 'a/b.yaml',
      span: { line: 2, column: 1 },
      hint: 'Indent with spaces.',
    },
  ]);
});

function digestOf(format: string, content: Uint8Array | string): string | null {
  return parseSource({ logicalPath: 'h', format, content }).documentSha256;
}

function bytes(text: string, ...tail: number[]): Uint8Array {
  return Buffer.concat([Buffer.from(text), Uint8Array.from(tail)]);
}

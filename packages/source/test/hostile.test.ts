import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseSource, SOURCE_LIMITS } from '@millforge/source';
import { describe, expect, test } from 'vitest';
import { accepted, refused } from './support/parse.ts';

const FOLDER = join(import.meta.dirname, 'fixtures/hostile');

// Far above what any of them takes, far below what a text that grows the work out of proportion takes.
const LIMIT_MS = 10_000;

const EXPECTED: { readonly [file: string]: string } = {
  'alias-bomb.yaml': 'MF-S007 1:1',
  'backslashes.json': 'MF-S011 1:20007',
  'blank-lines.yaml': 'accepted',
  'comment-lines.yaml': 'accepted',
  'deep-brackets.json': 'MF-S010 1:33',
  'deep-brackets.yaml': 'MF-S010 1:35',
  'deep-dashes.yaml': 'MF-S010 33:33',
  'deep-mappings.yaml': 'MF-S010 33:33',
  'directives.yaml': 'MF-S011 1:1',
  'duplicate-keys.json': 'MF-S006 1:8',
  'empty-literals.yaml': 'MF-S011 1:1',
  'flow-commas.yaml': 'MF-S010 1:20003',
  'flow-lines.yaml': 'accepted',
  'huge-exponent.json': 'MF-S011 1:6',
  'long-number.json': 'MF-S010 1:6',
  'many-documents.yaml': 'MF-S009 2:1',
  'merge-bomb.yaml': 'MF-S007 3:1',
  'nested-colons.yaml': 'MF-S011 1:1',
  'open-quotes.yaml': 'MF-S011 1:1',
  'paired-quotes.yaml': 'MF-S011 1:1',
  'prototype-keys.json': 'accepted',
  'prototype-keys.yaml': 'accepted',
  'stray-scalars.yaml': 'MF-S011 3:2',
  'tab-lines.yaml': 'MF-S011 2:1',
  'tags.yaml': 'MF-S008 1:1',
};

describe('a hostile document', () => {
  test.each(readdirSync(FOLDER).toSorted())('%s is answered at once', (file) => {
    const content = readFileSync(join(FOLDER, file));
    const format = extname(file).slice(1);
    const start = performance.now();
    const { source } = parseSource({ logicalPath: file, format, content });
    expect(performance.now() - start).toBeLessThan(LIMIT_MS);
    expect(source === null ? refused(format, content) : 'accepted').toBe(EXPECTED[file]);
  });

  test('has a file for every expectation', () => {
    expect(readdirSync(FOLDER).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });
});

describe('a document of the greatest size', () => {
  test.each<[title: string, fragment: string]>([
    ['blank lines', '\n'],
    ['comments', '#\n'],
    ['spaces', ' '],
    ['quotes', '"'],
    ['dashes', '-\n'],
    ['colons', ':\n'],
    ['brackets', ']\n'],
    ['literals', '|\n'],
    ['percent signs', '%a\n'],
    ['documents', '---\n'],
    ['pairs', 'a: 1\n'],
  ])('of %s is answered at once', (_title, fragment) => {
    const content = fragment.repeat(Math.floor(SOURCE_LIMITS.maxBytes / fragment.length));
    const start = performance.now();
    const { diagnostics } = parseSource({ logicalPath: 'h', format: 'yaml', content });
    expect(performance.now() - start).toBeLessThan(LIMIT_MS);
    expect(diagnostics).toHaveLength(1);
  });

  test('is refused unread when it is larger', () => {
    const content = new Uint8Array(2 * SOURCE_LIMITS.maxBytes);
    expect(refused('yaml', content)).toBe('MF-S003 1:1');
    expect(refused('json', content)).toBe('MF-S003 1:1');
  });
});

test('keys named like prototypes are keys and nothing else', () => {
  for (const format of ['json', 'yaml'] as const) {
    const content = readFileSync(join(FOLDER, `prototype-keys.${format}`));
    const { value } = accepted(format, content);
    expect(Object.keys(value).slice(0, 2)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  }
});

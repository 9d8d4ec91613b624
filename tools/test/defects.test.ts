import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const ID = String.raw`[A-Z]{1,3}-\d{1,3}[a-z]?`;

// An id stands at the end of a title: `test('… (D-02)'`, several as `(D-02, D-07)`.
const IN_TITLE = new RegExp(`\\((${ID}(?:, ${ID})*)\\)['"\`]`, 'gu');
const IN_LIST = new RegExp(`^\\| (${ID}) \\|`, 'gmu');

test('the list of defects and the tests that name them agree, package by package', () => {
  expect(named()).toEqual(listed());
});

function named(): readonly string[] {
  const found = readdirSync(join(ROOT, 'packages')).flatMap((name) =>
    testFiles(join(ROOT, 'packages', name, 'test'))
      .flatMap((file) => matches(readFileSync(file, 'utf8'), IN_TITLE))
      .map((id) => `${name} ${id}`),
  );
  return [...new Set(found)].toSorted();
}

function testFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file));
}

// The list has one section per package, `## kernel`, and in it one row per defect.
function listed(): readonly string[] {
  const file = join(ROOT, 'docs/defects.md');
  const sections = existsSync(file) ? readFileSync(file, 'utf8').split(/^## /mu).slice(1) : [];
  const found = sections.flatMap((section) => {
    const name = section.split('\n', 1)[0]?.trim() ?? '';
    return matches(section, IN_LIST).map((id) => `${name} ${id}`);
  });
  return [...new Set(found)].toSorted();
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap((match) => (match[1] ?? '').split(', '));
}

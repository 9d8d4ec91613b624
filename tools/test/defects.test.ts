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

test('every case of judging replies has a test, or a reason why it cannot arise', () => {
  const told = new Set([...listed().map((row) => row.split(' ')[1]), ...notMet()]);
  const missing = [...numbered('GE', 58), ...numbered('GP', 13)].filter((id) => !told.has(id));
  expect(missing).toEqual([]);
  const tested = new Set(named().map((row) => row.split(' ')[1]));
  expect(notMet().filter((id) => tested.has(id))).toEqual([]);
});

test('every known bug of the coding tools has a test', () => {
  const tested = new Set(named());
  expect(numbered('KB', 51).filter((id) => !tested.has(`pi-tools ${id}`))).toEqual([]);
});

function numbered(prefix: string, count: number): readonly string[] {
  return Array.from(
    { length: count },
    (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`,
  );
}

/** The ids at the end of the rows that say why a case cannot arise. */
function notMet(): readonly string[] {
  const list = readFileSync(join(ROOT, 'docs/defects.md'), 'utf8');
  const rows = list.slice(list.indexOf('\n## Not met here')).matchAll(/\| ([^|]+) \|$/gmu);
  return [...rows].flatMap(([, ids]) => [...(ids ?? '').matchAll(/\bG[EP]-\d\d\b/g)].map(String));
}

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

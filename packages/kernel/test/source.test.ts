import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILPOINTS } from '@millforge/kernel/testing';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));

test('lists every failpoint that the source has, and no other', () => {
  const found = new Set<string>();
  for (const { text } of sources) {
    for (const [, name] of text.matchAll(/(?:reach|failpoint\?\.)\(\s*'([a-z:-]+)'/g)) {
      if (name !== undefined) found.add(name);
    }
    for (const [, write] of text.matchAll(/\bdb\.write\(\s*'([a-z-]+)'/g)) {
      found.add(`before:${write}`).add(`after:${write}`);
    }
    // The two names of one conditional write.
    for (const [, a, b] of text.matchAll(/\? '([a-z]+-operation)' : '([a-z]+-operation)'/g)) {
      for (const write of [a, b]) found.add(`before:${write}`).add(`after:${write}`);
    }
  }
  expect([...found].toSorted()).toEqual([...FAILPOINTS].toSorted());
});

test('carries the tenant in every statement, but for a named few that tell a scope nothing', () => {
  const exempt =
    /\b(owners|sqlite_schema)\b|PRAGMA|sqlite_version|count\(\*\) AS count FROM (goals|trail)$/;
  const statements = sources
    // Those of the rules are made of what they ask for, which is looked at below.
    .filter(({ name }) => !name.includes('migrations') && name !== 'sqlite/statements.ts')
    .flatMap(({ name, text }) =>
      [
        ...text.matchAll(/(['`])((?:SELECT|INSERT|UPDATE|DELETE)\b[^'`]*(?:'[a-z-]+'[^'`]*)*)\1/g),
      ].map(([, , sql]) => ({ name, sql: String(sql) })),
    );
  expect(statements.length).toBeGreaterThan(20);
  expect(
    statements.filter(
      ({ sql }) => !/\btenant\b|rowCondition|\$\{columns/.test(sql) && !exempt.test(sql),
    ),
  ).toEqual([]);
});

test('asks for rows of a tenant only, but for the processes that everybody may know of', () => {
  const asked = sources
    .filter(({ name }) => /^(store|trail|run)\//.test(name))
    .flatMap(({ name, text }) =>
      [...text.matchAll(/\btx\s*\.(?:find|list|count|sum|update|remove)\(([^;]*?);/g)].map(
        ([, call]) => ({ name, call: String(call).replaceAll(/\s+/g, ' ') }),
      ),
    );
  expect(asked.length).toBeGreaterThan(30);
  // What a row is named by, or where its condition stands, has the tenant in it.
  const named = /\btenant\b|'owners'|rowKey\(goal|, (?:of|where|lease|content)[,)]|\.\.\.of\b/;
  expect(asked.filter(({ call }) => !named.test(call))).toEqual([]);
});

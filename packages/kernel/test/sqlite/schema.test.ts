import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/sqlite/embedded-migrations.ts';
import { open, temporaryDirectory } from '../fixture.ts';

const folder = join(import.meta.dirname, '../../src/sqlite/migrations');

test('embeds the migrations as they stand in their files', async () => {
  const files = readdirSync(folder).toSorted();
  const embedded = files.map(
    (file) =>
      `  {\n    name: '${file.replace(/\.sql$/, '')}',\n    sql: \`${readFileSync(join(folder, file), 'utf8')}\`,\n  },\n`,
  );
  await expect(
    `import type { Migration } from './migrate.ts';\n\n/** The files of \`migrations/\`, in their order; a test holds them equal and rewrites this one. */\nexport const MIGRATIONS: readonly Migration[] = [\n${embedded.join('')}];\n`,
  ).toMatchFileSnapshot('../../src/sqlite/embedded-migrations.ts');
  expect(MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)))).toEqual(
    MIGRATIONS.map((_, place) => place + 1),
  );
});

test('has the schema that is written down', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel[Symbol.asyncDispose]();
  const connection = new Database(join(directory, 'trail.db'), { readonly: true });
  const statements = connection
    .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name')
    .pluck()
    .all();
  const dump = [
    `PRAGMA application_id = ${String(connection.pragma('application_id', { simple: true }))};`,
    `PRAGMA user_version = ${String(connection.pragma('user_version', { simple: true }))};`,
    ...statements.map((sql) => `${String(sql)};`),
  ];
  connection.close();
  await expect(`${dump.join('\n')}\n`).toMatchFileSnapshot('../schema.sql');
});

test('keeps every table strict, and no column that takes anything', async () => {
  for (const { sql } of MIGRATIONS) {
    const tables = sql.match(/CREATE TABLE[^;]*;/g) ?? [];
    for (const table of tables) {
      expect(table).toMatch(/\) STRICT;$/);
      expect(table).not.toMatch(/\bANY\b/);
    }
  }
});

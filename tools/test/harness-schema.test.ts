import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { harnessSchema } from '../harness-schema.ts';

test('the schema of the harness language is up to date', () => {
  const file = new URL('../../packages/compiler/harness.schema.json', import.meta.url);
  // `pnpm run schema` writes it anew.
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(harnessSchema());
});

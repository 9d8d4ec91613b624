import { toToolCatalog } from '@millforge/compiler';
import type { JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { narrowToolEntry } from '../../src/catalog/narrow-tool-entry.ts';
import { objectSchema, tool } from '../support/harness.ts';

function narrowed(property: JsonObject): unknown {
  const [entry] = toToolCatalog([
    tool('a', { input_schema: objectSchema({ n: property }) }),
  ]).entries;
  return entry === undefined ? null : narrowToolEntry(entry);
}

test('drops annotations from the arguments', () => {
  expect(narrowed({ type: 'integer', title: 'N', default: 2 })).toMatchObject({
    ok: true,
    entry: { input_schema: { properties: { n: { type: 'integer' } } } },
  });
});

test('names the first keyword that version 1.0 lacks', () => {
  expect(narrowed({ type: 'integer', minimum: 1 })).toEqual({
    ok: false,
    path: '/input_schema/properties/n/minimum',
    keyword: 'minimum',
  });
});

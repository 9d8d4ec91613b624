import { readFileSync } from 'node:fs';
import { sha256 } from '@millforge/contracts';
import { compileHarness, toModelProfileCatalog, toToolCatalog } from '@millforge/compiler';
import { expect, test } from 'vitest';

const folder = new URL('./fixtures/ticket-review/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

test('compiles the worked example to the stated bytes', () => {
  const result = compileHarness(read('harness.yaml'), {
    catalog: toToolCatalog(read('catalog.json')),
    profiles: toModelProfileCatalog(['docs.profile.small']),
    request: { grants: ['ticket.read', 'notes.search', 'artifact.write', 'terminal.intent'] },
    identity: { name: 'millforge', version: '0.1.0', build_id: 'millforge.compiler.lowering.v1' },
  });
  expect(result.diagnostics).toEqual([]);
  if (!result.ok) throw new Error('not compiled');
  expect(new TextDecoder().decode(result.bytes)).toBe(read('plan.json'));
  expect(sha256(result.bytes)).toBe('26dd1da9333adf58db7754508a7fc71b93a56f57bcbc1482f70d7f2716f71cef');
});

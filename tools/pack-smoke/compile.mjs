// Compiles the worked example through import and through require; both must give its exact plan.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const target = process.argv[2];
const read = (name) => readFileSync(new URL(`./ticket-review/${name}`, import.meta.url), 'utf8');

for (const compiler of [await import(target), createRequire(import.meta.url)(target)]) {
  const result = compiler.compileHarness(read('harness.yaml'), {
    catalog: compiler.toToolCatalog(read('catalog.json')),
    profiles: compiler.toModelProfileCatalog(['docs.profile.small']),
    request: { grants: ['ticket.read', 'notes.search', 'artifact.write', 'terminal.intent'] },
    identity: { name: 'millforge', version: '0.1.0', build_id: 'millforge.compiler.lowering.v1' },
  });
  assert.deepEqual(result.diagnostics, []);
  assert.equal(new TextDecoder().decode(result.bytes), read('plan.json'));
}

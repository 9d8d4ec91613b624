import { fileURLToPath } from 'node:url';
import { compileHarness } from '@millforge/compiler';
import { toDiagnosticJson } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { fixtureNames, readFixture } from './support/fixtures.ts';

const { valid, invalid } = fixtureNames();

test.each(valid)('compiles %s to its plan', async (name) => {
  const { source, input, folder } = readFixture(name);
  const result = compileHarness(source, input);
  expect(result.diagnostics).toEqual([]);
  const plan = result.ok ? new TextDecoder().decode(result.bytes) : '';
  await expect(plan).toMatchFileSnapshot(fileURLToPath(new URL('plan.json', folder)));
});

test.each(invalid)('answers %s with its diagnostics', async (name) => {
  const { source, input, folder } = readFixture(name);
  const result = compileHarness(source, input);
  expect(result.ok).toBe(false);
  const report = result.diagnostics.map((diagnostic) => toDiagnosticJson(diagnostic));
  const text = `${JSON.stringify(report, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(fileURLToPath(new URL('diagnostics.json', folder)));
});

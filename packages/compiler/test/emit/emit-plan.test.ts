import { compileHarness, planFileName } from '@millforge/compiler';
import { readPlan } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { findings, graphOf, harness, inputFor, objectSchema, tool } from '../support/harness.ts';

test('emits bytes that read back as the plan', () => {
  const result = compileHarness(harness(), inputFor(harness()));
  if (!result.ok) throw new Error('not compiled');
  expect(readPlan(result.bytes, { sha256: result.sha256 })).toMatchObject({
    ok: true,
    plan: result.plan,
  });
});

test('refuses to emit a plan that no reader would take, MF-O003', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 1400 }, (_, index) => [`p_${index}`, { type: 'string' }]),
  );
  const ids = Array.from({ length: 24 }, (_, index) => `n${index}`);
  const nodes = Object.fromEntries(ids.map((id) => [id, {}]));
  const source = graphOf({ ...nodes, x: { terminal_result: 'DONE' } });
  const tools = ids.map((id) => tool(`test.${id}`, { input_schema: objectSchema(properties) }));
  expect(findings(source, { tools })).toMatchObject([
    { code: 'MF-O003', phase: 'output', fields: [{ key: 'compiled_plan_size' }] },
  ]);
});

const name = (harness_id: string) =>
  planFileName({ harness_id, harness_version: 2_147_483_647, compiled_sha256: 'a'.repeat(64) });

test('names every legal harness id in at most 255 bytes, device names too', () => {
  expect(name('a'.repeat(160))).toHaveLength(250);
  expect(name('aux.v1')).toBe(`aux.v1@2147483647.${'a'.repeat(64)}.compiled.json`);
});

test('encodes what a file name cannot hold, and cuts what is too long for one', () => {
  expect(name('a/../b é(')).toMatch(/^a%2F\.\.%2Fb%20%C3%A9%28@/);
  const [one, two] = [name(`${'a'.repeat(300)}1`), name(`${'a'.repeat(300)}2`)];
  expect(one).toHaveLength(255);
  expect(one).not.toBe(two);
});

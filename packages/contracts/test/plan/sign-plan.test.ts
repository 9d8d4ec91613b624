import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalJson,
  type ExactJson,
  findPlanProblems,
  normalizeSchema,
  planBytes,
  planDigest,
  readPlan,
  signPlan,
  withoutAnnotations,
} from '@millforge/contracts';
import { expect, test } from 'vitest';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const bytes = readFileSync(join(FIXTURES, 'plan.json'));

function plan() {
  const read = readPlan(bytes);
  if (!read.ok) throw new Error(read.problems.join(' '));
  return structuredClone(read.plan);
}

test('signing names a plan by its digest and freezes it to the leaves', () => {
  const unsigned = { ...plan(), compiled_sha256: '' };
  const signed = signPlan(unsigned);
  expect(signed).toEqual(plan());
  expect(planBytes(signed)).toEqual(new Uint8Array(bytes));
  expect(Object.isFrozen(signed)).toBe(true);
  expect(Object.isFrozen(signed.nodes[0]?.prerequisites)).toBe(true);
});

test('a signed plan has the bytes and the digest of an equal plan', () => {
  const signed = signPlan({ ...plan(), harness_id: 'another.harness' });
  const equal = structuredClone(signed);
  expect(planDigest(signed)).toBe(planDigest(equal));
  expect(planBytes(signed)).toEqual(planBytes(equal));
  const [first, ...rest] = signed.nodes;
  if (first === undefined) throw new Error('The plan has no nodes.');
  const other = { ...signed, nodes: [{ ...first, description: 'Another.' }, ...rest] };
  expect(planDigest(other)).not.toBe(planDigest(signed));
});

test('finds in a made plan what a reader of its bytes would find', () => {
  expect(findPlanProblems(plan())).toEqual([]);
  for (const part of [
    { harness_version: 0 },
    { model_profile: { profile_id: ' ' } },
    { terminal_result_map: {} },
    { nodes: [] },
  ]) {
    const wrong = signPlan({ ...plan(), ...part });
    const read = readPlan(planBytes(wrong));
    expect(read.ok).toBe(false);
    expect(read.ok ? [] : read.problems).toEqual(findPlanProblems(wrong));
  }
});

test('a schema in normal form is written, normalised and stripped alike every time', () => {
  const raw = {
    type: 'object',
    additionalProperties: false,
    properties: { b: { type: 'string', description: 'é' }, a: { type: 'number', enum: [0.5, 2] } },
    required: ['b', 'a'],
  };
  const normal = normalizeSchema(raw, '', { version: '1.1' });
  if (!normal.ok) throw new Error(normal.message);
  const text = textOf(normal.value);
  expect(textOf(normal.value)).toBe(text);
  expect(textOf(structuredClone(normal.value))).toBe(text);
  expect(textOf([normal.value])).toBe(`[${text.trimEnd()}]\n`);
  expect(normalizeSchema(normal.value, '', { version: '1.1' })).toEqual(normal);
  expect(normalizeSchema(normal.value, '')).toEqual({
    ok: true,
    value: withoutAnnotations(structuredClone(normal.value)),
  });
  expect(withoutAnnotations(normal.value)).toBe(withoutAnnotations(normal.value));
  expect(withoutAnnotations(normal.value)).toEqual(
    withoutAnnotations(structuredClone(normal.value)),
  );
});

/** A schema is JSON by its type, but an interface has no index signature. */
function textOf(schema: object): string {
  return canonicalJson(schema as ExactJson);
}

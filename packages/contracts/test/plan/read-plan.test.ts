import { readFileSync } from 'node:fs';
import {
  type CompiledHarnessPlan,
  canonicalJson,
  digest,
  type ExactJson,
  JsonFloat,
  planBytes,
  planDigest,
  readJson,
  readPlan,
} from '@millforge/contracts';
import { expect, test } from 'vitest';

const bytes = new Uint8Array(readFileSync(new URL('./fixtures/plan.json', import.meta.url)));
const text = new TextDecoder().decode(bytes);
const SHA256 = '29676dd84c654df9e86dba041b4fa8bb7cad8c45af4df73f8d7cf23283144ad3';

type Editable = { [key: string]: ExactJson };

function plan(): CompiledHarnessPlan {
  const read = readPlan(bytes);
  if (!read.ok) throw new Error(read.problems.join(' '));
  return read.plan;
}

/** The plan with one place changed, and with the digest that then belongs to it. */
function changed(pointer: string, value: ExactJson | undefined): string {
  const parsed = readJson(text);
  if (!parsed.ok) throw new Error(parsed.message);
  const root = structuredCloneOf(parsed.value) as Editable;
  const steps = pointer.slice(1).split('/');
  const last = steps.pop() ?? '';
  let at: Editable = root;
  for (const step of steps) at = at[step] as Editable;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return signed(root);
}

function signed(root: Editable): string {
  const { compiled_sha256: _, ...rest } = root;
  return canonicalJson({ ...rest, compiled_sha256: digest(rest) });
}

function structuredCloneOf(value: ExactJson): ExactJson {
  if (Array.isArray(value)) return value.map(structuredCloneOf);
  if (typeof value !== 'object' || value === null || value instanceof JsonFloat) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, structuredCloneOf(child)]),
  );
}

function problems(given: string | Uint8Array): readonly string[] {
  const read = readPlan(given);
  return read.ok ? [] : read.problems;
}

test('reads the worked example and names its digest', () => {
  const read = readPlan(bytes, {
    sha256: SHA256,
    harnessId: 'docs.example.ticket-review.v1',
    harnessVersion: 3,
  });
  expect(read).toMatchObject({ ok: true, sha256: SHA256, plan: { compiled_sha256: SHA256 } });
  expect(readPlan(text)).toEqual(readPlan(bytes));
});

test('gives a plan that is frozen to its leaves', () => {
  expect(Object.isFrozen(plan().nodes[0]?.binding)).toBe(true);
  expect(Object.isFrozen(plan().context_policy.phase_thresholds)).toBe(true);
});

test('writes a plan as the bytes and the digest that it was read from', () => {
  expect(planBytes(plan())).toEqual(bytes);
  expect(planDigest(plan())).toBe(SHA256);
});

test('does not mind white space and the order of keys', () => {
  const spaced = text.replaceAll(',"', ' ,\n "');
  expect(readPlan(spaced)).toMatchObject({ ok: true, sha256: SHA256 });
});

test('reports every expectation that is not met, and the digest that was found', () => {
  const read = readPlan(bytes, { sha256: 'a'.repeat(64), harnessId: 'other', harnessVersion: 4 });
  expect(read).toMatchObject({ ok: false, computedSha256: SHA256 });
  expect(read.ok ? [] : read.problems).toEqual([
    `The digest of the plan is ${SHA256}; expected "${'a'.repeat(64)}".`,
    'The plan is of harness "docs.example.ticket-review.v1"; expected "other".',
    'The plan is of harness version 3; expected 4.',
  ]);
});

test('refuses a plan whose digest does not match', () => {
  const forged = text.replace('"max_iterations":16', '"max_iterations":17');
  const read = readPlan(forged);
  expect(read).toMatchObject({
    ok: false,
    computedSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(read.ok ? [] : read.problems).toEqual([expect.stringContaining('its digest')]);
});

test.each<[string, string | Uint8Array, string]>([
  ['text that is no JSON', '{', 'is not JSON'],
  ['a duplicate key', text.replace('{', '{"kind":"compiled_millforge_harness",'), 'is not JSON'],
  ['a byte order mark', `\ufeff${text}`, 'is not JSON'],
  ['bytes that are no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'not UTF-8'],
  ['more than 1 MiB of text', `${text}${' '.repeat(1_048_576)}`, 'at most 1 MiB'],
  ['more than 1 MiB of bytes', new Uint8Array(1_048_577), 'at most 1 MiB'],
  ['a list', '[]', '/ must be an object.'],
  ['a number', '1.0', '/ must be an object.'],
  ['ten thousand brackets', '['.repeat(10_000), 'is not JSON'],
])('refuses %s', (_, given, problem) => {
  const read = readPlan(given);
  expect(read).toMatchObject({ ok: false, computedSha256: null });
  expect(read.ok ? [] : read.problems).toEqual([expect.stringContaining(problem)]);
});

test.each<[string, ExactJson | undefined, string]>([
  ['/schema_version', '1.2', '/schema_version must be "1.0" or "1.1".'],
  ['/schema_version', 1, '/schema_version must be "1.0" or "1.1".'],
  ['/schema_version', undefined, '/schema_version must be present.'],
  ['/kind', 'millforge_harness', '/kind must be "compiled_millforge_harness".'],
  ['/more', 1, '/ must not have the key "more".'],
  ['/__proto__x', 1, '/ must not have the key "__proto__x".'],
  ['/harness_id', ' ', '/harness_id must be text that is not blank.'],
  ['/harness_version', '3', '/harness_version must be an integer of at least 1.'],
  ['/harness_version', 0, '/harness_version must be an integer of at least 1.'],
  [
    '/source_sha256',
    SHA256.toUpperCase(),
    '/source_sha256 must be a SHA-256 digest in lower-case hex.',
  ],
  ['/stage_kind_ids', ['a', 'a'], '/stage_kind_ids must be a list without repetitions.'],
  ['/stage_kind_ids/0', null, '/stage_kind_ids/0 must be text that is not blank.'],
  ['/model_profile/url', 'x', '/model_profile must not have the key "url".'],
  ['/budgets/max_iterations', '16', '/budgets/max_iterations must be an integer of at least 1.'],
  [
    '/budgets/max_iterations',
    new JsonFloat(16),
    '/budgets/max_iterations must be an integer of at least 1.',
  ],
  [
    '/budgets/max_tool_errors',
    2n ** 60n,
    '/budgets/max_tool_errors must be an integer of at least 1.',
  ],
  ['/context_policy/strategy_id', 'x', '/context_policy/strategy_id must be "forge.tiered.v1".'],
  [
    '/context_policy/keep_recent_iterations',
    -1,
    '/context_policy/keep_recent_iterations must be an integer of at least 0.',
  ],
  [
    '/context_policy/phase_thresholds',
    [0.5, 0.6, 1],
    '/context_policy/phase_thresholds must be three floats',
  ],
  [
    '/context_policy/phase_thresholds',
    [0.7, 0.6, new JsonFloat(1)],
    '/context_policy/phase_thresholds must be three floats',
  ],
  ['/nodes', [], '/nodes must be a list of at least 1.'],
  ['/nodes/0/required', 'false', '/nodes/0/required must be true or false.'],
  ['/nodes/0/idempotency', 'maybe', '/nodes/0/idempotency must be "idempotent" or'],
  ['/nodes/0/side_effect_class', 'none', '/nodes/0/side_effect_class must be "read_only" or'],
  [
    '/nodes/0/binding/tool_version',
    0,
    '/nodes/0/binding/tool_version must be an integer of at least 1.',
  ],
  [
    '/nodes/0/binding/descriptor_sha256',
    'x',
    '/nodes/0/binding/descriptor_sha256 must be a SHA-256',
  ],
  ['/nodes/0/input_schema', { type: 'string' }, '/nodes/0/input_schema must have type object'],
  [
    '/nodes/0/input_schema',
    { type: 'object', additionalProperties: false },
    '/nodes/0/input_schema must be a schema in normal form.',
  ],
  ['/nodes/0/input_schema/properties/result/description', 'x', '/nodes/0/input_schema'],
  [
    '/terminal_result_map/give_up',
    'REVIEW_DONE',
    '/terminal_result_map must be an object that names each result once.',
  ],
])('refuses a plan whose %s is wrong', (pointer, value, problem) => {
  expect(problems(changed(pointer, value)).join('\n')).toContain(problem);
});

// Nodes of the example: finish, give_up, open_ticket, search_notes, write_review.
test.each<[string, ExactJson, string]>([
  ['/nodes/0/node_id', 'open_ticket', '/nodes/2/node_id is used twice.'],
  ['/nodes/0/model_tool_name', 'open_ticket', '/nodes/2/model_tool_name is used twice.'],
  [
    '/nodes/0/binding',
    {
      tool_id: 'docs.ticket.open',
      tool_version: 1,
      descriptor_sha256: SHA256,
      implementation_id: 'x',
    },
    '/nodes/2/binding names a tool that is bound twice.',
  ],
  ['/nodes/0/required', true, '/nodes/0/required must be false for a terminal node.'],
  [
    '/nodes/0/prerequisites/0/node_id',
    'none',
    '/nodes/0/prerequisites/0/node_id must name another node.',
  ],
  [
    '/nodes/0/prerequisites/0/node_id',
    'finish',
    '/nodes/0/prerequisites/0/node_id must name another node.',
  ],
  [
    '/required_capabilities',
    ['artifact.write'],
    '/nodes/2/required_capabilities must all be in /required_capabilities.',
  ],
  [
    '/artifact_policy/declared_artifact_ids',
    ['review_notes'],
    '/nodes/4/produced_artifact_ids must all be declared in /artifact_policy.',
  ],
  [
    '/nodes/0/terminal_result',
    null,
    '/terminal_result_map must name exactly the terminal nodes and their results.',
  ],
  ['/terminal_result_map', { finish: 'REVIEW_DONE' }, '/terminal_result_map must name exactly'],
  ['/terminal_result_map/finish', 'OTHER', '/terminal_result_map must name exactly'],
  [
    '/artifact_policy/required_by_terminal/0/terminal_result',
    'OTHER',
    '/artifact_policy/required_by_terminal/0/terminal_result must be the result of a terminal node.',
  ],
  [
    '/nodes/4/produced_artifact_ids',
    ['score_card'],
    '/artifact_policy/required_by_terminal/0/artifact_ids must all be declared and produced by some node.',
  ],
])('refuses a plan in which %s contradicts another part', (pointer, value, problem) => {
  expect(problems(changed(pointer, value)).join('\n')).toContain(problem);
});

test('refuses a plan that never ends', () => {
  const root = JSON.parse(text);
  root.nodes = root.nodes.slice(2, 3);
  root.terminal_result_map = {};
  root.artifact_policy = { declared_artifact_ids: [], required_by_terminal: [] };
  root.context_policy.phase_thresholds = [0.65, 0.8, new JsonFloat(1)];
  expect(problems(signed(root))).toEqual(['/nodes must contain a terminal node.']);
});

test('reads properties and arguments named __proto__', () => {
  const schema =
    '{"additionalProperties":false,"properties":{"__proto__":{"type":"string"}},"required":["__proto__"],"type":"object"}';
  const parsed = readJson(schema);
  if (!parsed.ok) throw new Error(parsed.message);
  const read = readPlan(changed('/nodes/1/input_schema', parsed.value));
  if (!read.ok) throw new Error(read.problems.join(' '));
  const { input_schema } = read.plan.nodes[1] ?? {};
  expect(canonicalJson(input_schema as object as ExactJson, { newline: false })).toBe(schema);
  expect(planDigest(read.plan)).toBe(read.sha256);
});

function schemaOf(value: ExactJson): ExactJson {
  return {
    type: 'object',
    additionalProperties: false,
    properties: { n: { const: value } },
    required: [],
  };
}

test('keeps floats of schemas apart from integers', () => {
  const [float, integer] = [new JsonFloat(2), 2].map((value) => {
    const read = readPlan(changed('/nodes/1/input_schema', schemaOf(value)));
    if (!read.ok) throw new Error(read.problems.join(' '));
    expect(planDigest(read.plan)).toBe(read.sha256);
    return read.sha256;
  });
  expect(float).not.toBe(integer);
});

test('lists at most 32 problems and says how many more there are', () => {
  const keys = Array.from({ length: 100 }, (_, index) => [`extra_${index}`, 1] as const);
  const found = problems(JSON.stringify({ ...JSON.parse(text), ...Object.fromEntries(keys) }));
  expect(found).toHaveLength(33);
  expect(found.at(-1)).toMatch(/^There are \d+ more problems\.$/);
});

test('repeats at most 64 characters of a key', () => {
  const found = problems(text.replace('{', `{"${'k'.repeat(100_000)}":1,`));
  expect(found.join('').length).toBeLessThan(200);
});

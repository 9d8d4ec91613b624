import { compileHarness } from '@millforge/compiler';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import { describe, expect, test } from 'vitest';
import { findings, harness, inputFor } from '../support/harness.ts';

const node = (fields: JsonObject): JsonObject => ({
  graph: { nodes: { finish: { tool_ref: 'test.finish@1', terminal_result: 'DONE', ...fields } } },
});

function codes(source: JsonObject): readonly string[] {
  return findings(source).map(({ code, path }) => `${code} ${path}`);
}

describe('a key that is missing', () => {
  test.each([
    ['schema_version', 'MF-S020'],
    ['kind', 'MF-S020'],
    ['harness_id', 'MF-S022'],
    ['harness_version', 'MF-S020'],
    ['stage_scope', 'MF-S020'],
    ['model_profile_id', 'MF-S022'],
    ['prompt', 'MF-S020'],
    ['budgets', 'MF-S024'],
    ['context', 'MF-S025'],
    ['graph', 'MF-S020'],
    ['artifacts', 'MF-S020'],
  ])('%s is %s', (key, code) => {
    const { [key]: _, ...rest } = harness();
    expect(codes(rest)).toEqual([`${code} /${key}`]);
  });

  test.each([
    ['stage_scope', 'stage_kind_ids', 'MF-S022'],
    ['prompt', 'policy_id', 'MF-S022'],
    ['prompt', 'include_request_context', 'MF-S020'],
    ['budgets', 'max_iterations', 'MF-S024'],
    ['context', 'phase_thresholds', 'MF-S025'],
  ])('%s.%s is %s', (parent, key, code) => {
    const { [key]: _, ...rest } = harness()[parent] as JsonObject;
    expect(codes(harness({ [parent]: rest }))).toEqual([`${code} /${parent}/${key}`]);
  });
});

describe('the first rule that fits names the code', () => {
  const budgets = harness()['budgets'] as JsonObject;
  const context = harness()['context'] as JsonObject;

  test.each<[title: string, parts: JsonObject, expected: string]>([
    ['an unknown key of the root', { more: 1 }, 'MF-S021 /more'],
    [
      'an unknown key among budgets',
      { budgets: { ...budgets, tool_ref: 1 } },
      'MF-S021 /budgets/tool_ref',
    ],
    [
      'an unknown key in the context',
      { context: { ...context, node_id: 1 } },
      'MF-S021 /context/node_id',
    ],
    ['an unknown key of a node', node({ terminal: 1 }), 'MF-S021 /graph/nodes/0/terminal'],
    ['a reference that is a number', node({ tool_ref: 1 }), 'MF-S023 /graph/nodes/0/tool_ref'],
    ['a version 0', node({ tool_ref: 'test.finish@0' }), 'MF-S023 /graph/nodes/0/tool_ref'],
    ['budgets that are a list', { budgets: [] }, 'MF-S024 /budgets'],
    ['a context that is text', { context: 'x' }, 'MF-S025 /context'],
    [
      'a result that is a number',
      node({ terminal_result: 1 }),
      'MF-S022 /graph/nodes/0/terminal_result',
    ],
    ['produces that is a mapping', node({ produces: {} }), 'MF-S022 /graph/nodes/0/produces'],
    ['a harness version 0', { harness_version: 0 }, 'MF-S020 /harness_version'],
    [
      'too many prerequisites',
      node({ prerequisites: Array.from({ length: 65 }, (_, at) => ({ node_id: `n${at}` })) }),
      'MF-S020 /graph/nodes/0/prerequisites',
    ],
    [
      'too many declared artifacts',
      { artifacts: { declared_artifact_ids: Array.from({ length: 513 }, (_, at) => `a${at}`) } },
      'MF-S022 /artifacts/declared_artifact_ids',
    ],
    [
      'a policy without artifacts',
      { artifacts: { required_by_terminal: { DONE: [] } } },
      'MF-S022 /artifacts/required_by_terminal/0/artifact_ids',
    ],
    [
      'blank instructions',
      { prompt: { ...(harness()['prompt'] as JsonObject), system_instructions: ' \n' } },
      'MF-S020 /prompt/system_instructions',
    ],
  ])('%s', (_, parts, expected) => {
    expect(codes(harness(parts))).toEqual([expected]);
  });
});

test('carries the pointer as a fact too, and says what was broken', () => {
  const [found] = findings(harness({ budgets: { max_iterations: 1 } }));
  expect(found).toMatchObject({
    message: 'Source budget value is invalid.',
    fields: [{ key: 'field_path', value: '/budgets/max_premature_terminal_attempts' }],
  });
});

test.each<[written: string, expected: readonly string[]]>([
  ['4', []],
  ['4.0', ['MF-S024 /budgets/max_iterations']],
  ['4e0', ['MF-S024 /budgets/max_iterations']],
  ['"4"', ['MF-S024 /budgets/max_iterations']],
  ['257', ['MF-S024 /budgets/max_iterations']],
  ['99999999999999999999', ['MF-S024 /budgets/max_iterations']],
  ['null', ['MF-S024 /budgets/max_iterations']],
])('max_iterations: %s', (written, expected) => {
  const text = JSON.stringify(harness()).replace(
    '"max_iterations":8',
    `"max_iterations":${written}`,
  );
  const { diagnostics } = compileHarness(text, inputFor(harness()));
  expect(diagnostics.map(({ code, path }) => `${code} ${path}`)).toEqual(expected);
});

test.each<[section: string, value: JsonValue, expected: readonly string[]]>([
  ['artifacts', {}, []],
  ['artifacts', { required_by_terminal: {} }, []],
  ['artifacts', { declared_artifact_ids: {} }, ['MF-S022 /artifacts/declared_artifact_ids']],
  ['stage_scope', { stage_kind_ids: {} }, ['MF-S022 /stage_scope/stage_kind_ids']],
])('an empty %s of %j is what an empty value of YAML means', (section, value, expected) => {
  expect(codes(harness({ [section]: value }))).toEqual(expected);
});

test('names an absent field by its own pointer, in the place of its nearest ancestor (B-41)', () => {
  const { prompt: _, ...rest } = harness();
  const text = `${JSON.stringify(rest).slice(0, -1)},\n"prompt":{}}`;
  const { diagnostics } = compileHarness(text, inputFor(harness()));
  expect(diagnostics.map(({ path, span }) => `${path} ${span?.line}:${span?.column}`)).toEqual([
    '/prompt/include_request_context 2:1',
    '/prompt/policy_id 2:1',
    '/prompt/system_instructions 2:1',
  ]);
});

test('places what is wrong in the meaning of a harness too (B-43)', () => {
  const text = JSON.stringify(harness(node({ prerequisites: [{ node_id: 'nowhere' }] }))).replace(
    '{"node_id":"nowhere"}',
    '\n {"node_id":"nowhere"}',
  );
  const { diagnostics } = compileHarness(text, inputFor(harness()));
  expect(diagnostics.map(({ code, span }) => `${code} ${span?.line}:${span?.column}`)).toEqual([
    'MF-G001 2:2',
  ]);
});

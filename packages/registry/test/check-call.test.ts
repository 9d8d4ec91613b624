import { type JsonSchema, normalizeSchema } from '@millforge/contracts';
import type { CheckedCall, RefusedCall } from '@millforge/registry';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admit, executorWorld, refuse, toolOf } from './executor-world.ts';

test('admits a call with what the plan says about it', () => {
  const call = admit(executorWorld([toolOf()]));
  expect(call).toMatchObject({
    nodeId: 'lookup',
    effect: 'read',
    repeat: 'safe',
    input: { key: 'a' },
    terminalResult: null,
    binding: { tool_id: 'shop.lookup', tool_version: 1, implementation_id: 'impl.shop.lookup.v1' },
  });
  expect(call).not.toHaveProperty('reconcile');
});

test('refuses arguments with the path and the expected type, and keeps a valid record (D-01)', () => {
  const refused = refuse(executorWorld([toolOf()]), { key: 7 });
  expect(refused.outcome).toEqual({
    status: 'not_executed',
    error_code: 'invalid_arguments',
    text: 'Invalid arguments for lookup: $.key must be string (received number).',
    data: {},
    certainty: 'not_attempted',
    truncated: false,
    artifact_ids: [],
  });
  expect(refused.correctable).toBe(true);
  expect(refused.trace).toMatchObject({
    node_id: 'lookup',
    status: 'not_executed',
    certainty: 'not_attempted',
    output_sha256: null,
    started_at: null,
    duration_ms: null,
  });
});

test('a tool may word itself why arguments do not fit, and the refusal tells that it did', () => {
  const tool = toolOf({
    explainArguments: (input) => `Not like ${JSON.stringify(input)}, please.`,
  });
  const refused = refuse(executorWorld([tool]), { key: 7 });
  expect(refused.outcome).toMatchObject({
    error_code: 'invalid_arguments',
    text: 'Not like {"key":7}, please.',
  });
  expect(refused.toolWords).toBe(refused.outcome.text);
  expect(refuse(executorWorld([toolOf()]), { key: 7 })).not.toHaveProperty('toolWords');
});

test.each<[string, () => unknown]>([
  ['null', () => null],
  ['an empty text', () => ''],
  ['no text', () => 7],
  [
    'an error',
    () => {
      throw new Error('no words');
    },
  ],
])('a tool that words arguments as %s leaves it to the boundary', (_what, words) => {
  const tool = toolOf();
  const implementation = Object.assign({}, tool.implementation, { explainArguments: words });
  const told = { ...tool, implementation };
  const refused = refuse(executorWorld([told]), { key: 7 });
  expect(refused.outcome.text).toBe(
    'Invalid arguments for lookup: $.key must be string (received number).',
  );
  expect(refused).not.toHaveProperty('toolWords');
});

test.each([
  ['a missing argument', {}],
  ['an extra argument', { key: 'a', other: 1 }],
  ['a fraction for an integer', { key: 'a', count: 1.5 }],
  ['an array', []],
  ['a text', '{"key":"a"}'],
  ['nothing', null],
  ['NaN', { key: 'a', count: Number.NaN }],
  ['a function', { key: () => 'a' }],
  ['an instance', { key: new Date(0) }],
  ['a bigint', { key: 'a', count: 1n }],
])('refuses %s as invalid arguments', (_what, input) => {
  expect(refuse(executorWorld([toolOf()]), input).outcome.error_code).toBe('invalid_arguments');
});

test('sees an argument called __proto__ as the unknown one that it is', () => {
  const input: unknown = JSON.parse('{"key":"a","__proto__":{"count":1}}');
  expect(refuse(executorWorld([toolOf()]), input).outcome).toMatchObject({
    error_code: 'invalid_arguments',
    text: expect.stringContaining('$.__proto__ is not allowed'),
  });
});

test('copies arguments, so that a later change cannot reach the tool', () => {
  const input = { key: 'a' };
  const call = admit(executorWorld([toolOf()]), input);
  input.key = 'b';
  expect(call.input).toEqual({ key: 'a' });
  expect(Object.isFrozen(call.input)).toBe(true);
});

test('names the tools there are when a name is not in the plan', () => {
  const world = executorWorld([toolOf()]);
  const call = world.executor.check({ name: 'look', callId: 'c', arguments: {} }, world.context);
  expect(call).toMatchObject({
    kind: 'refused',
    correctable: true,
    outcome: { error_code: 'not_found', text: expect.stringContaining('the tools are lookup') },
    trace: { resolution: 'uncompiled', node_id: null, binding: null, origin: null },
  });
});

test('keeps a secret in the place of a name out of the refusal and its record', () => {
  const world = executorWorld([toolOf()]);
  const name = `${'x'.repeat(120)} hunter2-hunter2`;
  const call = world.executor.check({ name, callId: 'c', arguments: {} }, world.context);
  expect(call).toMatchObject({ trace: { tool_name: expect.stringContaining('[truncated]') } });
  expect(JSON.stringify(call)).not.toContain('hunter2');
});

test('refuses a name that two nodes share', () => {
  const other = toolOf({ id: 'shop.other', name: 'other' });
  const world = executorWorld([toolOf(), other], {
    node: (node) => ({ ...node, model_tool_name: 'lookup' }),
  });
  expect(refuse(world)).toMatchObject({
    outcome: { status: 'not_executed', error_code: 'conflict' },
    trace: { resolution: 'ambiguous' },
  });
});

describe('a plan that disagrees with the registry', () => {
  const sha = 'f'.repeat(64);
  test.each([
    ['descriptor_sha256', { binding: { descriptor_sha256: sha } }, 'binding_mismatch'],
    ['implementation_id', { binding: { implementation_id: 'x' } }, 'binding_mismatch'],
    ['model_tool_name', { model_tool_name: 'look' }, 'binding_mismatch'],
    ['description', { description: 'Deletes something.' }, 'binding_mismatch'],
    ['required_capabilities', { required_capabilities: ['a.b'] }, 'binding_mismatch'],
    ['produced_artifact_ids', { produced_artifact_ids: ['x'] }, 'binding_mismatch'],
    ['side_effect_class', { side_effect_class: 'network_write' }, 'binding_mismatch'],
    ['idempotency', { idempotency: 'unknown' }, 'binding_mismatch'],
    ['tool_version', { binding: { tool_version: 2 } }, 'not_found'],
    ['tool_id', { binding: { tool_id: 'shop.gone' } }, 'not_found'],
  ] as const)('refuses calls when the %s differs (B-21)', (field, change, code) => {
    const { binding, ...rest } = { binding: {}, ...change };
    const world = executorWorld([toolOf()], {
      node: (node) => ({ ...node, ...rest, binding: { ...node.binding, ...binding } }),
    });
    const name = field === 'model_tool_name' ? 'look' : 'lookup';
    const call = { name, callId: 'c', arguments: { key: 'a' } };
    const refused = world.executor.check(call, world.context);
    expect(refused).toMatchObject({ kind: 'refused', outcome: { error_code: code } });
    if (refused.kind !== 'refused' || code === 'not_found') return;
    expect(refused.outcome.text).toContain(field);
    expect(refused.outcome.status).toBe('hard_failure');
    expect(refused.correctable).toBe(false);
    expect(world.executor.supportsTool(name)).toBe(false);
  });

  test('refuses calls when the input schema differs', () => {
    const world = executorWorld([toolOf()], {
      node: (node) => ({
        ...node,
        input_schema: { type: 'object', additionalProperties: false, properties: {}, required: [] },
      }),
    });
    expect(refuse(world, {}).outcome.text).toContain('input_schema');
  });

  test('lets the words of a schema differ, but not what it accepts', () => {
    expect(checkWithKey({ type: 'string', title: 'Key', description: 'What to look up.' })).toBe(
      'checked',
    );
    expect(checkWithKey({ type: 'string', maxLength: 9 })).toBe('refused');
  });

  test('lets a node of version 1.1 have its own name and fewer artifacts', () => {
    const tool = toolOf({ artifacts: ['a', 'b'], capabilities: ['artifact.write'] });
    const kindFor = (schema_version: '1.0' | '1.1', change: object): string => {
      const world = executorWorld([tool], {
        node: (node) => ({ ...node, model_tool_name: 'lookup', ...change }),
        plan: { schema_version },
      });
      const name = 'model_tool_name' in change ? 'find' : 'lookup';
      return world.executor.check({ name, callId: 'c', arguments: { key: 'a' } }, world.context)
        .kind;
    };
    expect(kindFor('1.1', { model_tool_name: 'find' })).toBe('checked');
    expect(kindFor('1.1', { produced_artifact_ids: ['b'] })).toBe('checked');
    expect(kindFor('1.1', { produced_artifact_ids: ['c'] })).toBe('refused');
    expect(kindFor('1.0', { model_tool_name: 'find' })).toBe('refused');
    expect(kindFor('1.0', { produced_artifact_ids: ['b'] })).toBe('refused');
  });

  test('refuses calls when no code is registered', () => {
    const world = executorWorld([toolOf()], { implementations: 'none' });
    expect(refuse(world)).toMatchObject({
      outcome: { status: 'hard_failure', error_code: 'not_found' },
      correctable: false,
    });
  });

  test('leaves the other tools alone', () => {
    const other = toolOf({ id: 'shop.other', name: 'other' });
    const world = executorWorld([toolOf(), other], {
      node: (node) => (node.node_id === 'other' ? { ...node, description: 'Changed.' } : node),
    });
    expect(admit(world).nodeId).toBe('lookup');
    expect(world.executor.supportsTool('other')).toBe(false);
  });
});

test('asks for prerequisites before capabilities and records the decisions so far', () => {
  const tool = toolOf({ capabilities: ['shop.a', 'shop.b'] });
  const needs = ['first', 'second'].map((node_id) => ({ node_id, argument_matches: [] }));
  const world = executorWorld([tool], { node: (node) => ({ ...node, prerequisites: needs }) });
  const call = { name: 'lookup', callId: 'c', arguments: { key: 'a' } };
  const first = { node_id: 'first', satisfied: true };
  expect(
    world.executor.check(call, { ...world.context, grants: [], prerequisites: [first] }),
  ).toMatchObject({
    outcome: { error_code: 'prerequisite_denied', text: expect.stringContaining('second') },
    trace: {
      prerequisite_decisions: [
        { key: 'first', decision: 'allowed' },
        { key: 'second', decision: 'denied' },
      ],
      capability_decisions: [],
    },
  });
  const both = [first, { node_id: 'second', satisfied: true }];
  expect(
    world.executor.check(call, { ...world.context, grants: ['shop.a'], prerequisites: both }),
  ).toMatchObject({
    outcome: { error_code: 'capability_denied', text: expect.stringContaining('shop.b') },
    trace: {
      capability_decisions: [
        { key: 'shop.a', decision: 'allowed' },
        { key: 'shop.b', decision: 'denied' },
      ],
    },
  });
  expect(world.executor.check(call, { ...world.context, prerequisites: both }).kind).toBe(
    'checked',
  );
});

test('refuses a terminal that names another result than the plan', () => {
  const end = toolOf({
    sideEffect: 'terminal',
    capabilities: ['terminal.intent'],
    input: {
      type: 'object',
      additionalProperties: false,
      properties: { terminal_result: { type: 'string' } },
      required: ['terminal_result'],
    },
  });
  const node = { terminal_result: 'COMPLETE' };
  const world = executorWorld([end], { node: (one) => ({ ...one, ...node }) });
  expect(admit(world, { terminal_result: 'COMPLETE' }).terminalResult).toBe('COMPLETE');
  expect(refuse(world, { terminal_result: 'BLOCKED' }).outcome.error_code).toBe(
    'terminal_intent_invalid',
  );
  const torn = executorWorld([end], {
    node: (one) => ({ ...one, ...node }),
    plan: { terminal_result_map: { lookup: 'OTHER' } },
  });
  expect(refuse(torn, { terminal_result: 'COMPLETE' }).outcome.error_code).toBe(
    'terminal_intent_invalid',
  );
});

test('lets the tool refuse in its own words', () => {
  const tool = toolOf({
    check: (input) =>
      input['key'] === '' ? { kind: 'refused', code: 'conflict', message: 'No key.' } : null,
  });
  expect(refuse(executorWorld([tool]), { key: '' })).toMatchObject({
    outcome: { status: 'not_executed', error_code: 'conflict', text: 'No key.' },
    correctable: true,
  });
});

test('refuses a call for a reason of the loop with the record that it would have', () => {
  const call = admit(executorWorld([toolOf()]));
  const reason = { code: 'conflict', message: 'Not now, hunter2-hunter2.' } as const;
  const refused = call.refuse(reason);
  expect(refused).toMatchObject({
    kind: 'refused',
    correctable: true,
    outcome: { status: 'not_executed', error_code: 'conflict', text: 'Not now, **redacted**.' },
    trace: { node_id: 'lookup', call_id: 'call-1', started_at: null, duration_ms: null },
  });
  expect(call.refuse(reason)).toEqual(refused);
});

test('turns a check that throws into a refusal without secrets and host paths', () => {
  const tool = toolOf({
    check: () => {
      throw new Error('cannot read /root/.ssh/id with hunter2-hunter2 in /srv/site/a.txt');
    },
  });
  const refused = refuse(executorWorld([tool]));
  expect(refused.outcome).toMatchObject({
    status: 'hard_failure',
    error_code: 'implementation_error',
    text: expect.stringContaining('cannot read [path] with **redacted** in a.txt'),
  });
});

test.each([
  ['read_only', 'idempotent', 'read', 'safe'],
  ['read_only', 'unknown', 'read', 'safe'],
  ['network_read', 'idempotent', 'read', 'safe'],
  ['network_read', 'non_idempotent', 'read', 'unsafe'],
  ['artifact_write', 'idempotent', 'write', 'safe'],
  ['workspace_write', 'idempotent_with_key', 'write', 'unsafe'],
  ['workspace_write', 'unknown', 'write', 'unsafe'],
  ['process_execution', 'non_idempotent', 'external', 'unsafe'],
  ['network_write', 'idempotent_with_key', 'external', 'keyed'],
  ['network_write', 'unknown', 'external', 'unsafe'],
  ['terminal', 'non_idempotent', 'none', 'safe'],
] as const)('maps %s, %s to effect %s, repeat %s', (...row) => {
  const [sideEffect, idempotency, effect, repeat] = row;
  const tool = toolOf({ sideEffect, idempotency, capabilities: ['shop.use'] });
  expect(admit(executorWorld([tool]))).toMatchObject({ effect, repeat });
});

test('gives one answer with one record for every input, the same one every time (B-22)', () => {
  const world = executorWorld([toolOf()]);
  const open: { check(call: unknown, context: unknown): CheckedCall | RefusedCall } =
    world.executor;
  const names = fc.oneof(fc.constantFrom('lookup', '', ' ', '__proto__'), fc.anything());
  const inputs = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
    fc.record({ key: fc.anything() }),
    fc.constantFrom(cyclic(), hostile(), deep(100_000), { key: 'x'.repeat(1_000_000) }),
  );
  fc.assert(
    fc.property(names, fc.anything(), inputs, (name, callId, input) => {
      const call = { name, callId, arguments: input };
      const answer = open.check(call, world.context);
      const again = open.check(call, world.context);
      expect(answer.kind === 'checked' || answer.kind === 'refused').toBe(true);
      if (answer.kind === 'checked') return;
      expect(again).toEqual(answer);
      expect(answer.outcome.text.trim()).not.toBe('');
      expect(answer.outcome.certainty).toBe('not_attempted');
      expect(answer.trace.status).toBe(answer.outcome.status);
      expect(JSON.parse(JSON.stringify(answer.trace))).toEqual(answer.trace);
      expect(JSON.stringify(answer).length).toBeLessThan(20_000);
    }),
    { numRuns: 300 },
  );
});

test('keeps secrets out of the record of a refusal', () => {
  const world = executorWorld([toolOf()]);
  const call = { name: 'hunter2-hunter2', callId: 'c', arguments: {} };
  const refused = world.executor.check(call, world.context);
  expect(refused.kind === 'refused' && refused.trace.summary).not.toContain('hunter2');
});

function cyclic(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}

function hostile(): unknown {
  return Object.defineProperty({}, 'key', {
    enumerable: true,
    get: () => {
      throw new Error('no');
    },
  });
}

function deep(levels: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level++) value = [value];
  return { key: value };
}

/** The input schema of the tool with another schema for its key. */
function withKey(property: object): JsonSchema {
  const normal = normalizeSchema(
    {
      type: 'object',
      additionalProperties: false,
      properties: { key: property, count: { type: 'integer' } },
      required: ['key'],
    },
    '',
    { version: '1.1' },
  );
  if (!normal.ok) throw new Error(normal.message);
  return normal.value;
}

function checkWithKey(property: object): string {
  const world = executorWorld([toolOf()], {
    node: (node) => ({ ...node, input_schema: withKey(property) }),
  });
  const call = { name: 'lookup', callId: 'c', arguments: { key: 'a' } };
  return world.executor.check(call, world.context).kind;
}

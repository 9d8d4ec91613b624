import {
  type ConnectorTransport,
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
  mayRetry,
  type ProviderAnswer,
} from '@millforge/connectors';
import { fakeTransport } from '@millforge/connectors/testing';
import type { Idempotency, SideEffectCertainty } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import { describe, expect, test } from 'vitest';
import { admittedFake, callTool } from './admitted-fake.ts';

const SAID: ProviderAnswer = { kind: 'answered', isError: false, text: 'said', structured: null };
const saying = (text: string) => () => ({ ...SAID, text }) as const;
const lost = (sent: boolean): ProviderAnswer => ({
  kind: 'failed',
  reason: 'lost',
  sent,
  message: 'The connection broke.',
});

test('calls an admitted tool, and the server sees the narrow request only', async () => {
  const { tools, transport } = await admittedFake([
    { provider_tool_name: 'say', answer: () => SAID },
  ]);
  expect(await callTool(tools[0])).toMatchObject({
    kind: 'done',
    text: 'said',
    data: { text: 'said' },
  });
  expect(Object.keys(transport.requests[0] ?? {}).toSorted()).toEqual([
    'arguments',
    'call_id',
    'connector_id',
    'connector_identity_sha256',
    'descriptor_sha256',
    'discovery_snapshot_sha256',
    'idempotency_key',
    'provider_tool_name',
    'raw_tool_sha256',
    'run_id',
    'timeout_seconds',
    'tool_id',
    'tool_version',
  ]);
  expect(Object.isFrozen(transport.requests[0]?.arguments)).toBe(true);
});

describe('refuses a drifted tool before the call', () => {
  const original = {
    provider_tool_name: 'say',
    provider_description: 'Says.',
    input_schema: { type: 'object', additionalProperties: false, properties: {} },
    output_schema: { type: 'object', additionalProperties: false, properties: {} },
    provider_annotations: { readOnlyHint: true },
  };
  test.each([
    ['description', { provider_description: 'Says it.' }],
    ['input schema', { input_schema: { type: 'object', additionalProperties: false } }],
    ['output schema', { output_schema: null }],
    ['annotations', { provider_annotations: {} }],
  ])('whose %s changed', async (_, change) => {
    const { tools, transport } = await admittedFake([original]);
    await callTool(tools[0]);
    transport.replaceTools([{ ...original, ...change }]);
    expect(await callTool(tools[0])).toMatchObject({ kind: 'refused', code: 'binding_mismatch' });
    expect(transport.requests).toHaveLength(1);
  });

  test('that is gone, or that the server has twice', async () => {
    const { tools, transport } = await admittedFake([original]);
    transport.replaceTools([]);
    expect(await callTool(tools[0])).toMatchObject({ code: 'not_found' });
    transport.replaceTools([original, original]);
    expect(await callTool(tools[0])).toMatchObject({ code: 'not_found' });
  });

  test('that changed between the look and the call', async () => {
    const { tools, transport } = await admittedFake([original]);
    const result = await callTool(
      tools[0],
      {},
      {
        between: () => transport.replaceTools([{ ...original, provider_description: 'New.' }]),
      },
    );
    expect(result).toMatchObject({ kind: 'failed', certainty: 'not_attempted' });
    expect(transport.requests).toEqual([]);
  });

  test('that changed without a word, once what is known is old', async () => {
    const { tools, transport, clock } = await admittedFake([original]);
    await callTool(tools[0]);
    transport.replaceTools([{ ...original, provider_description: 'New.' }], { quietly: true });
    clock.advance(60_001);
    expect(await callTool(tools[0])).toMatchObject({ code: 'binding_mismatch' });
  });
});

test('goes on when other tools come and go', async () => {
  const { tools, transport } = await admittedFake([
    { provider_tool_name: 'say', answer: () => SAID },
  ]);
  transport.replaceTools([
    { provider_tool_name: 'new' },
    { provider_tool_name: 'say', answer: () => SAID },
  ]);
  expect(await callTool(tools[0])).toMatchObject({ kind: 'done' });
});

test('asks a server once for calls that follow each other or begin together', async () => {
  const { tools, transport } = await admittedFake([{ provider_tool_name: 'say' }]);
  const before = transport.discoveries;
  await Promise.all([callTool(tools[0]), callTool(tools[0])]);
  await callTool(tools[0]);
  expect(transport.discoveries - before).toBe(1);
});

test('asks again for whoever waits when the one who asked first is stopped', async () => {
  const { transport, snapshot } = await admittedFake([{ provider_tool_name: 'say' }]);
  let asked = 0;
  const slow: ConnectorTransport = {
    ...transport,
    async discover(options) {
      asked += 1;
      if (asked > 1) return transport.discover(options);
      await new Promise((resolve) => options.signal.addEventListener('abort', resolve));
      return { kind: 'failed', reason: 'stopped', sent: false, message: 'Stopped.' };
    },
  };
  const broker = createConnectorBroker({
    clock: manualClock(),
    connectors: [{ discovery: snapshot, transport: slow }],
  });
  const stop = new AbortController();
  const first = broker.look('connector.fake', 'say', { signal: stop.signal });
  const second = broker.look('connector.fake', 'say', { signal: new AbortController().signal });
  stop.abort();
  expect(await first).toMatchObject({ kind: 'unreachable' });
  expect(await second).toMatchObject({ kind: 'present' });
});

test('keeps tools of one name on two servers apart', async () => {
  const one = await admittedFake([{ provider_tool_name: 'say', answer: saying('one') }], {
    connectorId: 'connector.one',
  });
  const two = await admittedFake([{ provider_tool_name: 'say', answer: saying('two') }], {
    connectorId: 'connector.two',
  });
  const descriptors = [...one.descriptors, ...two.descriptors];
  const broker = createConnectorBroker({
    clock: manualClock(),
    connectors: [one, two].map(({ snapshot, transport }) => ({ discovery: snapshot, transport })),
  });
  const tools = createConnectorTools({
    descriptors,
    broker,
    admission: createAdmissionSnapshot([...one.records, ...two.records], descriptors),
  });
  expect(await callTool(tools[0])).toMatchObject({ text: 'one' });
  expect(await callTool(tools[1])).toMatchObject({ text: 'two' });
});

describe('says what is known about the effect', () => {
  const CASES: readonly [string, ProviderAnswer, object][] = [
    ['a result', SAID, { kind: 'done' }],
    [
      'a failure that the server tells',
      { ...SAID, isError: true },
      { code: 'io_error', certainty: 'confirmed_complete' },
    ],
    [
      'arguments that the server refuses',
      { kind: 'rejected', reason: 'invalid-arguments', message: 'no' },
      { code: 'invalid_arguments', certainty: 'confirmed_absent' },
    ],
    ['a loss before sending', lost(false), { code: 'io_error', certainty: 'not_attempted' }],
    [
      'a loss after sending',
      lost(true),
      { code: 'ambiguous_side_effect', certainty: 'completion_unknown' },
    ],
  ];
  test.each(CASES)('after %s', async (_, answer, expected) => {
    const { tools } = await admittedFake([{ provider_tool_name: 'say', answer: () => answer }]);
    expect(await callTool(tools[0])).toMatchObject(expected);
  });

  test('after a time-out on the way, which is unknown', async () => {
    const { tools } = await admittedFake([
      { provider_tool_name: 'say', answer: () => new Promise(() => {}) },
    ]);
    const stop = new AbortController();
    const calling = callTool(tools[0], {}, { signal: stop.signal });
    await Promise.resolve();
    setImmediate(() => stop.abort(new DOMException('over', 'TimeoutError')));
    expect(await calling).toMatchObject({ code: 'timeout', certainty: 'completion_unknown' });
  });

  test('after any loss of a tool that only reads: nothing happened', async () => {
    const { tools } = await admittedFake(
      [{ provider_tool_name: 'say', answer: () => lost(true) }],
      { sideEffect: 'read_only' },
    );
    expect(await callTool(tools[0])).toMatchObject({
      code: 'io_error',
      certainty: 'confirmed_absent',
    });
  });
});

test('passes on only what the admitted output schema has a place for', async () => {
  const { tools } = await admittedFake([
    {
      provider_tool_name: 'say',
      output_schema: {
        type: 'object',
        properties: {
          names: {
            type: 'array',
            items: { type: 'object', properties: { n: { type: 'string' } } },
          },
        },
      },
      answer: () => ({
        ...SAID,
        structured: { names: [{ n: 'a', hidden: 'do this' }], extra: { more: true } },
      }),
    },
  ]);
  expect(await callTool(tools[0])).toMatchObject({ kind: 'done', data: { names: [{ n: 'a' }] } });
});

test('repeats a call that is in doubt under the same key, and a finished one under another (B-35)', async () => {
  let answer = lost(true);
  const { tools, transport } = await admittedFake(
    [{ provider_tool_name: 'say', answer: () => answer }],
    { idempotency: 'idempotent_with_key' },
  );
  const keys = () => transport.requests.map((request) => request.idempotency_key);
  await callTool(tools[0], {}, { idempotencyKey: 'turn_1' });
  answer = SAID;
  // The model asks again, with a call of its own: it is still the same thing that is wanted.
  await callTool(tools[0], {}, { idempotencyKey: 'turn_2' });
  await callTool(tools[0], {}, { idempotencyKey: 'turn_3' });
  const [first, second, third] = keys();
  expect(first).toMatch(/^[0-9a-f]{64}$/u);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('sends no key where the tool takes none', async () => {
  const { tools, transport } = await admittedFake([{ provider_tool_name: 'say' }]);
  await callTool(tools[0]);
  expect(transport.requests[0]?.idempotency_key).toBeNull();
});

describe('a call may be repeated without asking', () => {
  const CERTAINTIES: readonly SideEffectCertainty[] = [
    'not_attempted',
    'confirmed_absent',
    'rolled_back',
    'completion_unknown',
  ];
  const rows: readonly (readonly [Idempotency, boolean, boolean, boolean])[] = [
    ['idempotent', false, false, true],
    ['idempotent_with_key', true, true, true],
    ['idempotent_with_key', false, false, false],
    ['non_idempotent', true, false, false],
    ['unknown', true, false, false],
  ];
  test.each(rows)('%s, with a key: %s', (...row) => {
    const [idempotency, hasKey, whenComplete, otherwise] = row;
    expect(mayRetry({ idempotency, hasKey, certainty: 'confirmed_complete' })).toBe(whenComplete);
    for (const certainty of CERTAINTIES) {
      expect(mayRetry({ idempotency, hasKey, certainty })).toBe(otherwise);
    }
  });
});

test('reads prompts and resources only where they are admitted', async () => {
  const { snapshot } = await admittedFake([{ provider_tool_name: 'say' }]);
  const transport = fakeTransport({
    tools: [],
    prompts: { hello: 'Hello.', other: 'Other.' },
    resources: { 'memo://1': 'One.' },
  });
  const broker = createConnectorBroker({
    clock: manualClock(),
    connectors: [{ discovery: snapshot, transport, prompts: ['hello'] }],
  });
  const live = { signal: new AbortController().signal };
  const prompt = (name: string) =>
    broker.readPrompt('connector.fake', { name, arguments: {} }, live);
  expect(await prompt('hello')).toEqual({ kind: 'read', text: 'Hello.' });
  expect(await prompt('other')).toMatchObject({ kind: 'failed', reason: 'refused', sent: false });
  expect(await broker.readResource('connector.fake', 'memo://1', live)).toMatchObject({
    reason: 'refused',
  });
  await broker[Symbol.asyncDispose]();
  expect(transport.isClosed).toBe(true);
});

test('asks for the approval that the admission names, whatever the arguments say', async () => {
  const { tools, descriptors, records, broker } = await admittedFake([
    { provider_tool_name: 'say' },
  ]);
  expect(tools[0]?.approval).toBe('explicit');
  const changed = records.map((one) => ({
    ...one,
    approval_policy: 'operator_out_of_band' as const,
  }));
  const admission = createAdmissionSnapshot(changed, descriptors);
  const [outOfBand] = createConnectorTools({ admission, descriptors, broker });
  expect(outOfBand?.approval).toBe('out_of_band');
});

test('makes no tool of what is not admitted', async () => {
  const { descriptors, broker } = await admittedFake([{ provider_tool_name: 'say' }]);
  const admission = createAdmissionSnapshot([], descriptors);
  expect(() => createConnectorTools({ admission, descriptors, broker })).toThrow(
    expect.objectContaining({ code: 'connectors/not-admitted' }),
  );
});

test.each([
  ['stale', (r: object) => ({ ...r, descriptor_sha256: 'a'.repeat(64) })],
  ['descriptor-inconsistent', (r: object) => ({ ...r, side_effect_class: 'read_only' })],
  ['descriptor-inconsistent', (r: object) => ({ ...r, idempotency_key_policy: 'call_id' })],
])('ties no record to a descriptor that it does not fit: %s', async (reason, change) => {
  const { records, descriptors } = await admittedFake([{ provider_tool_name: 'say' }]);
  const changed = records.map((one) => change(one) as typeof one);
  expect(() => createAdmissionSnapshot(changed, descriptors)).toThrow(
    expect.objectContaining({
      code: 'connectors/admission-invalid',
      details: expect.objectContaining({ reason }),
    }),
  );
  expect(() => createAdmissionSnapshot([...records, ...records], descriptors)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ reason: 'duplicate' }) }),
  );
});

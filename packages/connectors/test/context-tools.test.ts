import {
  createConnectorBroker,
  createContextTools,
  createDiscoverySnapshot,
} from '@millforge/connectors';
import { fakeTransport } from '@millforge/connectors/testing';
import { type JsonObject, validateJson } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import { expect, test } from 'vitest';
import { callTool } from './admitted-fake.ts';

/** A server with a prompt and two resources, of which some are admitted. */
function world(options: { readonly version?: string; readonly admitted?: readonly string[] } = {}) {
  const { version = '1.0.0', admitted = ['memo://one', 'memo://gone'] } = options;
  const transport = fakeTransport({
    tools: [],
    identity: { implementation_version: version },
    prompts: { greeting: 'Say hello.' },
    resources: { 'memo://one': 'The first memo.', 'memo://two': 'The second memo.' },
  });
  const discovery = createDiscoverySnapshot({
    connector_identity: {
      connector_id: 'connector.fake',
      protocol: 'mcp',
      transport_kind: 'stdio',
      protocol_version: '2026-07-28',
      implementation_name: 'fake',
      implementation_version: '1.0.0',
      implementation_digest: null,
      server_reported_name: null,
      server_reported_version: null,
      configured_secret_refs: [],
      discovered_at: '2026-01-01T00:00:00Z',
    },
    created_at: '2026-01-01T00:00:00Z',
    provider_tools: [],
    provider_prompts: ['greeting'],
    provider_resources: ['memo://gone', 'memo://one', 'memo://two'],
    provider_metadata: {},
  });
  if (!discovery.ok) throw new Error(discovery.diagnostics[0]?.message);
  const connectors = [
    { discovery: discovery.value, transport, prompts: ['greeting'], resources: admitted },
  ];
  const broker = createConnectorBroker({ connectors, clock: manualClock() });
  return createContextTools({ connectors, broker });
}

/** The tool of an id. */
function toolOf(tools: ReturnType<typeof world>, id: string) {
  const tool = tools.find(({ descriptor }) => descriptor.tool_id === id);
  if (tool === undefined) throw new Error(`There is no ${id}.`);
  return tool;
}

/** What one call comes to. */
function outcomeOf(tools: ReturnType<typeof world>, id: string, input: JsonObject) {
  return callTool(toolOf(tools, id), input);
}

const RESOURCE = 'connector.fake.context.resource';
const PROMPT = 'connector.fake.context.prompt';

test('what was admitted is read by its name, and somebody has to agree', async () => {
  const tools = world();
  expect(tools.map(({ descriptor, approval }) => [descriptor.tool_id, approval])).toEqual([
    [RESOURCE, 'explicit'],
    [PROMPT, 'explicit'],
  ]);
  expect(await outcomeOf(tools, RESOURCE, { name: 'memo://one' })).toMatchObject({
    kind: 'done',
    data: { text: 'The first memo.' },
  });
  const input = { name: 'greeting', arguments: [{ name: 'to', value: 'all' }] };
  expect(await outcomeOf(tools, PROMPT, input)).toMatchObject({ data: { text: 'Say hello.' } });
});

test('what was not admitted is no argument, although the server has it', () => {
  const { input_schema: schema } = toolOf(world(), RESOURCE).descriptor;
  expect(validateJson({ name: 'memo://one' }, schema)).toBeNull();
  expect(validateJson({ name: 'memo://two' }, schema)?.path).toBe('$.name');
});

test('what the server no longer has is refused before it is read', async () => {
  expect(await outcomeOf(world(), RESOURCE, { name: 'memo://gone' })).toMatchObject({
    kind: 'refused',
    code: 'not_found',
  });
});

test('nothing is read of a server that is not the admitted one', async () => {
  expect(await outcomeOf(world({ version: '2.0.0' }), PROMPT, { name: 'greeting' })).toMatchObject({
    kind: 'refused',
    code: 'binding_mismatch',
  });
});

test('a connector of which nothing is admitted beside tools has no such tool', () => {
  const tools = world({ admitted: [] });
  expect(tools.map(({ descriptor }) => descriptor.tool_id)).toEqual([PROMPT]);
});

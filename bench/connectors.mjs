// A call of an admitted tool over stdio beside the same call of the bare MCP client: what the boundary adds.
import { createRequire } from 'node:module';
import { mcpStdioTransport } from '../packages/connector-mcp/dist/index.js';
import {
  admitConnectorTools,
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
  createDiscoverySnapshot,
  draftManifest,
} from '../packages/connectors/dist/index.js';
import { median } from './measure.mjs';

const require = createRequire(new URL('../packages/connector-mcp/package.json', import.meta.url));
const { Client } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
const server = new URL('../packages/connector-mcp/test/stdio-server.mjs', import.meta.url).pathname;

export async function benchConnectors() {
  const theirs = new Client({ name: 'bench', version: '1' });
  await theirs.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, 'good'] }),
  );
  const transport = mcpStdioTransport({
    command: process.execPath,
    args: [server, 'good'],
    pinnedFiles: [server],
    folder: '/',
    name: 'fixture',
    clock,
  });
  const { tool, broker } = await admitted(transport);
  const bare = () => theirs.callTool({ name: 'echo', arguments: { text: 'seen' } });
  const ours = async () => {
    const prepared = await tool.prepare({ text: 'seen' }, context);
    return prepared.run({ ...context, idempotencyKey: 'key' });
  };
  const samples = { bare: [], ours: [], added: [] };
  for (let round = 0; round < 60; round += 1) {
    const [a, b] = [await perCall(bare), await perCall(ours)];
    if (round < 10) continue;
    samples.bare.push(a);
    samples.ours.push(b);
    samples.added.push(b - a);
  }
  process.stdout.write(
    `broker around a call over stdio: adds ${median(samples.added).toFixed(1)} µs to ${median(samples.bare).toFixed(1)} µs of the bare client (${median(samples.ours).toFixed(1)} µs)\n`,
  );
  await broker[Symbol.asyncDispose]();
  await theirs.close();
}

/** Microseconds of one call, over a hundred that follow each other. */
async function perCall(call) {
  const start = performance.now();
  for (let left = 100; left > 0; left -= 1) await call();
  return (performance.now() - start) * 10;
}

async function admitted(transport) {
  const at = '2026-01-01T00:00:00Z';
  const found = await transport.discover({ signal });
  if (found.kind === 'failed') throw new Error(found.message);
  const read = createDiscoverySnapshot({
    connector_identity: { connector_id: 'bench', discovered_at: at, ...found.identity },
    created_at: at,
    provider_tools: found.tools,
    provider_prompts: found.prompts,
    provider_resources: found.resources,
    provider_metadata: found.metadata,
  });
  const { manifest, proposals } = draftManifest(read.value, { modelToolNames: [] });
  const { descriptors, records, diagnostics } = admitConnectorTools({
    snapshot: read.value,
    manifest: {
      ...manifest,
      selected_tools: proposals.map(({ selection }) => ({
        ...selection,
        description: 'A tool of the bench.',
      })),
      denied_tools: [],
    },
    policy: { allowed_capability_ids: ['connector.bench.call'], max_description_utf8: 512 },
  });
  if (diagnostics.length > 0) throw new Error(diagnostics[0].message);
  const broker = createConnectorBroker({
    clock,
    connectors: [{ discovery: read.value, transport }],
  });
  const admission = createAdmissionSnapshot(records, descriptors);
  const tools = createConnectorTools({ admission, descriptors, broker });
  const echo = tools.find(({ descriptor }) => descriptor.tool_id.endsWith('.echo'));
  return { tool: echo.implementation, broker };
}

const { signal } = new AbortController();
const clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, stop) =>
    new Promise((done, fail) => {
      const timer = setTimeout(done, ms);
      stop?.addEventListener('abort', () => {
        clearTimeout(timer);
        fail(stop.reason);
      });
    }),
};
const context = { runId: 'run', callId: 'call', workspace: null, signal, clock };

import {
  admitConnectorTools,
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
  createDiscoverySnapshot,
  draftManifest,
} from '@millforge/connectors';
import { fakeTransport } from '@millforge/connectors/testing';

// A server in memory; '@millforge/connector-mcp' has the ways to real ones.
const transport = fakeTransport({ tools: [{ provider_tool_name: 'ping' }] });

// What the server says that it has: evidence, of which nothing may be called.
const found = await transport.discover({ signal: AbortSignal.timeout(5000) });
if (found.kind === 'failed') throw new Error(found.message);
const at = new Date().toISOString();
const discovery = createDiscoverySnapshot({
  connector_identity: { connector_id: 'connector.memo', discovered_at: at, ...found.identity },
  created_at: at,
  provider_tools: found.tools,
  provider_prompts: found.prompts,
  provider_resources: found.resources,
  provider_metadata: found.metadata,
});
if (!discovery.ok) throw new Error(discovery.diagnostics[0]?.message);

// What the operator lets in: one tool, in words of their own.
const { manifest, proposals } = draftManifest(discovery.value, { modelToolNames: [] });
const selection = proposals[0]?.selection;
if (!selection) throw new Error('There is no proposal.');
const { accepted, descriptors, records, diagnostics } = admitConnectorTools({
  snapshot: discovery.value,
  manifest: {
    ...manifest,
    selected_tools: [{ ...selection, description: 'Asks whether the service is there.' }],
    denied_tools: [],
  },
  policy: {
    allowed_capability_ids: selection.required_capabilities,
    max_description_utf8: 2048,
  },
});
if (!accepted) throw new Error(diagnostics[0]?.message);

// Disposed of by whoever made it: `await using` in a program.
export const broker = createConnectorBroker({
  clock: { monotonicMs: () => performance.now() },
  connectors: [{ discovery: discovery.value, transport }],
});
const admission = createAdmissionSnapshot(records, descriptors);
export const tools = createConnectorTools({ admission, descriptors, broker }); // for any registry

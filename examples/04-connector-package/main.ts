import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  admitConnectorTools,
  type ConnectorTransport,
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
  createDiscoverySnapshot,
  draftManifest,
} from '@millforge/connectors';
import { connectorTransportConformance } from '@millforge/connectors/testing';
import { runTask } from 'millforge';
import { HARNESS, SCRIPT } from './harness.ts';
import type * as TicketConnector from './ticket-connector/index.js';
import { startTicketService } from './ticket-service.ts';

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-04-'));
const service = await startTicketService();
try {
  const { ticketTransport } = await installed(folder);
  const open = (): ConnectorTransport => ticketTransport({ url: service.url, version: '7' });

  // #region conformance
  const tests: [title: string, run: () => Promise<void>][] = [];
  connectorTransportConformance({
    test: (title, run) => tests.push([title, run]),
    tools: { echo: 'echo', fails: 'fails', hangs: 'hangs' },
    open: () => ({ transport: open(), close() {} }),
  });
  // #endregion
  for (const [, run] of tests) await run();
  console.log(`the connector keeps ${tests.length} promises of its port`);

  // #region admit
  const transport = open();
  const discovered = await transport.discover({ signal: AbortSignal.timeout(5000) });
  if (discovered.kind === 'failed') throw new Error(discovered.message);
  const at = '2026-01-01T00:00:00Z';
  const snapshot = createDiscoverySnapshot({
    connector_identity: { connector_id: 'tickets', discovered_at: at, ...discovered.identity },
    created_at: at,
    provider_tools: discovered.tools,
    provider_prompts: discovered.prompts,
    provider_resources: discovered.resources,
    provider_metadata: discovered.metadata,
  });
  if (!snapshot.ok) throw new Error(snapshot.diagnostics[0]?.message);
  const { manifest, proposals } = draftManifest(snapshot.value, { modelToolNames: [] });
  console.log(
    `denied at first: ${manifest.denied_tools.map((one) => one.provider_tool_name).join(', ')}`,
  );

  const proposal = proposals.find((one) => one.provider_tool_name === 'open_ticket');
  if (!proposal?.selection) throw new Error('There is no proposal.');
  const admitted = admitConnectorTools({
    snapshot: snapshot.value,
    manifest: {
      ...manifest,
      selected_tools: [
        {
          ...proposal.selection,
          description: 'Opens a ticket with a title and gives its number.',
          // The service knows a call by its key, so a call in doubt may be repeated.
          idempotency: 'idempotent_with_key',
        },
      ],
      denied_tools: manifest.denied_tools.filter((one) => one.provider_tool_name !== 'open_ticket'),
    },
    policy: {
      allowed_capability_ids: ['connector.tickets.call'],
      allowed_protocols: ['tickets.http'],
      max_description_utf8: 200,
    },
  });
  if (!admitted.accepted) throw new Error(admitted.diagnostics[0]?.message);
  // #endregion
  const { descriptors, records } = admitted;
  console.log(`admitted: ${descriptors.map((one) => one.tool_id).join(', ')}`);

  await using broker = createConnectorBroker({
    connectors: [{ discovery: snapshot.value, transport }],
    clock: { monotonicMs: () => performance.now() },
  });
  const admission = createAdmissionSnapshot(records, descriptors);
  const tools = createConnectorTools({ admission, descriptors, broker });
  const result = await runTask({
    harness: HARNESS,
    task: 'Open a ticket for the broken gate.',
    cwd: folder,
    dataDir: null,
    tools,
    model: { kind: 'scripted', script: SCRIPT },
    grants: ['connector.tickets.call', 'terminal.intent'],
    approvals: { kind: 'approval_policy', schema_version: '1.0', rules: [{ verdict: 'approve' }] },
    onEvent(event) {
      if (event.kind === 'call-ended')
        console.log(`  ${event.tool}: ${event.status} ${event.text}`);
    },
  });
  console.log(`${result.status}: ${result.summary}`);
  console.log(`the service has: ${service.tickets.join(', ')}`);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

/** Packs the connector as its author would publish it, and installs it from the tarball. */
async function installed(into: string): Promise<typeof TicketConnector> {
  const env = {
    ...process.env,
    npm_config_cache: join(into, 'cache'),
    npm_config_update_notifier: 'false',
  };
  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const source = join(import.meta.dirname, 'ticket-connector');
  const tarball = npm('pack', source, '--pack-destination', into).trim().split('\n').at(-1) ?? '';
  npm('install', '--prefix', into, join(into, tarball), '--offline', '--no-audit', '--no-fund');
  console.log(`installed ${tarball}`);
  return import(pathToFileURL(join(into, 'node_modules/ticket-connector/index.js')).href);
}

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { mcpStdioTransport } from '@millforge/connector-mcp';
import {
  admitConnectorTools,
  type ConnectorDiscoverySnapshot,
  type ConnectorToolSelection,
  type ConnectorTransport,
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
  createDiscoverySnapshot,
  draftManifest,
} from '@millforge/connectors';
import type { Clock } from '@millforge/contracts';

/** The time of this machine. */
export const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
};

/** Absolute path of the program of a server that is installed here. */
export function programOf(name: string, file: string): string {
  return realpathSync(join(import.meta.dirname, '../node_modules', name, file));
}

/** A transport to a server that is a script for Node. */
export function serve(
  script: string,
  options: {
    readonly args?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    readonly folder: string;
  },
): ConnectorTransport {
  const { args = [], environment = {}, folder } = options;
  return mcpStdioTransport({
    command: process.execPath,
    args: [script, ...args],
    pinnedFiles: [script],
    environment: { PATH: process.env['PATH'] ?? '', HOME: folder, ...environment },
    folder,
    name: 'server',
    clock,
  });
}

/** Writes down what a server has. */
export async function discover(transport: ConnectorTransport): Promise<ConnectorDiscoverySnapshot> {
  const discovered = await transport.discover({ signal: new AbortController().signal });
  if (discovered.kind === 'failed') throw new Error(discovered.message);
  const now = '2026-01-01T00:00:00Z';
  const snapshot = createDiscoverySnapshot({
    connector_identity: {
      connector_id: 'connector.real',
      discovered_at: now,
      ...discovered.identity,
    },
    created_at: now,
    provider_tools: discovered.tools,
    provider_prompts: discovered.prompts,
    provider_resources: discovered.resources,
    provider_metadata: discovered.metadata,
  });
  if (!snapshot.ok) throw new Error(JSON.stringify(snapshot.diagnostics));
  return snapshot.value;
}

/** Admits some tools of a server as they are proposed, but for what a test says otherwise. */
export function admit(
  snapshot: ConnectorDiscoverySnapshot,
  terms: Readonly<Record<string, Partial<ConnectorToolSelection>>>,
) {
  const { manifest, proposals } = draftManifest(snapshot, { modelToolNames: [] });
  const selected = proposals.flatMap(({ selection }) => {
    const chosen = selection === null ? undefined : terms[selection.provider_tool_name];
    return selection === null || chosen === undefined
      ? []
      : [{ ...selection, description: 'A tool of the test.', ...chosen }];
  });
  const names = selected.map((one) => one.provider_tool_name);
  const admitted = admitConnectorTools({
    snapshot,
    manifest: {
      ...manifest,
      selected_tools: selected,
      denied_tools: manifest.denied_tools.filter((one) => !names.includes(one.provider_tool_name)),
    },
    policy: {
      allowed_capability_ids: ['connector.real.call'],
      max_description_utf8: 2048,
    },
  });
  if (!admitted.accepted) throw new Error(JSON.stringify(admitted.diagnostics));
  return admitted;
}

/** Tools of admitted descriptors over a transport. */
export function toolsOf(
  { descriptors, records }: ReturnType<typeof admit>,
  snapshot: ConnectorDiscoverySnapshot,
  transport: ConnectorTransport,
) {
  const broker = createConnectorBroker({ clock, connectors: [{ discovery: snapshot, transport }] });
  const admission = createAdmissionSnapshot(records, descriptors);
  return { broker, tools: createConnectorTools({ admission, descriptors, broker }) };
}

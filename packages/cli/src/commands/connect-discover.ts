import {
  type ConnectorDiscoverySnapshot,
  diffDiscoveries,
  isSameDiscovery,
  readDiscoverySnapshot,
} from '@millforge/connectors';
import { type ConnectorFolder, openConnectorFolder } from '../connect/connector-folder.ts';
import { connect, discoverNow } from '../connect/live-connector.ts';
import { printChanges } from '../connect/print-changes.ts';
import { ownName } from '../output/own-name.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS } from './configured.ts';

/** Writes down what a connector's server has. */
export const connectDiscoverCommand: Command = {
  command: 'connect discover',
  positionals: ['NAME'],
  summary: 'write down what a server has; nothing of it may be called yet',
  example: 'millforge connect discover files',
  options: CONFIG_OPTIONS,
  async run(context, args) {
    const { host } = context;
    const folder = await openConnectorFolder(host.cwd, args.positionals[0] ?? '');
    await using transport = await connect(context, args, folder);
    const snapshot = await discoverNow(folder, transport, new Date());
    const before = await readFormer(folder);
    const { provider_tools: tools, connector_identity: identity } = snapshot;
    writeLine(
      host.stdout,
      `${folder.settings.connectorId}: ${tools.length} tools, ${identity.protocol} ${identity.protocol_version}`,
    );
    for (const tool of tools) writeLine(host.stdout, `  ${tool.provider_tool_name}`);
    for (const name of snapshot.provider_prompts) writeLine(host.stdout, `  prompt ${name}`);
    for (const uri of snapshot.provider_resources) writeLine(host.stdout, `  resource ${uri}`);
    // What was said twice keeps the time at which it was first heard: that time is in the digests.
    if (before !== null && isSameDiscovery(before, snapshot)) {
      const { created_at: since } = before;
      writeLine(host.stdout, `Nothing changed since ${since}; discovery.json stays as it is.`);
      return 0;
    }
    if (before !== null) printChanges(host.stdout, diffDiscoveries(before, snapshot));
    await folder.write('discovery.json', snapshot);
    writeLine(host.stdout, `Written to ${folder.path('discovery.json')}.`);
    const next = `${ownName(host.env)} connect draft ${folder.name} --select TOOL`;
    writeLine(
      host.stderr,
      `'${next}' writes down what shall be let in; everything else is denied.`,
    );
    return 0;
  },
};

/** What was discovered before; null where nothing was, or nothing that can be read. */
async function readFormer(folder: ConnectorFolder): Promise<ConnectorDiscoverySnapshot | null> {
  if (!(await folder.has('discovery.json'))) return null;
  const read = readDiscoverySnapshot(await folder.read('discovery.json').catch(() => null));
  return read.ok ? read.value : null;
}

import { openConnectorFolder } from '../connect/connector-folder.ts';
import { connect, discoverNow } from '../connect/live-connector.ts';
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
    await folder.write('discovery.json', snapshot);
    const { provider_tools: tools, connector_identity: identity } = snapshot;
    writeLine(
      host.stdout,
      `${folder.settings.connectorId}: ${tools.length} tools, ${identity.protocol} ${identity.protocol_version}`,
    );
    for (const tool of tools) writeLine(host.stdout, `  ${tool.provider_tool_name}`);
    writeLine(host.stdout, `Written to ${folder.path('discovery.json')}.`);
    return 0;
  },
};

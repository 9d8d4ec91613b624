import { diffDiscoveries } from '@millforge/connectors';
import { readAdmission } from '../connect/admission-document.ts';
import { openConnectorFolder } from '../connect/connector-folder.ts';
import { connect, discoverNow } from '../connect/live-connector.ts';
import { EXIT_CHECK_FAILED } from '../output/exit-status.ts';
import { writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS } from './configured.ts';

/** Says what a server changed since it was admitted. */
export const connectDiffCommand: Command = {
  command: 'connect diff',
  positionals: ['NAME'],
  summary: 'what a server changed since its tools were admitted; exit 3 when it did',
  example: 'millforge connect diff files',
  options: {
    json: { value: null, help: 'one document per change instead of text' },
    ...CONFIG_OPTIONS,
  },
  async run(context, args) {
    const { host } = context;
    const folder = await openConnectorFolder(host.cwd, args.positionals[0] ?? '');
    const { discovery } = await readAdmission(folder);
    await using transport = await connect(context, args, folder);
    const changes = diffDiscoveries(discovery, await discoverNow(folder, transport, new Date()));
    for (const { subject, kind, message } of changes) {
      if (args.has('json')) {
        const fields = { subject, change: kind, message };
        writeJsonLine(host.stdout, { kind: 'connector_change', schema_version: '1.0', ...fields });
      } else {
        writeLine(host.stdout, `${subject}: ${message}`);
      }
    }
    if (changes.length === 0 && !args.has('json')) writeLine(host.stdout, 'Nothing changed.');
    return changes.length === 0 ? 0 : EXIT_CHECK_FAILED;
  },
};

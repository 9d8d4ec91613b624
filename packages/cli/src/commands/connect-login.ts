import { usageError } from '../cli-error.ts';
import { openConnectorFolder } from '../connect/connector-folder.ts';
import { assertAccepted } from '../connect/live-connector.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS } from './configured.ts';

/** Has somebody log in to the service of a connector in a browser. */
export const connectLoginCommand: Command = {
  command: 'connect login',
  positionals: ['NAME'],
  summary: 'log in to a service in a browser; the tokens are kept in your configuration alone',
  example: 'millforge connect login tickets',
  options: CONFIG_OPTIONS,
  async run(context, args) {
    const { host, logInToConnector } = context;
    const folder = await openConnectorFolder(host.cwd, args.positionals[0] ?? '');
    const { transport } = folder.settings;
    if (transport.kind !== 'http' || transport.login === null) {
      throw usageError(
        `${folder.settingsFile.path} names no login; a service that wants one has "login": {} beside its "url".`,
      );
    }
    await assertAccepted(host, args, folder);
    const stop = new AbortController();
    const forget = host.onInterrupt(() => stop.abort());
    try {
      await logInToConnector(folder.settings, {
        env: host.env,
        onUrl(url) {
          writeLine(host.stderr, 'Open this address in a browser of this machine:');
          writeLine(host.stderr, url);
        },
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(LOGIN_MS)]),
      });
    } finally {
      forget();
    }
    writeLine(host.stdout, `Logged in to ${transport.url}.`);
    return 0;
  },
};

const LOGIN_MS = 300_000;

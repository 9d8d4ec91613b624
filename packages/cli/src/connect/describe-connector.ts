import type { ConnectorSettings } from '../port/connector-port.ts';

/** One line that says all that a connector asks for, whatever signs its file has in it. */
export function describeConnector({ connectorId, transport }: ConnectorSettings): string {
  const id = shown(connectorId);
  if (transport.kind === 'http') {
    const { login, tokenEnv, url } = transport;
    const parts = [
      `connector ${id} reaches ${shown(url)}`,
      tokenEnv === null ? null : `with the variable ${shown(tokenEnv)}`,
      login === null
        ? null
        : `with the tokens of a login at ${shown(login.authorizationServer ?? url)}`,
      transport.allowPrivateAddresses ? 'also in private networks' : null,
      transport.allowPlainHttp ? 'also without encryption' : null,
    ];
    return parts.filter((part) => part !== null).join(', ');
  }
  const { args, command, environment, folder, secrets } = transport;
  const set = Object.entries(environment).map(([name, value]) => `${name}=${shown(value)}`);
  const given = Object.entries(secrets).map(([name, source]) =>
    name === source ? shown(source) : `${shown(source)} as ${name}`,
  );
  const parts = [
    `connector ${id} starts ${[command, ...args].map(shown).join(' ')} in ${shown(folder)}`,
    set.length === 0 ? null : `with ${set.join(' ')}`,
    given.length === 0 ? null : `with the variables ${given.join(', ')}`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

/** A text as it is, or quoted where it could be taken for more than one word, or for another line. */
function shown(text: string): string {
  return /^[\w@%+=:,./~?&#-]+$/u.test(text) ? text : JSON.stringify(text);
}

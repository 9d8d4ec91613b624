import type { ConnectorSettings } from '@millforge/cli';
import { mcpHttpTransport, mcpStdioTransport } from '@millforge/connector-mcp';
import type { ConnectorTransport } from '@millforge/connectors';
import { millforgeError } from '../millforge-error.ts';
import { nodeClock } from '../node-clock.ts';
import { serviceOf } from './service-of.ts';

/**
 * Makes the way to the server of a connector. Nothing is started or reached before it is used, and secrets
 * are looked up in the environment when a server is.
 */
export function openConnector(
  { transport }: ConnectorSettings,
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
): ConnectorTransport {
  const secretOf = (variable: string): string => {
    const value = env[variable];
    if (value !== undefined && value !== '') return value;
    throw millforgeError(
      'millforge/key-missing',
      `The variable ${variable} is not set; the connector needs it.`,
    );
  };
  if (transport.kind === 'http') {
    const { tokenEnv } = transport;
    return mcpHttpTransport({
      ...serviceOf(transport, env),
      ...(tokenEnv === null
        ? {}
        : { token: { ref: refOf(tokenEnv), read: async () => secretOf(tokenEnv) } }),
    });
  }
  const { kind: _, version, secrets, ...rest } = transport;
  const given = Object.entries(secrets).map(([variable, source]) => [
    variable,
    { ref: refOf(source), read: () => secretOf(source) },
  ]);
  return mcpStdioTransport({
    ...rest,
    ...(version === null ? {} : { version }),
    secrets: Object.fromEntries(given),
    clock: nodeClock(),
  });
}

/** How a secret is called in documents: by the variable that holds it, in the letters that they have. */
function refOf(variable: string): string {
  return variable
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/gu, '_')
    .replace(/^[^a-z]+/u, '');
}

import type { ConnectorTransport } from '@millforge/connectors';
import type { MillforgeError } from '@millforge/contracts';
import { openSessionTokens } from '../login/session-tokens.ts';
import { createMcpTransport } from '../session/create-mcp-transport.ts';
import { linkFault } from '../session/link-fault.ts';
import { type McpLimits, withDefaults } from '../session/mcp-limits.ts';
import type { McpLink } from '../session/mcp-link.ts';
import { openGuardedFetch } from './guarded-fetch.ts';
import { authorizationOrigins, type McpHttpOptions, readAddress } from './mcp-http-address.ts';

/**
 * Makes a transport for a server that is reached over the network. It connects with the first use.
 *
 * @throws `connector-mcp/invalid-options` for an address that may not be used, or that holds a password.
 */
export function mcpHttpTransport(options: McpHttpOptions): ConnectorTransport {
  const url = readAddress(options);
  const limits = withDefaults(options.limits);
  return createMcpTransport(() => openLink(url, options, limits), limits);
}

async function openLink(
  url: URL,
  options: McpHttpOptions,
  limits: Required<McpLimits>,
): Promise<McpLink> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  let fault: MillforgeError | null = null;
  const bounds = {
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    maxResponseBytes: limits.maxMessageBytes,
  };
  const guarded = await openGuardedFetch({
    origins: [url.origin],
    ...bounds,
    onFault: (found) => {
      fault ??= found;
    },
  });
  const { token, login } = options;
  const used = new Set<string>();
  const tokens =
    login === undefined
      ? null
      : openSessionTokens(url.href, {
          store: login.store,
          fetch: () =>
            openGuardedFetch({
              origins: authorizationOrigins(url, options),
              ...bounds,
              timeoutMs: limits.connectTimeoutMs,
              onFault() {},
            }),
        });
  const authProvider = tokens ?? (token === undefined ? null : givenToken(token, used));
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: guarded.fetch,
    reconnectionOptions: RECONNECTION,
    ...(authProvider === null ? {} : { authProvider }),
  });
  return {
    transport,
    identity: {
      transport_kind: 'http',
      implementation_name: options.name,
      implementation_version: options.version,
      implementation_digest: null,
      configured_secret_refs: [
        ...(login === undefined ? [] : ['login_tokens']),
        ...(token === undefined ? [] : [token.ref]),
      ].toSorted(),
    },
    // Whether a service over there has ended, nobody here can see.
    hasEnded: () => false,
    fault: () => fault,
    lastWords: () => '',
    secrets: () => tokens?.values() ?? [...used],
    async close() {
      await transport.close().catch(() => undefined);
      await guarded.close();
    },
  };
}

/** A token that somebody gives for each request; what was given is remembered only to leave it out of words. */
function givenToken(
  token: NonNullable<McpHttpOptions['token']>,
  used: Set<string>,
): { readonly token: () => Promise<string | undefined> } {
  return {
    async token() {
      const value = await token.read().catch(() => {
        throw linkFault(
          'unauthorized',
          `The secret ${token.ref} cannot be had; the server needs it.`,
        );
      });
      if (value !== null) used.add(value);
      return value ?? undefined;
    },
  };
}

const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

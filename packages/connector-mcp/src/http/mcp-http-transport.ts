import type { ConnectorTransport } from '@millforge/connectors';
import { MillforgeError } from '@millforge/contracts';
import { createMcpTransport } from '../session/create-mcp-transport.ts';
import { type McpLimits, withDefaults } from '../session/mcp-limits.ts';
import type { McpLink } from '../session/mcp-link.ts';
import { openGuardedFetch } from './guarded-fetch.ts';

/** How an MCP server is reached over Streamable HTTP. */
export interface McpHttpOptions {
  /** Its address; every request goes to this origin. */
  readonly url: string;
  /** Name of the service as it stands in the identity. */
  readonly name: string;
  /** Its version, as far as the operator knows. */
  readonly version: string;
  /** Gives the token of each request; it is kept nowhere. Null sends none. */
  readonly token?: {
    /** Name under which it stands in documents. */
    readonly ref: string;
    /** Gives the value. */
    readonly read: () => Promise<string | null>;
  };
  /** Whether addresses of this machine and of private networks may be connected to; default false. */
  readonly allowPrivateAddresses?: boolean;
  /** Whether `http:` is spoken; default false. */
  readonly allowPlainHttp?: boolean;
  /** How much of the server is borne. */
  readonly limits?: McpLimits;
}

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

function readAddress({ url, allowPlainHttp = false }: McpHttpOptions): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  const isSpoken =
    address?.protocol === 'https:' || (allowPlainHttp && address?.protocol === 'http:');
  if (address === null || !isSpoken || address.username !== '' || address.password !== '') {
    throw new MillforgeError(
      'connector-mcp/invalid-options',
      `The address must be an ${allowPlainHttp ? 'http or ' : ''}https URL without a name and a password.`,
    );
  }
  return address;
}

async function openLink(
  url: URL,
  options: McpHttpOptions,
  limits: Required<McpLimits>,
): Promise<McpLink> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  let fault: MillforgeError | null = null;
  const guarded = await openGuardedFetch({
    origin: url.origin,
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    maxResponseBytes: limits.maxMessageBytes,
    onFault: (found) => {
      fault ??= found;
    },
  });
  const { token } = options;
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: guarded.fetch,
    reconnectionOptions: RECONNECTION,
    ...(token === undefined
      ? {}
      : { authProvider: { token: async () => (await token.read()) ?? undefined } }),
  });
  return {
    transport,
    identity: {
      transport_kind: 'http',
      implementation_name: options.name,
      implementation_version: options.version,
      implementation_digest: null,
      configured_secret_refs: token === undefined ? [] : [token.ref],
    },
    // Whether a service over there has ended, nobody here can see.
    hasEnded: () => false,
    fault: () => fault,
    lastWords: () => '',
    async close() {
      await transport.close().catch(() => undefined);
      await guarded.close();
    },
  };
}

const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

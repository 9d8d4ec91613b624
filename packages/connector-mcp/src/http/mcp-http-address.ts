import { MillforgeError } from '@millforge/contracts';
import type { McpLoginOptions } from '../login/mcp-login.ts';
import type { McpLimits } from '../session/mcp-limits.ts';

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
  /** How it is logged in to, where it wants tokens of an authorization server. */
  readonly login?: McpLoginOptions;
  /** Whether addresses of this machine and of private networks may be connected to; default false. */
  readonly allowPrivateAddresses?: boolean;
  /** Whether `http:` is spoken; default false. */
  readonly allowPlainHttp?: boolean;
  /** How much of the server is borne. */
  readonly limits?: McpLimits;
}

/**
 * The address of a service.
 *
 * @throws `connector-mcp/invalid-options` for one that may not be used, or that holds a password.
 */
export function readAddress({ url, allowPlainHttp = false }: McpHttpOptions): URL {
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

/** The origins that are asked for tokens: that of the service, and the one that the operator names. */
export function authorizationOrigins(url: URL, options: McpHttpOptions): readonly string[] {
  const { authorizationServer } = options.login ?? {};
  if (authorizationServer === undefined) return [url.origin];
  return [url.origin, readAddress({ ...options, url: authorizationServer }).origin];
}

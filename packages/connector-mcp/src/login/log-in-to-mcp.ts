import { randomBytes } from 'node:crypto';
import { MillforgeError } from '@millforge/contracts';
import type {
  AuthorizationServerMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import { type GuardedFetch, openGuardedFetch } from '../http/guarded-fetch.ts';
import {
  authorizationOrigins,
  type McpHttpOptions,
  readAddress,
} from '../http/mcp-http-address.ts';
import { withDefaults } from '../session/mcp-limits.ts';
import { listenForRedirect, type RedirectListener } from './await-redirect.ts';
import { loginText, type McpLogin, type McpLoginOptions } from './mcp-login.ts';

/** How somebody logs in to a service. */
export interface McpLoginRequest {
  /** The service. */
  readonly service: McpHttpOptions;
  /** Told the address that has to be opened in a browser. */
  readonly onUrl: (url: string) => void;
  /** Stops it. */
  readonly signal: AbortSignal;
}

/**
 * Has somebody log in to a service in a browser, by authorization code with PKCE, and keeps the tokens in its
 * store. The browser comes back to a port of this machine.
 *
 * @throws `connector-mcp/login-failed` where the service or its authorization server does not let in, or sends
 * elsewhere; `connector-mcp/invalid-options` for a service without a login.
 */
export async function logInToMcp(request: McpLoginRequest): Promise<void> {
  const { service, signal } = request;
  const { login } = service;
  if (login === undefined) {
    throw new MillforgeError('connector-mcp/invalid-options', 'The service has no login.');
  }
  const url = readAddress(service);
  let fault: MillforgeError | null = null as MillforgeError | null;
  const origins = authorizationOrigins(url, service);
  const guarded = await openGuardedFetch({
    origins,
    allowPrivateAddresses: service.allowPrivateAddresses ?? false,
    maxResponseBytes: MAX_ANSWER_BYTES,
    timeoutMs: withDefaults(service.limits).connectTimeoutMs,
    signal,
    onFault: (found) => {
      fault ??= found;
    },
  });
  const listener = await listenForRedirect();
  try {
    const made = await authorize(request, { url, login, listener, guarded, origins });
    await login.store.write(loginText(made));
  } catch (error) {
    if (signal.aborted) throw failed('Nobody logged in in time.', error);
    if (MillforgeError.is(error, 'connector-mcp/login-failed')) throw error;
    const because = fault ?? error;
    throw failed(`It cannot be logged in to: ${reasonOf(because)}`, because);
  } finally {
    await listener.close();
    await guarded.close();
  }
}

async function authorize(
  { onUrl, signal }: McpLoginRequest,
  to: {
    readonly url: URL;
    readonly login: McpLoginOptions;
    readonly listener: RedirectListener;
    readonly guarded: GuardedFetch;
    readonly origins: readonly string[];
  },
): Promise<McpLogin> {
  const { auth } = await import('@modelcontextprotocol/client');
  const { url, login, listener, guarded, origins } = to;
  const state = randomBytes(24).toString('base64url');
  const seen: Seen = {};
  const provider = providerOf(seen, { state, login, redirectUrl: listener.url });
  const asking = { serverUrl: url, fetchFn: guarded.fetch };
  const scoped = login.scope === undefined ? asking : { ...asking, scope: login.scope };
  await auth(provider, scoped);
  if (seen.address === undefined) throw failed('It sends nobody to a login.');
  const { origin } = new URL(seen.address);
  // A code that another server gives would be handed to this one, which could use it there.
  if (!origins.includes(origin)) {
    throw failed(`It sends to a login at another origin, ${origin.slice(0, 100)}.`);
  }
  const arriving = listener.arrived(state, signal);
  onUrl(seen.address);
  const { code, issuer, error } = await arriving;
  if (code === null) throw failed(`Access was not given (${inOneLine(error ?? 'no code', 100)}).`);
  await auth(provider, {
    ...scoped,
    authorizationCode: code,
    ...(issuer === null ? {} : { iss: issuer }),
  });
  const { discovery, tokens } = seen;
  const client = login.clientId === undefined ? seen.client : { client_id: login.clientId };
  if (tokens === undefined || client === undefined || discovery === undefined) {
    throw failed('It gave no token.');
  }
  const metadata: AuthorizationServerMetadata | null =
    discovery.authorizationServerMetadata ?? null;
  return {
    url: url.href,
    issuer: metadata?.issuer ?? discovery.authorizationServerUrl,
    metadata,
    resource: discovery.resourceMetadata?.resource ?? null,
    client: { client_id: client.client_id, ...secretOf(client) },
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
  };
}

/** What one login comes to know. */
interface Seen {
  client?: StoredOAuthClientInformation;
  tokens?: OAuthTokens;
  verifier?: string;
  discovery?: OAuthDiscoveryState;
  address?: string;
}

function providerOf(
  seen: Seen,
  given: { readonly state: string; readonly login: McpLoginOptions; readonly redirectUrl: string },
): OAuthClientProvider {
  const { login, redirectUrl, state } = given;
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'Millforge',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(login.scope === undefined ? {} : { scope: login.scope }),
    },
    state: () => state,
    clientInformation(context) {
      if (login.clientId === undefined) return seen.client;
      const { issuer } = context ?? {};
      return { client_id: login.clientId, ...(issuer === undefined ? {} : { issuer }) };
    },
    saveClientInformation(client) {
      seen.client = client;
    },
    // A login is made anew; what was there before is nothing that it could go on with.
    tokens: () => undefined,
    saveTokens(tokens) {
      seen.tokens = tokens;
    },
    redirectToAuthorization(address) {
      seen.address = address.href;
    },
    saveCodeVerifier(verifier) {
      seen.verifier = verifier;
    },
    codeVerifier: () => seen.verifier ?? '',
    saveDiscoveryState(discovery) {
      seen.discovery = discovery;
    },
    discoveryState: () => seen.discovery,
  };
}

function secretOf(client: object): { readonly client_secret?: string } {
  return 'client_secret' in client && typeof client.client_secret === 'string'
    ? { client_secret: client.client_secret }
    : {};
}

/** One sentence; words of a server are cut. */
function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'its authorization server does not answer in time.';
  }
  return inOneLine(error instanceof Error ? error.message : 'unknown', 300);
}

function inOneLine(text: string, length: number): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').slice(0, length);
}

function failed(message: string, cause?: unknown): MillforgeError {
  return new MillforgeError('connector-mcp/login-failed', message, { cause });
}

const MAX_ANSWER_BYTES = 1_048_576;

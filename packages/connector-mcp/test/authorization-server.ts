import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An authorization server on loopback: authorization code with PKCE, refresh tokens that are spent. */
export interface AuthorizationServer {
  /** Its address, which is its issuer. */
  readonly url: string;
  /** Requests for tokens that arrived, by their grant. */
  readonly grants: readonly string[];
  /** Every token that was ever given. */
  readonly given: readonly string[];
  /** Whether a token is taken now. */
  readonly isGood: (token: string) => boolean;
  /** Ends every access token; what may be refreshed still may. */
  expire(): void;
  /** Ends everything. */
  revoke(): void;
  /** Ends it. */
  close(): Promise<void>;
}

/** How one misbehaves. */
export interface AuthorizationServerOptions {
  /** Sends everybody back without a code. */
  readonly denies?: boolean;
  /** What it says of itself otherwise than it is. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The address at which an answer begins, and never ends; or is far too large; or is elsewhere. */
  readonly at?: { readonly path: string; readonly does: 'drips' | 'floods' | 'redirects' };
}

/** Starts one. */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const grants: string[] = [];
  const given: string[] = [];
  const access = new Set<string>();
  const refresh = new Set<string>();
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();
  let url = '';

  const tokens = (response: ServerResponse): void => {
    const made = {
      access_token: `access-${randomUUID()}`,
      refresh_token: `refresh-${randomUUID()}`,
    };
    access.add(made.access_token);
    refresh.add(made.refresh_token);
    given.push(made.access_token, made.refresh_token);
    json(response, 200, { ...made, token_type: 'Bearer', expires_in: 3600 });
  };
  const grant = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await textOf(incoming));
    grants.push(form.get('grant_type') ?? '');
    if (form.get('grant_type') === 'refresh_token') {
      if (refresh.delete(form.get('refresh_token') ?? '')) return tokens(response);
      return json(response, 400, { error: 'invalid_grant' });
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      code === undefined ||
      code.challenge !== proof ||
      code.redirect !== form.get('redirect_uri')
    ) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    return tokens(response);
  };
  const authorize = (at: URL, response: ServerResponse): void => {
    const back = new URL(at.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('state', at.searchParams.get('state') ?? '');
    if (options.denies === true) {
      back.searchParams.set('error', 'access_denied');
    } else {
      const code = randomUUID();
      const challenge = at.searchParams.get('code_challenge') ?? '';
      codes.set(code, { challenge, redirect: at.searchParams.get('redirect_uri') ?? '' });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  };

  const server = createServer((incoming, response) => {
    const at = new URL(incoming.url ?? '/', url);
    if (options.at?.path === at.pathname) return misbehave(response, options.at.does);
    if (at.pathname === '/.well-known/oauth-authorization-server') {
      return json(response, 200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        ...options.metadata,
      });
    }
    if (at.pathname === '/authorize') return authorize(at, response);
    if (at.pathname === '/token') return void grant(incoming, response);
    if (at.pathname === '/register') {
      return void textOf(incoming).then((text) =>
        json(response, 201, { ...JSON.parse(text), client_id: randomUUID() }),
      );
    }
    return void response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    grants,
    given,
    isGood: (token) => access.has(token),
    expire: () => access.clear(),
    revoke() {
      access.clear();
      refresh.clear();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

function misbehave(response: ServerResponse, does: 'drips' | 'floods' | 'redirects'): void {
  if (does === 'redirects') {
    response.writeHead(307, { location: 'http://localhost:1/token' }).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  if (does === 'floods') {
    response.end(`{"issuer":"${'x'.repeat(5_000_000)}"}`);
    return;
  }
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming) text += chunk;
  return text;
}

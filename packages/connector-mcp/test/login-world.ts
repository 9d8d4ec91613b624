import {
  logInToMcp,
  type McpLimits,
  type McpLoginStore,
  mcpHttpTransport,
} from '@millforge/connector-mcp';
import { onTestFinished } from 'vitest';
import {
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from './authorization-server.ts';
import { startHttpServer } from './http-server.ts';

/** A store that is looked into. */
function memoryStore(): McpLoginStore & { text: string | null } {
  return {
    text: null,
    async read() {
      return this.text;
    },
    async write(text) {
      this.text = text;
    },
  };
}

/** A service that lets nobody in without a token of its authorization server. */
export async function loginWorld(options: AuthorizationServerOptions = {}, limits: McpLimits = {}) {
  const issuer = await startAuthorizationServer(options);
  const server = await startHttpServer('good', { issuer: issuer.url, isGood: issuer.isGood });
  const store = memoryStore();
  const service = {
    url: server.url,
    name: 'fixture',
    version: '1',
    allowPlainHttp: true,
    allowPrivateAddresses: true,
    limits,
    login: { store, authorizationServer: issuer.url },
  };
  onTestFinished(async () => {
    await server.close();
    await issuer.close();
  });
  return { issuer, server, store, service };
}

/** That service, its authorization server, and where its login is kept. */
export type LoginWorld = Awaited<ReturnType<typeof loginWorld>>;

/** Logs in as a person with a browser does. */
export async function logIn(
  { service }: Pick<LoginWorld, 'service'>,
  browse: (url: string) => Promise<Response> = fetch,
): Promise<void> {
  const signal = AbortSignal.timeout(15_000);
  await logInToMcp({ service, signal, onUrl: (url) => void browse(url).catch(() => undefined) });
}

/** A transport that is closed when the test ends. */
export function transportOf({ service }: LoginWorld) {
  const transport = mcpHttpTransport(service);
  onTestFinished(() => transport[Symbol.asyncDispose]());
  return transport;
}

/** The token that is kept. */
export function tokenIn(store: { readonly text: string | null }): string {
  return JSON.parse(store.text ?? '{}').accessToken;
}

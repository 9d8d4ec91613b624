import type { Dispatcher } from 'undici';
import type { ModelFetch } from '../client/model-fetch.ts';
import { isLoopbackHost } from '../profile/base-url.ts';

/** How requests leave this machine. */
export interface NodeFetchOptions {
  /** URL of the proxy for hosts that are not this machine; none unless given, whatever the environment says. */
  readonly proxy?: string;
  /** Milliseconds for a connection to be made; 30,000 unless given. */
  readonly connectTimeoutMs?: number;
}

/** A `fetch` for model clients, and the connections that it keeps. */
export interface NodeFetch extends AsyncDisposable {
  /** Sends requests; waits for an answer as long as its signal lets it. */
  readonly fetch: ModelFetch;
  /** Closes the connections; requests that are going on are broken off. */
  close(): Promise<void>;
}

/**
 * Makes a `fetch` for model servers that may think for long.
 *
 * The global one gives up when no headers have come after 300 s; here only the signal of a request ends
 * it. Loopback is never proxied. Nothing of the HTTP client is loaded before the first request.
 */
export function createNodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  let opened: Promise<Connections> | null = null;
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    const connections = await opened;
    await connections?.close();
  };
  return {
    async fetch(url, init) {
      if (isClosed) throw new Error('The connections of this fetch are closed.');
      opened ??= openConnections(options);
      const connections = await opened;
      return connections.send(url, init);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Connections {
  send(url: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

async function openConnections({
  proxy,
  connectTimeoutMs = 30_000,
}: NodeFetchOptions): Promise<Connections> {
  const { Agent, buildConnector, request } = await import('undici');
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const { directConnector, tunnelConnector } = await import('./connectors.ts');
  const { toResponse } = await import('./to-response.ts');
  const signals = new AsyncLocalStorage<AbortSignal | undefined>();
  const parts = {
    connect: buildConnector({ timeout: connectTimeoutMs }),
    signalOf: () => signals.getStore(),
  };
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  const direct = new Agent({ ...limits, connect: directConnector(parts) });
  const way = proxy === undefined ? null : { proxy: new URL(proxy), timeoutMs: connectTimeoutMs };
  const proxied =
    way === null ? direct : new Agent({ ...limits, connect: tunnelConnector(parts, way) });
  return {
    async send(url, init) {
      const dispatcher: Dispatcher = isLoopbackHost(new URL(url).hostname) ? direct : proxied;
      const signal = init.signal ?? undefined;
      const answer = await signals.run(signal, () =>
        request(url, {
          dispatcher,
          method: init.method === 'POST' ? 'POST' : 'GET',
          headers: Object.fromEntries(new Headers(init.headers)),
          body: typeof init.body === 'string' ? init.body : null,
          signal: signal ?? null,
        }),
      );
      return toResponse(answer);
    },
    async close() {
      await Promise.all([direct.destroy(), proxied.destroy()]);
    },
  };
}

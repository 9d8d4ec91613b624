import { MillforgeError } from '@millforge/contracts';
import type { Dispatcher } from 'undici';
import type { ModelFetch } from '../client/model-fetch.ts';
import type { ModelsErrorCode } from '../error-codes.ts';
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
 *
 * @throws `models/invalid-proxy` at once for a proxy that is not reached by http or https, such as one of SOCKS.
 */
export function createNodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  const proxy = options.proxy === undefined ? null : checkedProxy(options.proxy);
  const timeoutMs = options.connectTimeoutMs ?? 30_000;
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
      opened ??= openConnections(proxy, timeoutMs);
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

function checkedProxy(proxy: string): URL {
  if (URL.canParse(proxy) && /^https?:/i.test(proxy)) return new URL(proxy);
  const code: ModelsErrorCode = 'models/invalid-proxy';
  // The URL itself may hold a password.
  throw new MillforgeError(
    code,
    'The proxy must be an http or https URL; other kinds, such as SOCKS, cannot be used.',
  );
}

async function openConnections(proxy: URL | null, timeoutMs: number): Promise<Connections> {
  const { Agent, buildConnector, request } = await import('undici');
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const { directConnector, tunnelConnector } = await import('./connectors.ts');
  const { toResponse } = await import('./to-response.ts');
  const signals = new AsyncLocalStorage<AbortSignal | undefined>();
  const parts = {
    connect: buildConnector({ timeout: timeoutMs }),
    signalOf: () => signals.getStore(),
  };
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  const direct = new Agent({ ...limits, connect: directConnector(parts) });
  const proxied =
    proxy === null
      ? direct
      : new Agent({ ...limits, connect: tunnelConnector(parts, { proxy, timeoutMs }) });
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

import { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';
import { openTunnel } from './open-tunnel.ts';

type Connector = buildConnector.connector;

/** What the connections of one `fetch` are made with. */
export interface ConnectorParts {
  /** Makes a connection to a host, TLS included. */
  readonly connect: Connector;
  /** The signal of the request that a connection is being made for. */
  readonly signalOf: () => AbortSignal | undefined;
}

/**
 * A connector that closes what it is opening when the request that wanted it is given up.
 *
 * The HTTP client leaves such a connection to its time limit: a server that accepts and then says nothing
 * would hold it for half a minute.
 */
export function directConnector({ connect, signalOf }: ConnectorParts): Connector {
  return (options, callback) => {
    const signal = signalOf();
    if (signal?.aborted === true) return callback(new GivenUp(), null);
    let opening: unknown;
    const close = (): void => {
      // Without an error nobody would hear that it was closed.
      if (opening instanceof Duplex) opening.destroy(new GivenUp());
      options.httpSocket?.destroy();
    };
    signal?.addEventListener('abort', close, { once: true });
    opening = connect(options, (...result) => {
      signal?.removeEventListener('abort', close);
      if (result[0] !== null) options.httpSocket?.destroy();
      callback(...result);
    });
  };
}

/** A connector that goes through a proxy, whatever the host. */
export function tunnelConnector(
  parts: ConnectorParts,
  way: { readonly proxy: URL; readonly timeoutMs: number },
): Connector {
  const secure = directConnector(parts);
  return (options, callback) => {
    const { hostname, port, protocol } = options;
    const target = `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
    openTunnel({ ...way, target, signal: parts.signalOf() }).then(
      (socket) => {
        if (protocol === 'https:') secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => callback(error instanceof Error ? error : new GivenUp(), null),
    );
  };
}

class GivenUp extends Error {
  override readonly name = 'AbortError';
  constructor() {
    super('The connection was given up with its request.');
  }
}

import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { ProxyFailure } from '../client/proxy-failure.ts';

/** Which way a tunnel leads, and how long it may be waited for. */
export interface TunnelOptions {
  /** URL of the proxy; a user name and password in it are sent to it alone. */
  readonly proxy: URL;
  /** Host and port behind the proxy. */
  readonly target: string;
  /** Milliseconds for the proxy to answer. */
  readonly timeoutMs: number;
  /** Breaks it off, and closes the connection to the proxy. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Has a proxy lead to a host (`CONNECT`).
 *
 * The proxy agent of the HTTP client tries for ever where a proxy closes the connection, and leaves it open
 * when the request is given up.
 */
export function openTunnel({ proxy, target, timeoutMs, signal }: TunnelOptions): Promise<Socket> {
  const send = proxy.protocol === 'https:' ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const asking = send({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : proxy.port,
      path: target,
      headers: { host: target, ...authorization(proxy) },
      agent: false,
      ...(signal === undefined ? {} : { signal }),
    });
    const silent = setTimeout(
      () => asking.destroy(failure(proxy, `did not answer within ${timeoutMs / 1000} s`, true)),
      timeoutMs,
    );
    asking.on('close', () => clearTimeout(silent));
    asking.on('connect', ({ statusCode = 0 }, socket, head) => {
      clearTimeout(silent);
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        return reject(refusal(proxy, target, statusCode));
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    // Only `CONNECT` changes what a connection is for; any other answer of a proxy is none.
    asking.on('response', (response) => {
      response.destroy();
      reject(failure(proxy, `answered ${response.statusCode ?? 0} in place of a tunnel`, false));
    });
    asking.on('error', (error) => reject(signal?.aborted === true ? error : lost(proxy, error)));
    asking.end();
  });
}

function authorization({ username, password }: URL): { readonly [name: string]: string } {
  if (username === '') return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** A lone `%` is taken for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refusal(proxy: URL, target: string, status: number): ProxyFailure {
  if (status === 407) {
    const what =
      proxy.username === ''
        ? 'wants a user name and password (407); put them into its URL in https_proxy or http_proxy, and name the proxy environment'
        : 'does not take the user name and password of its URL (407); correct them where it stands';
    return failure(proxy, what, false);
  }
  const isBusy = status >= 500 || status === 429;
  return failure(proxy, `refused to lead to ${target} (${status})`, isBusy);
}

function lost(proxy: URL, error: Error): ProxyFailure {
  if (error instanceof ProxyFailure) return error;
  const code: unknown = 'code' in error ? error.code : undefined;
  const known = typeof code === 'string' ? ` (${code})` : '';
  return failure(proxy, `led to no connection${known}; check that it runs and its URL`, true);
}

function failure(proxy: URL, what: string, retryable: boolean): ProxyFailure {
  return new ProxyFailure(`The proxy at ${proxy.origin} ${what}.`, retryable);
}

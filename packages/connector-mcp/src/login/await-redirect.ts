import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an authorization server sends a browser back with. */
export interface Redirect {
  /** Code that tokens are had for; null where access was not given. */
  readonly code: string | null;
  /** Which server says so, where it tells. */
  readonly issuer: string | null;
  /** Why there is no code; null where there is one. */
  readonly error: string | null;
}

/** A place on this machine where a browser ends up after a login. */
export interface RedirectListener {
  /** Its address. */
  readonly url: string;
  /** The first redirect that carries the state; others are told that they do not belong here. */
  arrived(state: string, signal: AbortSignal): Promise<Redirect>;
  /** Ends it. */
  close(): Promise<void>;
}

/** Listens on the loopback interface alone, at a port of the system's choice. */
export async function listenForRedirect(): Promise<RedirectListener> {
  let expected: { readonly state: string; readonly take: (redirect: Redirect) => void } | null =
    null;
  const server = createServer((incoming, response) => {
    // Whatever page is open in the browser may send anything here, also what is no address.
    const asked = incoming.url ?? '/';
    const at = new URL(URL.canParse(asked, ORIGIN) ? asked : '/', ORIGIN);
    const given = (name: string): string | null => at.searchParams.get(name);
    const isOurs = at.pathname === PATH && expected !== null && given('state') === expected.state;
    response.writeHead(isOurs ? 200 : 400, {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
    });
    response.end(isOurs ? 'Done; this page can be closed.\n' : 'This is no login.\n');
    if (!isOurs || expected === null) return;
    const { take } = expected;
    expected = null;
    take({ code: given('code'), issuer: given('iss'), error: given('error') });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    arrived: (state, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) throw signal.reason;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        expected = { state, take: resolve };
      }),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

const ORIGIN = 'http://127.0.0.1';
const PATH = '/callback';

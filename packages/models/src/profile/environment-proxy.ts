import { isLoopbackHost } from './base-url.ts';

/** The proxy that an environment names for a server, and the variable that names it. */
export interface EnvironmentProxy {
  /**
   * URL of the proxy, possibly with a password and so not to be shown or kept; null where the variable holds none that
   * http or https reaches, such as one of SOCKS. No request may then go past it.
   */
  readonly url: string | null;
  /** The variable. */
  readonly variable: string;
}

/**
 * Finds the proxy for a server under the names that curl and others read: `https_proxy` or `http_proxy`, else
 * `all_proxy`, unless `no_proxy` excepts its host; each also in capitals. Null for none, and always for this machine.
 *
 * `no_proxy` holds `*`, hosts with all that is below them, and hosts with a port, between commas or spaces. Ranges of
 * addresses are not understood.
 */
export function environmentProxy(
  serverUrl: string,
  env: Readonly<Record<string, string | undefined>>,
): EnvironmentProxy | null {
  const server = new URL(serverUrl);
  if (isLoopbackHost(server.hostname)) return null;
  const name = server.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const names = [name, name.toUpperCase(), 'all_proxy', 'ALL_PROXY'];
  const variable = names.find((one) => (env[one] ?? '') !== '');
  const named = variable === undefined ? undefined : env[variable];
  if (variable === undefined || named === undefined) return null;
  if (isExcepted(server, env['no_proxy'] || (env['NO_PROXY'] ?? ''))) return null;
  // A name without a scheme is read by all who know the variable.
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`;
  return { url: URL.canParse(url) && /^https?:/i.test(url) ? url : null, variable };
}

function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const entries = exceptions.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    if (entry === '*') return true;
    const bare = entry.replace(/^\*?\./, '');
    // An address of IPv6 has its port behind brackets only.
    const parts = BRACKETED.exec(bare) ?? PLAIN.exec(bare);
    const { name = bare, port: only = ownPort } = parts?.groups ?? {};
    return name !== '' && only === ownPort && (host === name || host.endsWith(`.${name}`));
  });
}

const BRACKETED = /^\[(?<name>.+)\](?::(?<port>\d+))?$/;
const PLAIN = /^(?<name>[^:]+)(?::(?<port>\d+))?$/;

import type { ConnectorSettings } from '@millforge/cli';
import type { McpHttpOptions } from '@millforge/connector-mcp';
import { openLoginStore } from './login-store.ts';

/** How a service is reached and logged in to; its token, where one is given by name, is the caller's to add. */
export function serviceOf(
  transport: Extract<ConnectorSettings['transport'], { kind: 'http' }>,
  env: Readonly<Record<string, string | undefined>>,
): McpHttpOptions {
  const { allowPlainHttp, allowPrivateAddresses, login, name, url, version } = transport;
  const service = { url, name, version, allowPlainHttp, allowPrivateAddresses };
  if (login === null) return service;
  const { authorizationServer, clientId, scope } = login;
  return {
    ...service,
    login: {
      // The same service has one login, however its address is written.
      store: openLoginStore(URL.canParse(url) ? new URL(url).href : url, env),
      ...(authorizationServer === null ? {} : { authorizationServer }),
      ...(clientId === null ? {} : { clientId }),
      ...(scope === null ? {} : { scope }),
    },
  };
}

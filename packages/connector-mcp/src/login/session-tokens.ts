import type { AuthProvider } from '@modelcontextprotocol/client';
import type { GuardedFetch } from '../http/guarded-fetch.ts';
import { linkFault } from '../session/link-fault.ts';
import { loginText, type McpLogin, type McpLoginStore, readLogin } from './mcp-login.ts';

/** Gives the tokens of a login to requests, and has a new one made when one is no longer taken. */
export interface SessionTokens extends AuthProvider {
  /** Every token that was used; whoever shows words of the server leaves them out. */
  readonly values: () => readonly string[];
}

/**
 * Opens the login of a service. Another process may renew it at the same time: whoever is refused looks first
 * whether there is a newer one.
 */
export function openSessionTokens(
  url: string,
  from: { readonly store: McpLoginStore; readonly fetch: () => Promise<GuardedFetch> },
): SessionTokens {
  const values = new Set<string>();
  let current: McpLogin | null = null;
  let renewing: Promise<void> | null = null;
  const take = (login: McpLogin | null): void => {
    current = login;
    for (const value of [login?.accessToken, login?.refreshToken]) {
      if (value !== undefined && value !== null) values.add(value);
    }
  };
  const kept = async (): Promise<McpLogin | null> =>
    readLogin(await from.store.read().catch(() => null), url);

  const renew = async (): Promise<void> => {
    const refused = current;
    const newest = await kept();
    if (newest === null) throw linkFault('unauthorized', 'It wants a login, and there is none.');
    if (newest.accessToken !== refused?.accessToken) {
      take(newest);
      return;
    }
    if (newest.refreshToken === null) throw linkFault('unauthorized', ENDED);
    const renewed = await refresh(newest, newest.refreshToken, from.fetch);
    if (renewed !== null) {
      await from.store.write(loginText(renewed));
      take(renewed);
      return;
    }
    // Another process may have spent the same refresh token a moment ago.
    const later = await kept();
    if (later === null || later.accessToken === newest.accessToken) {
      throw linkFault('unauthorized', ENDED);
    }
    take(later);
  };

  return {
    values: () => [...values],
    async token() {
      if (current === null) take(await kept());
      return current?.accessToken;
    },
    async onUnauthorized() {
      renewing ??= renew().finally(() => {
        renewing = null;
      });
      await renewing;
    },
  };
}

/** A new login for a refresh token; null where it is no longer taken. */
async function refresh(
  login: McpLogin,
  refreshToken: string,
  fetch: () => Promise<GuardedFetch>,
): Promise<McpLogin | null> {
  const { OAuthError, refreshAuthorization } = await import('@modelcontextprotocol/client');
  const guarded = await fetch();
  try {
    const tokens = await refreshAuthorization(login.issuer, {
      clientInformation: login.client,
      refreshToken,
      fetchFn: guarded.fetch,
      ...(login.metadata === null ? {} : { metadata: login.metadata }),
      ...(login.resource === null ? {} : { resource: login.resource }),
    });
    return {
      ...login,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? refreshToken,
    };
  } catch (error) {
    if (error instanceof OAuthError) return null;
    throw linkFault('lost', 'Its authorization server cannot be asked for a new token.');
  } finally {
    await guarded.close();
  }
}

const ENDED = 'The login has ended; somebody has to log in again.';

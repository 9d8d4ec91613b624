import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { isRecord } from '../session/any-result.ts';

/** Where the login of one service is kept: outside of projects, runs and whatever tools can read. */
export interface McpLoginStore {
  /** What was written last; null where there is none. */
  read(): Promise<string | null>;
  /** Keeps it, readable by its owner alone. */
  write(text: string): Promise<void>;
}

/** How a service is logged in to. */
export interface McpLoginOptions {
  /** Where the login is kept. */
  readonly store: McpLoginStore;
  /** Its authorization server; nothing but its origin is asked. Default the origin of the service. */
  readonly authorizationServer?: string;
  /** Name under which this program is known there; without one it registers itself. */
  readonly clientId?: string;
  /** What is asked for; default what the service names. */
  readonly scope?: string;
}

/** What is kept of a login. */
export interface McpLogin {
  /** Address of the service that it is for. */
  readonly url: string;
  /** The authorization server. */
  readonly issuer: string;
  /** What the authorization server says of itself. */
  readonly metadata: AuthorizationServerMetadata | null;
  /** The resource that the tokens are for, where the service names one. */
  readonly resource: string | null;
  /** This program, as it is known there. */
  readonly client: { readonly client_id: string; readonly client_secret?: string };
  /** The token of each request. */
  readonly accessToken: string;
  /** What another one is had for; null where the login ends with its first token. */
  readonly refreshToken: string | null;
}

/** The text in which a login is kept. */
export function loginText(login: McpLogin): string {
  return `${JSON.stringify({ kind: 'millforge_mcp_login', schema_version: '1.0', ...login }, null, 2)}\n`;
}

/** Reads a login that was kept; null for anything else, and for one of another service. */
export function readLogin(text: string | null, url: string): McpLogin | null {
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || value['kind'] !== 'millforge_mcp_login') return null;
  if (value['schema_version'] !== '1.0' || value['url'] !== url) return null;
  const { issuer, metadata, resource, client, accessToken, refreshToken } = value;
  if (typeof issuer !== 'string' || typeof accessToken !== 'string' || !isRecord(client)) {
    return null;
  }
  const { client_id: id, client_secret: secret } = client;
  if (typeof id !== 'string') return null;
  return {
    url,
    issuer,
    // Whoever wrote the file is this package; what came from a server was read by the client then.
    metadata: isRecord(metadata) ? (metadata as AuthorizationServerMetadata) : null,
    resource: typeof resource === 'string' ? resource : null,
    client: { client_id: id, ...(typeof secret === 'string' ? { client_secret: secret } : {}) },
    accessToken,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : null,
  };
}

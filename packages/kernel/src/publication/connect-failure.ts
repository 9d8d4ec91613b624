/** What a request failed with, and whether before anything of it could leave this machine. */
export interface ConnectFailure {
  /** Whether there was no connection yet, or none that was trusted: not a byte of the request was sent. */
  readonly isBefore: boolean;
  /** What failed, with the code of the system, as what follows a colon. */
  readonly message: string;
}

/** Reads what `fetch` rejects with: its message only says that it failed, and its cause says how. */
export function readConnectFailure(error: unknown): ConnectFailure {
  const said = error instanceof Error ? error.message : 'it threw no error';
  const cause = error instanceof Error ? error.cause : undefined;
  const code = codeOf(cause);
  if (code === null) return { isBefore: false, message: said };
  const known = CONNECTING.get(code) ?? (UNTRUSTED.has(code) ? NOT_TRUSTED : null);
  return known !== null && isConnecting(cause)
    ? { isBefore: true, message: `${known} (${code})` }
    : { isBefore: false, message: `${said} (${code})` };
}

/** The same codes may end a connection that was made; then the call of the system is another one. */
function isConnecting(cause: unknown): boolean {
  // All addresses of a name were tried.
  if (cause instanceof AggregateError) return cause.errors.every(isConnecting);
  const code = codeOf(cause);
  if (code === null) return false;
  if (UNTRUSTED.has(code) || code === CONNECT_TIMEOUT) return true;
  const syscall = cause instanceof Error && 'syscall' in cause ? cause.syscall : null;
  return CONNECTING.has(code) && (syscall === 'connect' || syscall === 'getaddrinfo');
}

function codeOf(cause: unknown): string | null {
  if (!(cause instanceof Error) || !('code' in cause)) return null;
  return typeof cause.code === 'string' ? cause.code : null;
}

const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
const CONNECTING: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused, so nobody listens there'],
  ['ENOTFOUND', 'no address has that name'],
  ['EAI_AGAIN', 'the name could not be looked up'],
  ['EHOSTUNREACH', 'no way leads to that host'],
  ['ENETUNREACH', 'no way leads to that network'],
  ['ETIMEDOUT', 'no connection came about in time'],
  [CONNECT_TIMEOUT, 'no connection came about in time'],
]);
const NOT_TRUSTED = 'the certificate of the server is not trusted';
/** The handshake is broken off by this side, which sends nothing before it trusts. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

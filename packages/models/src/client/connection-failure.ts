import { type FailedAttempt, failedAttempt } from './failed-attempt.ts';
import { PROXY_FAILURE } from './proxy-failure.ts';

/** Says what an error of `fetch`, or of reading the body, means for the request. */
export function connectionFailure(error: unknown, baseUrl: string): FailedAttempt {
  const { code, syscall, message, isHttp, retryable } = rootCause(error);
  const origin = new URL(baseUrl).origin;
  if (code === PROXY_FAILURE)
    return failedAttempt('connection', message, { sent: false, retryable });
  if (!isHttp) {
    return failedAttempt(
      'malformed_response',
      `What answers at ${origin} does not speak HTTP; check the port and the scheme of base_url.`,
    );
  }
  if (code === 'ECONNREFUSED') {
    return failedAttempt(
      'connection',
      `Nothing listens at ${origin} (${code}); start the model server or correct base_url.`,
      { sent: false },
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failedAttempt(
      'connection',
      `The host name of ${origin} does not resolve (${code}); check base_url and the network.`,
      { sent: false },
    );
  }
  if (isTlsCode(code)) {
    return failedAttempt(
      'connection',
      `The TLS connection to ${origin} was refused (${code}); check its certificate, or whether the server speaks plain http.`,
      { sent: false, retryable: false },
    );
  }
  // A request waits for its connection, so while that is still being made nothing was sent.
  const sent =
    syscall !== 'connect' && syscall !== 'getaddrinfo' && code !== 'UND_ERR_CONNECT_TIMEOUT';
  if (code !== null && TIMEOUT_CODES.has(code)) {
    return failedAttempt(
      'timeout',
      `The connection to ${origin} timed out (${code}) before the model answered; the server may be slow or unreachable.`,
      { sent },
    );
  }
  if (code !== null && !sent) {
    return failedAttempt(
      'connection',
      `No connection to ${origin} could be made (${code}); check base_url and the network.`,
      { sent },
    );
  }
  if (code !== null) {
    return failedAttempt(
      'connection',
      `The connection to ${origin} broke (${code}) before the reply was complete; look at the log of the server.`,
    );
  }
  return failedAttempt('unknown', `The request to ${origin} failed: ${message}.`);
}

interface RootCause {
  readonly code: string | null;
  readonly syscall: string | null;
  readonly message: string;
  /** False when the answer was no HTTP. */
  readonly isHttp: boolean;
  /** What the error says of trying again. */
  readonly retryable: boolean;
}

/** Follows causes to the one with a code; `fetch` wraps system errors once or twice. */
function rootCause(error: unknown): RootCause {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    // One host name with several addresses: each attempt failed, and the first speaks for all.
    if (current instanceof AggregateError) current = current.errors[0];
    if (!(current instanceof Error)) break;
    const code: unknown = 'code' in current ? current.code : undefined;
    const syscall: unknown = 'syscall' in current ? current.syscall : undefined;
    const isHttp = current.name !== 'HTTPParserError' && !String(code).startsWith('HPE_');
    if (typeof code === 'string' || !isHttp) {
      return {
        code: typeof code === 'string' ? code : null,
        syscall: typeof syscall === 'string' ? syscall : null,
        message: current.message,
        isHttp,
        retryable: 'retryable' in current && current.retryable === true,
      };
    }
    current = current.cause;
  }
  const message = error instanceof Error ? error.message.replace(/\.$/, '') : 'no reason was given';
  return { code: null, syscall: null, message, isHttp: true, retryable: false };
}

function isTlsCode(code: string | null): boolean {
  return code !== null && /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|EPROTO$)|SELF_SIGNED/.test(code);
}

const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

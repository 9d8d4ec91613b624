/**
 * Why a proxy led to no connection, in one sentence that names the proxy without its credentials.
 *
 * Nothing of the request has left by then.
 */
export class ProxyFailure extends Error {
  /** By which the client knows it; its class may come from another bundle. */
  readonly code = PROXY_FAILURE;
  /** Whether a later try may fare better. */
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean) {
    super(message);
    this.name = 'ProxyFailure';
    this.retryable = retryable;
  }
}

/** The code of every failure of a proxy. */
export const PROXY_FAILURE = 'ERR_MODEL_PROXY';

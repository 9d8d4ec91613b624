import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { MillforgeError } from '@millforge/contracts';
import { linkFault } from '../session/link-fault.ts';
import { isPrivateAddress } from './address-rules.ts';

/** HTTP that goes to named origins only. */
export interface GuardedFetch {
  /** The same shape as the global one. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Ends its connections. */
  close(): Promise<void>;
}

/**
 * Makes a `fetch` that goes to named origins, follows no redirect, and takes no more of a response than it may.
 * The address is judged when the connection is made, so that no name can be one thing when it is asked for
 * and another when it is connected to.
 */
export async function openGuardedFetch(options: {
  /** The origins that may be asked. */
  readonly origins: readonly string[];
  readonly allowPrivateAddresses: boolean;
  readonly maxResponseBytes: number;
  /** Milliseconds for a whole response; absent for a stream, which may stand as long as it is wanted. */
  readonly timeoutMs?: number;
  /** Stops every request, also one that has been answered in part. */
  readonly signal?: AbortSignal;
  /** Told once why a request was refused. */
  readonly onFault: (fault: MillforgeError) => void;
}): Promise<GuardedFetch> {
  // Loaded with the first connection: it is large.
  const { Agent, fetch } = await import('undici');
  const refuse = (message: string): MillforgeError => {
    const fault = linkFault('refused', message);
    options.onFault(fault);
    return fault;
  };
  const guardedLookup: LookupFunction = (hostname, lookupOptions, callback) => {
    lookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const allowed = options.allowPrivateAddresses
        ? addresses
        : addresses.filter(({ address }) => !isPrivateAddress(address));
      if (allowed.length === 0) callback(refuse(PRIVATE), []);
      else callback(null, allowed);
    });
  };
  const agent = new Agent({
    connect: { lookup: guardedLookup },
    // A standing stream may be silent for as long as the server likes.
    bodyTimeout: 0,
    headersTimeout: 120_000,
  });
  return {
    async fetch(url, init = {}) {
      const target = new URL(url);
      if (!options.origins.includes(target.origin)) {
        throw refuse(`It sent us to another origin, ${target.origin}.`);
      }
      const host = target.hostname.replace(/^\[|\]$/gu, '');
      // A literal address is never looked up.
      if (isIP(host) !== 0 && !options.allowPrivateAddresses && isPrivateAddress(host)) {
        throw refuse(PRIVATE);
      }
      const { method, headers, body } = init;
      const signals = [init.signal, options.signal].filter((one) => one instanceof AbortSignal);
      if (options.timeoutMs !== undefined) signals.push(AbortSignal.timeout(options.timeoutMs));
      const response = await fetch(target, {
        dispatcher: agent,
        redirect: 'manual',
        ...(method === undefined ? {} : { method }),
        ...(headers === undefined ? {} : { headers: [...new Headers(headers)] }),
        ...(typeof body === 'string' ? { body } : {}),
        ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
        ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      });
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel();
        throw refuse('It redirects, which is not followed.');
      }
      const { status, statusText } = response;
      const isBodyless =
        response.body === null || status === 204 || status === 205 || status === 304;
      const limited = isBodyless
        ? null
        : response.body.pipeThrough(
            limitBytes(options.maxResponseBytes, () =>
              refuse(`It sent a response of more than ${options.maxResponseBytes} bytes.`),
            ),
          );
      return new Response(limited, {
        status,
        statusText,
        headers: [...response.headers],
      });
    },
    close: () => agent.destroy(),
  };
}

function limitBytes(limit: number, refuse: () => Error): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.length;
      if (seen > limit) controller.error(refuse());
      else controller.enqueue(chunk);
    },
  });
}

const PRIVATE = 'Its address is private, and private addresses are not allowed for it.';

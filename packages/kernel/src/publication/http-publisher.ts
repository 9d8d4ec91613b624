import { type JsonValue, sha256 } from '@millforge/contracts';
import { reasonOf } from './ask-publisher.ts';
import { readConnectFailure } from './connect-failure.ts';
import { isJsonObject } from './json-object.ts';
import type { Inspection, PublishAnswer, Publisher } from './publisher.ts';

/** What an HTTP publisher is made of. */
export interface HttpPublisherOptions {
  /** Address that is posted to: `https:`, or `http:` on this machine; without user name and password. */
  readonly url: string;
  /** Address that tells what became of an operation; default none, and then nothing is found by looking. */
  readonly statusUrl?: (operationId: string) => string;
  /** Headers for every request, such as one with a key; asked for each time, never kept. */
  readonly headers?: () =>
    | Readonly<Record<string, string>>
    | Promise<Readonly<Record<string, string>>>;
  /** Does the requests: each once, so that one whose connection was never made has sent nothing. */
  readonly fetch: typeof globalThis.fetch;
  /** Wall time in milliseconds. */
  readonly now: () => number;
  /**
   * Milliseconds after which the receiver cannot apply a request any more that it has not applied. Default null: what it does not
   * have stays unknown until a person attests.
   */
  readonly settleMs?: number | null;
  /** Statuses that mean that it was not applied and will not be; default those in which the request itself is at fault. */
  readonly refusals?: readonly number[];
}

/**
 * Posts the bytes once, with the operation as `Idempotency-Key`, and asks a status address what became of it.
 *
 * An answer counts only with a status of success and a JSON body whose `operation_id` is the operation. A status body may say
 * `"state": "applied"`, `"pending"`, `"absent"` or `"sealed"`, the last for one that will never be applied.
 */
export function httpPublisher(options: HttpPublisherOptions): Publisher {
  const { url, statusUrl, settleMs = null, refusals = REFUSALS } = options;
  const ask = (address: string, init: RequestInit & { readonly signal: AbortSignal }) =>
    request(options, address, init);
  return {
    name: 'http',
    target: url,
    settleMs,
    checkPayload: () => findProblem(url),
    async ready() {
      const headers = await findHeaders(options);
      return headers instanceof Headers ? null : headers.problem;
    },
    async publish({ operationId, bytes, intent, signal, sendByMs }): Promise<PublishAnswer> {
      const problem = findProblem(url);
      if (problem !== null) return { kind: 'not-sent', message: `${problem}.` };
      const headers = await findHeaders(options);
      if (!(headers instanceof Headers)) {
        return { kind: 'not-sent', message: `${headers.problem}.` };
      }
      headers.set('content-type', intent.payload.media_type);
      headers.set('idempotency-key', operationId);
      // Looking for a key may have taken its own time.
      if (options.now() >= sendByMs) {
        return { kind: 'not-sent', message: 'its time was over.' };
      }
      const init = { method: 'POST', body: Buffer.from(bytes), headers, signal };
      const answer = await ask(url, init).catch(notConnected);
      if ('kind' in answer) return answer;
      const { status, evidence } = answer;
      if (status >= 200 && status < 300) {
        return { kind: 'acknowledged', operationId: operationOf(answer) ?? '', evidence };
      }
      if (refusals.includes(status)) {
        return { kind: 'refused', message: `It answers with status ${status}.`, evidence };
      }
      throw new Error(`it answers with status ${status}`);
    },
    async inspect({ operationId, signal }): Promise<Inspection> {
      if (statusUrl === undefined) return { kind: 'unknown' };
      const address = statusUrl(operationId);
      if (findProblem(address) !== null) return { kind: 'unknown' };
      const headers = new Headers(await options.headers?.());
      const answer = await ask(address, { headers, signal });
      const { status, evidence } = answer;
      if (status === 404) return { kind: 'absent', isFinal: false, evidence };
      const named = operationOf(answer);
      if (status !== 200 || named !== operationId) return { kind: 'unknown', evidence };
      const state = isJsonObject(answer.body) ? answer.body['state'] : undefined;
      if (state === 'applied') return { kind: 'found', operationId: named, evidence };
      if (state === 'sealed') return { kind: 'absent', isFinal: true, evidence };
      return state === 'absent'
        ? { kind: 'absent', isFinal: false, evidence }
        : { kind: 'unknown', evidence };
    },
  };
}

/** The headers of one request; not their text where they are wrong, which may be the key. */
async function findHeaders({
  headers,
}: HttpPublisherOptions): Promise<Headers | { readonly problem: string }> {
  let given: Readonly<Record<string, string>> | undefined;
  try {
    given = await headers?.();
  } catch (error) {
    return { problem: `its headers cannot be had (${reasonOf(error)})` };
  }
  try {
    return new Headers(given);
  } catch {
    return { problem: 'its headers are none that can be sent' };
  }
}

/** What failed before there was a connection has sent nothing; whatever failed later may have arrived. */
function notConnected(error: unknown): PublishAnswer {
  const failure = readConnectFailure(error);
  if (failure.isBefore) return { kind: 'not-sent', message: `${failure.message}.` };
  throw new Error(failure.message, { cause: error });
}

/** What was answered, cut to what is needed. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The status, and the digest of the body: an answer may hold anything. */
  readonly evidence: JsonValue;
}

async function request(
  { fetch }: Pick<HttpPublisherOptions, 'fetch'>,
  address: string,
  init: RequestInit,
): Promise<Answer> {
  // A redirect would carry key and bytes to a place that nobody approved.
  const response = await fetch(address, { ...init, redirect: 'manual' });
  const text = await readText(response);
  return {
    status: response.status,
    body: parse(text),
    evidence: { status: response.status, body_sha256: sha256(text) },
  };
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An answer that is no JSON names no operation.
    return null;
  }
}

function operationOf({ body }: Answer): string | null {
  const named = isJsonObject(body) ? body['operation_id'] : undefined;
  return typeof named === 'string' ? named : null;
}

/** A place that bytes and keys may go to. */
function findProblem(address: string): string | null {
  if (!URL.canParse(address)) return 'the address is none';
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return 'the address holds a user name or a password';
  if (protocol === 'https:') return null;
  const isHere = LOOPBACK.includes(hostname);
  return protocol === 'http:' && isHere ? null : 'only https leaves this machine';
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];
/** Not 408, 409, 425 and 429: what is told to come again, or meets its own double, may have been applied. */
const REFUSALS = [400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 451];
const MAX_ANSWER = 65_536;

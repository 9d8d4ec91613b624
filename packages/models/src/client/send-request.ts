import { type ExactJson, type ModelMessage, type ModelReply, readJson } from '@millforge/contracts';
import { connectionFailure } from './connection-failure.ts';
import { decodeReply } from './decode-reply.ts';
import { type FailedAttempt, failedAttempt } from './failed-attempt.ts';
import { isJsonObject } from './json-text.ts';
import type { ModelFetch } from './model-fetch.ts';
import { readBody } from './read-body.ts';
import type { Redact } from './redaction.ts';
import { readRetryAfterMs } from './retry-delay.ts';
import { statusFailure } from './status-failure.ts';
import type { TimeLimit } from './time-limit.ts';
import { withoutEchoes } from './without-echoes.ts';

/** One request, ready to send, and what is needed to understand the answer. */
export interface OutgoingRequest {
  readonly baseUrl: string;
  readonly model: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  readonly conversation: readonly ModelMessage[];
  readonly keySent: boolean;
  readonly fetch: ModelFetch;
  readonly redact: Redact;
  /** Wall-clock time, for a `Retry-After` that is a date. */
  readonly now: () => number;
}

/** What one request brought; `stopped` when the limit ended first. */
export type Attempt =
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'stopped' }
  | FailedAttempt;

/** Sends one request and reads its answer; the connection is closed at once when that ends early. */
export async function sendRequest(request: OutgoingRequest, limit: TimeLimit): Promise<Attempt> {
  const connection = new AbortController();
  const close = () => connection.abort();
  limit.signal.addEventListener('abort', close, { once: true });
  let isRead = false;
  try {
    const response = await limit.race(
      request.fetch(`${request.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { ...request.headers },
        body: request.body,
        redirect: 'manual',
        signal: connection.signal,
      }),
    );
    const attempt = response.ok
      ? await readSuccess(response, request, limit)
      : await readRefusal(response, request, limit);
    isRead = response.bodyUsed && attempt.kind === 'reply';
    return attempt;
  } catch (error) {
    if (limit.stopped() !== null) return { kind: 'stopped' };
    return connectionFailure(error, request.baseUrl);
  } finally {
    limit.signal.removeEventListener('abort', close);
    // A body that is read to its end leaves its connection for the next request.
    if (!isRead) close();
  }
}

async function readSuccess(
  response: Response,
  request: OutgoingRequest,
  limit: TimeLimit,
): Promise<Attempt> {
  const type = mediaType(response);
  if (type === null || !isJsonType(type)) return wrongType(response, type, request);
  const body = await readBody(response, { maxBytes: MAX_REPLY_BYTES, limit });
  if (!body.ok) {
    return malformed(
      request,
      body.reason === 'too-large'
        ? `is larger than ${MAX_REPLY_BYTES / MIB} MiB; lower max_output_tokens`
        : 'is not UTF-8 text; look at the server or a proxy in front of it',
    );
  }
  const json = parseReply(body.text);
  if (!json.ok)
    return malformed(request, `is not valid JSON (${json.reason}); look at the log of the server`);
  if (!isJsonObject(json.value)) return malformed(request, 'is JSON but no object; check base_url');
  const decoded = decodeReply(json.value, request.conversation);
  if (decoded.ok) return { kind: 'reply', reply: decoded.reply };
  // Some gateways report the failure of a server behind them with status 200.
  if (json.value['error'] !== undefined && json.value['error'] !== null) {
    return refusal(response, request, { status: errorStatus(json.value), body: json.value });
  }
  return malformed(
    request,
    `${decoded.message}; check that base_url is the root of an OpenAI-compatible API`,
  );
}

async function readRefusal(
  response: Response,
  request: OutgoingRequest,
  limit: TimeLimit,
): Promise<Attempt> {
  if (response.status < 400) return redirected(response, request);
  let json: ExactJson | null = null;
  // An error body helps to explain the status, and is never a reason to forget the status.
  try {
    const body = await readBody(response, { maxBytes: MAX_ERROR_BYTES, limit });
    const parsed = body.ok ? readJson(body.text, { allowControlCharacters: true }) : null;
    if (parsed?.ok === true) json = parsed.value;
  } catch {
    // Cut or stopped: whether the limit has ended is asked once, after the attempt.
  }
  return refusal(response, request, { status: response.status, body: json });
}

function refusal(
  response: Response,
  request: OutgoingRequest,
  answer: { readonly status: number; readonly body: ExactJson | null },
): FailedAttempt {
  const { headers } = response;
  const requestId =
    headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('openai-request-id');
  return statusFailure({
    ...answer,
    mediaType: mediaType(response),
    requestId: requestId === null ? null : request.redact(requestId).slice(0, 128),
    retryAfterMs: readRetryAfterMs(headers.get('retry-after'), request.now()),
    baseUrl: request.baseUrl,
    model: request.model,
    keySent: request.keySent,
    clean: (text) => withoutEchoes(request.redact(text), request.conversation),
  });
}

function redirected(response: Response, request: OutgoingRequest): FailedAttempt {
  const location = response.headers.get('location');
  const target =
    location !== null && URL.canParse(location, request.baseUrl)
      ? new URL(location, request.baseUrl)
      : null;
  const where = target === null ? 'elsewhere' : `to ${target.origin}${target.pathname}`;
  return malformed(
    request,
    `is a redirect (${response.status}) ${where}, and redirects are not followed, since the key belongs to one origin; correct base_url`,
  );
}

function wrongType(
  response: Response,
  type: string | null,
  request: OutgoingRequest,
): FailedAttempt {
  const origin = request.baseUrl;
  if (type === 'text/html') {
    return malformed(
      request,
      `is a web page (${type}) instead of JSON; check that ${origin} is the root of its API, which often ends in /v1`,
    );
  }
  if (type === 'text/event-stream') {
    return malformed(request, 'is an event stream though none was asked for; look at the server');
  }
  const got = type === null ? 'has no content type' : `has the content type ${type}`;
  return malformed(
    request,
    `(status ${response.status}) ${got} instead of application/json; check base_url`,
  );
}

function malformed(request: OutgoingRequest, what: string): FailedAttempt {
  const origin = new URL(request.baseUrl).origin;
  return failedAttempt(
    'malformed_response',
    `The answer of the model server at ${origin} ${what}.`,
  );
}

function parseReply(text: string): ReturnType<typeof readJson> {
  const json = readJson(text, { allowControlCharacters: true });
  if (json.ok || json.reason !== 'lone-surrogate') return json;
  return readJson(mendSurrogates(text), { allowControlCharacters: true });
}

/**
 * Replaces escaped halves of surrogate pairs, which byte-level tokenizers leave behind.
 *
 * Escaped backslashes and whole pairs are matched first, so that they are stepped over.
 */
function mendSurrogates(json: string): string {
  return json.replace(/\\\\|\\u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|\\u[Dd][89A-Fa-f]../g, (escape) =>
    escape.length === 6 ? '\\ufffd' : escape,
  );
}

function errorStatus(body: { readonly [key: string]: ExactJson }): number {
  const error = body['error'];
  const code = isJsonObject(error) ? error['code'] : undefined;
  return typeof code === 'number' && code >= 400 && code <= 599 ? code : 500;
}

function mediaType(response: Response): string | null {
  const header = response.headers.get('content-type');
  const type = header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // Anything longer or stranger than a media type is not repeated in a message.
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(type) ? type : null;
}

function isJsonType(type: string): boolean {
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);
}

const MIB = 1024 * 1024;
const MAX_REPLY_BYTES = 4 * MIB;
const MAX_ERROR_BYTES = 64 * 1024;

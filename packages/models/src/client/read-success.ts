import { readJson, unreachable } from '@millforge/contracts';
import type { JsonFields } from './dialect.ts';
import { errorStatus } from './error-status.ts';
import { type Attempt, connectionCut, type FailedAttempt, streamIdle } from './failed-attempt.ts';
import { isJsonObject } from './json-text.ts';
import { malformedAnswer } from './malformed-answer.ts';
import { isJsonType, mediaType } from './media-type.ts';
import { mendBody, mendSurrogates } from './mend-surrogates.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { readBody } from './read-body.ts';
import { readEventStream } from './read-event-stream.ts';
import { refusal } from './read-refusal.ts';
import type { TimeLimit } from './time-limit.ts';

/** Reads an answer with a good status: whole, or streamed when that was asked for. */
export async function readSuccess(
  response: Response,
  request: OutgoingRequest,
  limit: TimeLimit,
): Promise<Attempt> {
  const type = mediaType(response);
  if (type === 'text/event-stream' && request.stream !== null) {
    return readStreamed(response, { ...request, stream: request.stream }, limit);
  }
  if (type === null || !isJsonType(type)) return wrongType(response, type, request);
  const body = await readBody(response, { maxBytes: MAX_REPLY_BYTES, limit });
  if (!body.ok) {
    return body.reason === 'too-large' ? tooLarge(request, MAX_REPLY_BYTES) : notText(request);
  }
  const json = parseReply(body.text);
  if (!json.ok) {
    return malformedAnswer(
      request,
      `is not valid JSON (${json.reason}); look at the log of the server`,
    );
  }
  if (!isJsonObject(json.value)) {
    return malformedAnswer(request, 'is JSON but no object; check base_url');
  }
  return understood(json.value, response, request);
}

async function readStreamed(
  response: Response,
  request: OutgoingRequest & { readonly stream: NonNullable<OutgoingRequest['stream']> },
  limit: TimeLimit,
): Promise<Attempt> {
  const { stream, dialect, clock } = request;
  const result = await readEventStream(response, {
    assembler: dialect.createAssembler(),
    limit,
    clock,
    idleMs: stream.idleMs,
    maxBytes: MAX_STREAM_BYTES,
    onDelta: stream.onDelta,
  });
  switch (result.kind) {
    case 'body':
      return understood(mendBody(result.body), response, request);
    case 'error':
      return reported(mendBody(result.body), response, request);
    case 'malformed':
      return malformedAnswer(request, `${result.message}; look at the log of the server`);
    case 'cut':
      return connectionCut(request.baseUrl);
    case 'idle':
      return streamIdle(request.baseUrl, stream.idleMs);
    case 'too-large':
      return tooLarge(request, MAX_STREAM_BYTES);
    case 'not-utf8':
      return notText(request);
    default:
      return unreachable(result, 'end of a stream');
  }
}

function understood(body: JsonFields, response: Response, request: OutgoingRequest): Attempt {
  const decoded = request.dialect.decode(body, request.conversation);
  if (decoded.ok) {
    const kept = request.continuesReasoning ? request.dialect.continuation(body) : null;
    const reply = kept === null ? decoded.reply : { ...decoded.reply, continuation: kept };
    return { kind: 'reply', reply };
  }
  // Some gateways report the failure of a server behind them with status 200.
  const error = decoded.error ?? body['error'] ?? null;
  if (error !== null) return reported({ ...body, error }, response, request);
  return malformedAnswer(
    request,
    `${decoded.message}; check that base_url is the root of an API of this dialect`,
  );
}

function reported(body: JsonFields, response: Response, request: OutgoingRequest): FailedAttempt {
  return refusal(response, request, { status: errorStatus(body), body });
}

function tooLarge(request: OutgoingRequest, maxBytes: number): FailedAttempt {
  return malformedAnswer(request, `is larger than ${maxBytes / MIB} MiB; lower max_output_tokens`);
}

function notText(request: OutgoingRequest): FailedAttempt {
  return malformedAnswer(
    request,
    'is not UTF-8 text; look at the server or a proxy in front of it',
  );
}

function wrongType(
  response: Response,
  type: string | null,
  request: OutgoingRequest,
): FailedAttempt {
  const origin = request.baseUrl;
  if (type === 'text/html') {
    return malformedAnswer(
      request,
      `is a web page (${type}) instead of JSON; check that ${origin} is the root of its API, which often ends in /v1`,
    );
  }
  if (type === 'text/event-stream') {
    return malformedAnswer(
      request,
      'is an event stream though none was asked for; look at the server',
    );
  }
  const got = type === null ? 'has no content type' : `has the content type ${type}`;
  return malformedAnswer(
    request,
    `(status ${response.status}) ${got} instead of application/json; check base_url`,
  );
}

function parseReply(text: string): ReturnType<typeof readJson> {
  const json = readJson(text, { allowControlCharacters: true });
  if (json.ok || json.reason !== 'lone-surrogate') return json;
  return readJson(mendSurrogates(text), { allowControlCharacters: true });
}

const MIB = 1024 * 1024;
const MAX_REPLY_BYTES = 4 * MIB;
/** Each token of a stream comes in a frame of some hundred bytes. */
const MAX_STREAM_BYTES = 64 * MIB;

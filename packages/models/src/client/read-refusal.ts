import { type ExactJson, readJson } from '@millforge/contracts';
import { echoedCalls } from '../openai-chat/echoed-calls.ts';
import { cutText } from './cut-text.ts';
import type { Attempt, FailedAttempt } from './failed-attempt.ts';
import { malformedAnswer } from './malformed-answer.ts';
import { mediaType } from './media-type.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { readBody } from './read-body.ts';
import { readRetryAfterMs } from './retry-delay.ts';
import { statusFailure } from './status-failure.ts';
import type { TimeLimit } from './time-limit.ts';
import { withoutEchoes } from './without-echoes.ts';

/** Says what an answer with an error status means; a redirect is one. */
export async function readRefusal(
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
  const reply = response.status === 500 ? echoedCalls(json) : null;
  return reply === null
    ? refusal(response, request, { status: response.status, body: json })
    : { kind: 'reply', reply };
}

/** Says what an error status and the body beside it mean. */
export function refusal(
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
    requestId: requestId === null ? null : cutText(request.redact(requestId), 128),
    retryAfterMs: readRetryAfterMs(headers.get('retry-after'), request.clock.now()),
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
  const isWeb = target?.protocol === 'https:' || target?.protocol === 'http:';
  const where =
    target === null || !isWeb
      ? 'elsewhere'
      : `to ${cutText(request.redact(`${target.origin}${target.pathname}`), MAX_TARGET_CHARS)}`;
  return malformedAnswer(
    request,
    `is a redirect (${response.status}) ${where}, and redirects are not followed, since the key belongs to one origin; correct base_url`,
  );
}

const MAX_TARGET_CHARS = 160;
const MAX_ERROR_BYTES = 64 * 1024;

import { type FailedAttempt, failedAttempt } from './failed-attempt.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

/** The failure of an answer that no reply can be read from. */
export function malformedAnswer(request: OutgoingRequest, what: string): FailedAttempt {
  const origin = new URL(request.baseUrl).origin;
  return failedAttempt(
    'malformed_response',
    `The answer of the model server at ${origin} ${what}.`,
  );
}

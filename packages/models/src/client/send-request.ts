import { connectionFailure } from './connection-failure.ts';
import type { Attempt } from './failed-attempt.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { readRefusal } from './read-refusal.ts';
import { readSuccess } from './read-success.ts';
import type { TimeLimit } from './time-limit.ts';

/** Sends one request and reads its answer; the connection is closed at once when that ends early. */
export async function sendRequest(request: OutgoingRequest, limit: TimeLimit): Promise<Attempt> {
  const connection = new AbortController();
  const close = () => connection.abort();
  limit.signal.addEventListener('abort', close, { once: true });
  let isRead = false;
  try {
    const response = await limit.race(
      request.fetch(`${request.baseUrl}${request.dialect.path}`, {
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
    isRead = response.bodyUsed && attempt.kind === 'reply' && request.stream === null;
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

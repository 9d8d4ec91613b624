import type { ModelCompletion, ModelMessage } from '@millforge/contracts';
import { createModelClient, type ModelFetch } from '@millforge/models';
import { HELLO, profileOf, steppingClock } from '../exchange.ts';

/** A `fetch` that gives every request the same JSON text. */
function fetchOf(body: string): ModelFetch {
  return () =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
}

/** What a client makes of a body. */
export function completionOf(
  body: string,
  messages: readonly ModelMessage[] = [HELLO],
): Promise<ModelCompletion> {
  const client = createModelClient({
    profile: profileOf('http://127.0.0.1:9/v1'),
    fetch: fetchOf(body),
    clock: steppingClock(),
  });
  return client.complete({ messages, tools: [] }, { signal: new AbortController().signal });
}

/** What a client makes of a message in an otherwise plain completion. */
export function replyTo(message: object, more: object = {}): Promise<ModelCompletion> {
  return completionOf(JSON.stringify({ choices: [{ message, ...more }] }));
}

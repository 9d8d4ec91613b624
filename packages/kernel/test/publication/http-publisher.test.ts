import {
  type HttpPublisherOptions,
  httpPublisher,
  type Publisher,
} from '@millforge/kernel/publication';
import { expect, test } from 'vitest';
import { scope, systemClock } from '../fixture.ts';
import { approved, ONE, OUTPUT_SHA256, request, through, world } from './world.ts';

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly redirect: string | undefined;
}

type Answering = (sent: Sent) => Response | Promise<Response>;

/** A publisher whose every request is answered here. */
function answered(
  answering: Answering,
  more: Partial<HttpPublisherOptions> = {},
): { readonly by: Publisher; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const by = httpPublisher({
    url: 'https://example.org/releases',
    now: () => systemClock.now(),
    fetch: async (url, init) => {
      const { body } = init ?? {};
      const one = {
        url: url instanceof Request ? url.url : url.toString(),
        headers: new Headers(init?.headers),
        body: body instanceof Uint8Array ? Buffer.from(body).toString() : '',
        redirect: init?.redirect,
      };
      sent.push(one);
      return answering(one);
    },
    ...more,
  });
  return { by, sent };
}

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status });

async function send(by: Publisher) {
  const { publications } = await world();
  const asked = request({ action: { publisher: by.name, target: by.target } });
  await approved(publications, { asked });
  return { publications, view: await publications.dispatch(scope, ONE, through(by)) };
}

const keyOf = ({ headers }: Sent): string => headers.get('idempotency-key') ?? '';

test('posts the bytes with the operation as idempotency key, and follows no redirect', async () => {
  const { by, sent } = answered((one) => json(201, { operation_id: keyOf(one) }), {
    headers: () => ({ authorization: 'Bearer secret-0123456789' }),
  });
  const { view, publications } = await send(by);
  expect(view).toMatchObject({ state: 'accepted', evidence: { status: 201 } });
  expect(sent).toMatchObject([{ url: 'https://example.org/releases', redirect: 'manual' }]);
  expect(sent.map(keyOf)).toEqual([view.operation?.operation_id]);
  expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer secret-0123456789');
  expect(JSON.stringify(await publications.list(scope, 'goal'))).not.toContain('0123456789');
  expect(view.intent.payload.sha256).toBe(OUTPUT_SHA256);
});

const answers: readonly (readonly [string, Answering, string])[] = [
  ['success without a body', () => new Response(null, { status: 204 }), 'unknown'],
  ['success for another operation', () => json(200, { operation_id: 'other' }), 'unknown'],
  ['success with a page of a proxy', () => new Response('<html>', { status: 200 }), 'unknown'],
  ['a redirect', () => new Response(null, { status: 307, headers: { location: '/x' } }), 'unknown'],
  ['a conflict', () => json(409, {}), 'unknown'],
  ['too many requests', () => json(429, {}), 'unknown'],
  ['a fault of the server', () => json(500, {}), 'unknown'],
  ['a gateway that gave up', () => json(504, {}), 'unknown'],
  ['no connection', () => Promise.reject(new TypeError('fetch failed')), 'unknown'],
  ['a fault of the request', () => json(422, {}), 'rejected'],
  ['a wrong key', () => json(401, {}), 'rejected'],
];

test.each(answers)('takes %s for what it is', async (_what, answering, state) => {
  const { by, sent } = answered(answering);
  const { view } = await send(by);
  expect(view.state).toBe(state);
  expect(sent).toHaveLength(1);
});

test('asks the status address what became of an operation', async () => {
  let state = 'pending';
  const { by, sent } = answered(
    (one) =>
      one.url.includes('status')
        ? json(200, { operation_id: one.url.split('/').at(-1), state })
        : json(500, {}),
    { statusUrl: (id) => `https://example.org/status/${id}` },
  );
  const { publications, view } = await send(by);
  const states: string[] = [];
  for (state of ['pending', 'absent', 'nonsense', 'sealed']) {
    states.push((await publications.reconcile(scope, ONE, { publisher: by })).state);
  }
  expect(states).toEqual(['unknown', 'unknown', 'unknown', 'rejected']);
  expect(sent[1]?.url).toBe(`https://example.org/status/${String(view.operation?.operation_id)}`);
});

test.each([
  'http://example.org/x',
  'https://ann:pw@example.org/x',
  'file:///etc/passwd',
  'nowhere',
])('sends nothing to %s, and says so before an approval', async (url) => {
  const { by, sent } = answered(() => json(200, {}), { url });
  const asked = by.publish({
    operationId: 'a'.repeat(64),
    intent: (await send(answered(() => json(200, {})).by)).view.intent,
    bytes: Buffer.from('x'),
    sendByMs: Number.MAX_SAFE_INTEGER,
    signal: new AbortController().signal,
  });
  expect(await asked).toMatchObject({ kind: 'not-sent' });
  const payload = { bytes: Buffer.from('x'), mediaType: 'text/plain' };
  expect(by.checkPayload?.(payload)).toEqual(expect.any(String));
  expect(sent).toEqual([]);
});

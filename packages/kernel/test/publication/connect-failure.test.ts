import { createServer } from 'node:net';
import { httpPublisher } from '@millforge/kernel/publication';
import { expect, test } from 'vitest';
import { scope, systemClock } from '../fixture.ts';
import { approved, ONE, request, through, world } from './world.ts';

/** What a sending through this `fetch` comes to. */
async function sendBy(fetch: typeof globalThis.fetch, url = 'https://example.org/releases') {
  const { publications } = await world();
  const by = httpPublisher({ url, fetch, now: () => systemClock.now() });
  await approved(publications, { asked: request({ action: { publisher: 'http', target: url } }) });
  return { publications, view: await publications.dispatch(scope, ONE, through(by)) };
}

test('knows that nothing was sent to a port at which nobody listens, and may be asked for anew', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await new Promise((resolve) => server.close(resolve));
  const url = `http://127.0.0.1:${port}/releases`;
  const { publications, view } = await sendBy(globalThis.fetch, url);
  expect(view).toMatchObject({
    state: 'rejected',
    reason: 'not-sent',
    message:
      'Nothing was sent: the connection was refused, so nobody listens there (ECONNREFUSED).',
  });
  const asked = request({ action: { publisher: 'http', target: url } });
  expect(await publications.intend(scope, 'goal', asked)).toMatchObject({
    state: 'intended',
    intent: { round: 2 },
  });
});

const system = (code: string, syscall?: string): Error =>
  Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) });
const tried = (...errors: readonly Error[]): Error =>
  Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });

/** The state that it comes to, and the sentence. */
type Said = readonly ['rejected' | 'unknown', RegExp];

const failures: readonly (readonly [string, unknown, Said])[] = [
  ['a name without an address', system('ENOTFOUND', 'getaddrinfo'), ['rejected', /\(ENOTFOUND\)/]],
  [
    'a name that nobody looks up',
    system('EAI_AGAIN', 'getaddrinfo'),
    ['rejected', /\(EAI_AGAIN\)/],
  ],
  ['no way to the host', system('EHOSTUNREACH', 'connect'), ['rejected', /\(EHOSTUNREACH\)/]],
  ['no connection in time', system('UND_ERR_CONNECT_TIMEOUT'), ['rejected', /came about in time/]],
  [
    'a certificate of somebody else',
    system('ERR_TLS_CERT_ALTNAME_INVALID'),
    ['rejected', /trusted/],
  ],
  ['a certificate of its own', system('DEPTH_ZERO_SELF_SIGNED_CERT'), ['rejected', /trusted/]],
  [
    'addresses that all refuse',
    tried(system('ECONNREFUSED', 'connect'), system('ECONNREFUSED', 'connect')),
    ['rejected', /\(ECONNREFUSED\)/],
  ],
  [
    'addresses of which one was reached',
    tried(system('ECONNREFUSED', 'connect'), system('ECONNRESET', 'read')),
    ['unknown', /fetch failed \(ECONNREFUSED\); nobody knows/],
  ],
  [
    'a connection that broke',
    system('ECONNRESET', 'read'),
    ['unknown', /fetch failed \(ECONNRESET\)/],
  ],
  ['a way that broke later', system('EHOSTUNREACH', 'read'), ['unknown', /\(EHOSTUNREACH\)/]],
  ['a connection that timed out later', system('ETIMEDOUT', 'read'), ['unknown', /\(ETIMEDOUT\)/]],
  ['a code of no call', system('ECONNREFUSED'), ['unknown', /\(ECONNREFUSED\)/]],
  ['headers that did not come', system('UND_ERR_HEADERS_TIMEOUT'), ['unknown', /_TIMEOUT\)/]],
  ['a handshake that failed', system('ERR_SSL_WRONG_VERSION_NUMBER'), ['unknown', /_NUMBER\)/]],
  ['no cause', undefined, ['unknown', /The publisher failed: fetch failed;/]],
];

test.each(failures)(
  'takes %s for what it says about the sending',
  async (_what, cause, [state, said]) => {
    const failing = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const { view } = await sendBy(failing);
    expect([view.state, view.message]).toEqual([state, expect.stringMatching(said)]);
  },
);

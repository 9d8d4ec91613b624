import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { httpPublisher } from '@millforge/kernel/publication';
import { expect, onTestFinished, test } from 'vitest';
import { scope, systemClock } from '../fixture.ts';
import { approved, ONE, request, through, world } from './world.ts';

/** How a receiver answers what it was posted, whatever it did with it. */
type Lie = (response: ServerResponse, operationId: string) => void;

const json =
  (status: number, body: (operationId: string) => unknown): Lie =>
  (response, operationId) =>
    void response.writeHead(status).end(JSON.stringify(body(operationId)));

interface Receiver {
  readonly applies: boolean;
  readonly lie: Lie;
  /** Whether it is given up after a time. */
  readonly hangs?: true;
}

const LIES: readonly (readonly [string, Receiver])[] = [
  ['has not applied what it says it has', { applies: false, lie: named(200) }],
  ['names another operation', { applies: true, lie: json(200, () => ({ operation_id: 'other' })) }],
  ['names no operation', { applies: true, lie: json(200, () => ({})) }],
  ['calls what it applied its own fault', { applies: true, lie: named(500) }],
  ['calls what it applied the fault of the request', { applies: true, lie: named(400) }],
  ['calls what it applied a conflict', { applies: true, lie: named(409) }],
  ['sends elsewhere', { applies: true, lie: (out) => void out.writeHead(307, AWAY).end() }],
  ['answers half', { applies: true, lie: half }],
  ['hangs up after it applied', { applies: true, lie: (out) => void out.socket?.destroy() }],
  ['hangs up before it applied', { applies: false, lie: (out) => void out.socket?.destroy() }],
  ['answers without end', { applies: true, lie: endless }],
  ['never answers', { applies: true, lie: () => undefined, hangs: true }],
];

/** What somebody does when nobody knows, or somebody believes to know, what became of it. */
const BETWEEN = ['nothing', 'revoked', 'expired'] as const;

test.each(LIES)(
  'a receiver that %s applies each approval once at most',
  async (_what, receiver) => {
    for (const between of BETWEEN) {
      const { url, operations, first } = await listening(receiver);
      let passedMs = 0;
      const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
      const { publications, kernel } = await world({ clock, graceMs: 50 });
      const by = httpPublisher({
        url: `${url}/releases`,
        statusUrl: (id) => `${url}/status/${id}`,
        fetch: globalThis.fetch,
        now: () => clock.now(),
      });
      const asked = request({ action: { publisher: by.name, target: by.target } });
      const tries = [
        () => publications.dispatch(scope, ONE, through(by)),
        () => publications.reconcile(scope, ONE, { publisher: by }),
        () => approved(publications, { asked: { ...asked, policy: 'another' } }),
      ];
      await approved(publications, { asked });
      const sending = publications.dispatch(
        scope,
        ONE,
        through(by, { timeoutMs: receiver.hangs === true ? 50 : 5000 }),
      );
      await first;
      if (between === 'revoked') {
        await expect(publications.revoke(scope, ONE, { reason: 'No.' })).rejects.toThrow();
      }
      await sending;
      if (between === 'expired') passedMs = 120_000;
      for (const again of tries) await again().catch(() => null);
      const known = await publications.list(scope, 'goal');
      // What is approved besides was intended after the first had ended, and was not sent.
      expect(known.filter(({ state }) => state !== 'approved')).toHaveLength(1);
      expect(operations).toEqual([known[0]?.operation?.operation_id]);
      expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
    }
  },
);

/** A receiver on this machine, and the operations that it was posted. */
async function listening({ applies, lie }: Receiver) {
  const operations: string[] = [];
  const applied = new Set<string>();
  const server = createServer((asked: IncomingMessage, response: ServerResponse) => {
    const id = asked.url?.split('/').at(-1) ?? '';
    if (asked.method === 'GET') {
      const state = applied.has(id) ? 'applied' : 'absent';
      response.end(JSON.stringify({ operation_id: id, state }));
      return;
    }
    const operationId = String(asked.headers['idempotency-key']);
    operations.push(operationId);
    asked.resume().on('end', () => {
      if (applies) applied.add(operationId);
      lie(response, operationId);
    });
  });
  const first = once(server, 'request');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { url: `http://127.0.0.1:${address.port}`, operations, first };
}

function named(status: number): Lie {
  return json(status, (operationId) => ({ operation_id: operationId }));
}

function half(response: ServerResponse, operationId: string): void {
  response.writeHead(200, { 'content-length': '1000' });
  response.write(`{"operation_id":"${operationId}`, () => response.socket?.destroy());
}

function endless(response: ServerResponse): void {
  response.writeHead(200);
  const more = (): boolean => response.write('x'.repeat(65_536));
  response.on('drain', more);
  more();
}

const AWAY = { location: '/elsewhere' };

import type { ScriptedFault } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { withServer } from '../exchange.ts';

const BUSY: ScriptedFault = { kind: 'status', status: 503 };
const replies = [{ content: 'done' }];

test.each<[string, ScriptedFault]>([
  ['a 429', { kind: 'status', status: 429 }],
  ['a 500', { kind: 'status', status: 500 }],
  ['a closed connection', { kind: 'reset' }],
  ['a cut body', { kind: 'cut-body' }],
])('tries again after %s and counts the requests (D-06a)', async (_what, fault) => {
  await withServer(
    { server: { replies, faults: { 1: fault } } },
    async ({ ask, server, clock }) => {
      expect(await ask()).toMatchObject({ kind: 'reply', attempts: 2, reply: { content: 'done' } });
      expect(server.requestCount).toBe(2);
      expect(server.requests[1]?.text).toBe(server.requests[0]?.text);
      expect(clock.delays).toEqual([500]);
    },
  );
});

test('doubles the wait, jitters half of it, and stops after the retries of the profile (D-06a)', async () => {
  const jitter = [0, 0.5, 0.999];
  await withServer(
    {
      server: { replies: [{ content: '', fault: BUSY }] },
      profile: { max_retries: 3 },
      client: { random: () => jitter.shift() ?? 0 },
    },
    async ({ ask, server, clock }) => {
      expect(await ask()).toMatchObject({ category: 'server_error', retryable: true });
      expect(server.requestCount).toBe(4);
      expect(clock.delays).toEqual([250, 750, 1999]);
    },
  );
});

test('sends one request when the profile allows no retries', async () => {
  await withServer(
    { server: { replies, faults: { 1: BUSY } }, profile: { max_retries: 0 } },
    async ({ ask, server }) => {
      expect(await ask()).toMatchObject({ category: 'server_error' });
      expect(server.requestCount).toBe(1);
    },
  );
});

test.each([
  ['seconds', '7', 7000],
  ['fractions of seconds', '1.5', 1500],
  // The clock of the test stands at 2026-01-01T00:00:00Z.
  ['an HTTP date', 'Thu, 01 Jan 2026 00:00:09 GMT', 9000],
  ['a date that is over', 'Wed, 31 Dec 2025 23:00:00 GMT', 500],
  ['less than the back-off', '0', 500],
  ['no sense', 'soon', 500],
  ['a negative number', '-5', 500],
])('waits as Retry-After says in %s (D-06a)', async (_what, retryAfter, waitMs) => {
  const fault: ScriptedFault = { kind: 'status', status: 429, retryAfter };
  await withServer(
    { server: { replies, faults: { 1: fault } } },
    async ({ ask, server, clock }) => {
      expect(await ask()).toMatchObject({ kind: 'reply', attempts: 2 });
      expect(clock.delays).toEqual([waitMs]);
      expect(server.requestCount).toBe(2);
    },
  );
});

test('does not wait when the wait would outlast the time of the exchange (D-06a)', async () => {
  const fault: ScriptedFault = { kind: 'status', status: 429, retryAfter: '120' };
  await withServer(
    { server: { replies, faults: { 1: fault } }, profile: { timeout_seconds: 120 } },
    async ({ ask, server, clock }) => {
      expect(await ask()).toMatchObject({ category: 'rate_limit', retryable: true, sent: true });
      expect(clock.delays).toEqual([]);
      expect(server.requestCount).toBe(1);
    },
  );
});

test('sends the same idempotency key with every request of an exchange', async () => {
  await withServer(
    { server: { replies, faults: { 1: BUSY } }, idempotencyKey: 'ünïcode/1' },
    async ({ ask, server }) => {
      await ask();
      const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual(['%C3%BCn%C3%AFcode%2F1', '%C3%BCn%C3%AFcode%2F1']);
    },
  );
});

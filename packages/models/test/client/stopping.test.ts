import { EventEmitter, once } from 'node:events';
import type { Clock } from '@millforge/contracts';
import { createModelClient } from '@millforge/models';
import type { ScriptedFault } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock, withServer } from '../exchange.ts';

const CANCELLED = {
  kind: 'failed',
  category: 'cancelled',
  message: 'The model call was cancelled.',
  retryable: false,
};

test('sends nothing when it is cancelled beforehand', async () => {
  await withServer({ server: { replies: [{ content: 'x' }] } }, async ({ ask, server, signal }) => {
    signal.abort();
    expect(await ask()).toEqual({ ...CANCELLED, sent: false });
    expect(server.requestCount).toBe(0);
  });
});

test.each<[string, () => string | Promise<string>]>([
  ['that comes at once', () => 'key-1234'],
  ['that never comes', () => new Promise(() => undefined)],
])('sends nothing when it is cancelled while it asks for a key %s', async (_what, key) => {
  const stop = new AbortController();
  let requests = 0;
  const client = createModelClient({
    profile: { ...profileOf('http://127.0.0.1:9/v1'), auth: { scheme: 'bearer' } },
    fetch() {
      requests += 1;
      return Promise.reject(new Error('Nothing may be sent.'));
    },
    clock: steppingClock(),
    apiKey() {
      stop.abort();
      return key();
    },
  });
  const request = { messages: [HELLO], tools: [] };
  const completion = await client.complete(request, { signal: stop.signal });
  expect(completion).toEqual({ ...CANCELLED, sent: false });
  expect(requests).toBe(0);
});

test('counts as cancelled when the answer comes at the same moment', async () => {
  const stop = new AbortController();
  const client = createModelClient({
    profile: profileOf('http://127.0.0.1:9/v1'),
    fetch: () => Promise.resolve(Response.json({ error: 'No.' }, { status: 400 })),
    clock: steppingClock(),
    // Asked while the answer is being understood.
    redactor: {
      text(text) {
        stop.abort();
        return text;
      },
      value: (value) => value,
    },
  });
  const request = { messages: [HELLO], tools: [] };
  const completion = await client.complete(request, { signal: stop.signal });
  expect(completion).toEqual({ ...CANCELLED, sent: true });
});

test.each<[string, ScriptedFault]>([
  ['while the server thinks', { kind: 'hang' }],
  ['in the middle of the body', { kind: 'stall-body' }],
])('closes the connection at once when it is cancelled %s', async (_when, fault) => {
  await withServer({ server: { replies: [{ content: 'x', fault }] } }, async (subject) => {
    const completion = subject.ask();
    await subject.server.arrived(1);
    subject.signal.abort();
    expect(await completion).toEqual({ ...CANCELLED, sent: true });
    await subject.server.abandoned(1);
    expect(subject.server.requestCount).toBe(1);
  });
});

test.each<[string, ScriptedFault]>([
  ['never answers', { kind: 'hang' }],
  ['stalls in the middle of the body', { kind: 'stall-body' }],
])(
  'gives up after the total time-out on a server that %s, and says it may be tried again (D-04)',
  async (_what, fault) => {
    await withServer({ server: { replies: [{ content: 'x', fault }] } }, async (subject) => {
      const completion = subject.ask();
      await subject.server.arrived(1);
      subject.clock.advance(300_000);
      expect(await completion).toMatchObject({ category: 'timeout', retryable: true, sent: true });
      await subject.server.abandoned(1);
      expect(subject.server.requestCount).toBe(1);
    });
  },
);

test('can be cancelled while it waits to try again', async () => {
  const fault: ScriptedFault = { kind: 'status', status: 429, retryAfter: '200' };
  await withServer({ server: { replies: [{ content: 'x', fault }] } }, async (subject) => {
    const stepping = steppingClock(60_000);
    const signal = new AbortController();
    const waits = new EventEmitter();
    const waiting = once(waits, 'retry');
    const clock: Clock = {
      now: () => stepping.now(),
      monotonicMs: () => stepping.monotonicMs(),
      delay(ms, stop) {
        if (ms === 200_000) waits.emit('retry');
        return stepping.delay(ms, stop);
      },
    };
    const client = createModelClient({ profile: profileOf(subject.server.url), fetch, clock });
    const request = { messages: [HELLO], tools: [] };
    const completion = client.complete(request, { signal: signal.signal });
    await waiting;
    signal.abort();
    expect(await completion).toEqual({ ...CANCELLED, sent: true });
    expect(subject.server.requestCount).toBe(1);
  });
});

test('ends also when fetch ignores its signal', async () => {
  const clock = steppingClock();
  const client = createModelClient({
    profile: profileOf('http://127.0.0.1:9/v1'),
    fetch: () => new Promise(() => undefined),
    clock,
  });
  const completion = client.complete(
    { messages: [HELLO], tools: [] },
    { signal: new AbortController().signal },
  );
  clock.advance(300_000);
  expect(await completion).toMatchObject({ category: 'timeout', retryable: true });
});

test('leaves no timer and no listener behind', async () => {
  await withServer({ server: { replies: [{ content: 'x' }] } }, async (subject) => {
    let listeners = 0;
    const { signal } = subject.signal;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    expect(await subject.ask()).toMatchObject({ kind: 'reply' });
    expect(listeners).toBe(0);
    expect(subject.clock.pending()).toBe(0);
  });
});

import { createRedactor } from '@millforge/contracts';
import type { ScriptedFault } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { withServer } from '../exchange.ts';

const KEY = 'plain+key/that=looks like nothing';
const replies = [{ content: 'x' }];
const bearer = { auth: { scheme: 'bearer' } } as const;

test('sends the key as a bearer token, without the white space around it', async () => {
  await withServer(
    {
      server: { replies },
      profile: bearer,
      client: { apiKey: () => Promise.resolve(` ${KEY}\n`) },
    },
    async ({ ask, server }) => {
      expect(await ask()).toMatchObject({ kind: 'reply' });
      expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${KEY}`);
    },
  );
});

test('sends the key in the header that the profile names', async () => {
  await withServer(
    {
      server: { replies },
      profile: { auth: { scheme: 'header', header: 'X-Api-Key' } },
      client: { apiKey: () => KEY },
    },
    async ({ ask, server }) => {
      expect(await ask()).toMatchObject({ kind: 'reply' });
      expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': KEY });
      expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    },
  );
});

test('neither asks for nor sends a key with scheme none', async () => {
  let asked = 0;
  const apiKey = () => {
    asked += 1;
    return KEY;
  };
  await withServer({ server: { replies }, client: { apiKey } }, async ({ ask, server }) => {
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(asked).toBe(0);
    expect(JSON.stringify(server.requests)).not.toContain(KEY);
  });
});

test('needs no key for a server that wants none (D-09)', async () => {
  await withServer({ server: { replies }, profile: bearer }, async ({ ask, server }) => {
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

test.each<[string, () => string]>([
  ['is empty', () => ' \n'],
  ['has a line break in it', () => 'two\nlines'],
  ['is not ASCII', () => 'schlüssel'],
  [
    'cannot be read',
    () => {
      throw new Error(`the store holds ${KEY}`);
    },
  ],
])('sends nothing when the key %s', async (_what, apiKey) => {
  await withServer(
    { server: { replies }, profile: bearer, client: { apiKey } },
    async ({ ask, server }) => {
      const completion = await ask();
      expect(completion).toMatchObject({
        category: 'authentication',
        sent: false,
        retryable: false,
        message: expect.stringContaining('test.model'),
      });
      expect(JSON.stringify(completion)).not.toContain(KEY);
      expect(server.requestCount).toBe(0);
    },
  );
});

test.each<[string, ScriptedFault]>([
  ['message', { kind: 'status', status: 401, message: `Bad key ${KEY}!` }],
  ['long message', { kind: 'status', status: 401, message: `${'x'.repeat(230)} ${KEY} is bad` }],
  ['JSON form', { kind: 'status', status: 400, message: JSON.stringify({ KEY }) }],
  ['URL form', { kind: 'status', status: 400, message: `?k=${encodeURIComponent(KEY)}` }],
  ['base64 form', { kind: 'status', status: 400, message: btoa(KEY) }],
  ['request id', { kind: 'raw', status: 500, headers: { 'x-request-id': `r-${KEY}` }, body: '{}' }],
  ['redirect', { kind: 'redirect', location: `http://other.example/${KEY}` }],
])('removes the key from an error that repeats it in its %s (D-17)', async (_where, fault) => {
  await withServer(
    {
      server: { replies: [{ content: '', fault }] },
      profile: bearer,
      client: { apiKey: () => KEY },
    },
    async ({ ask }) => {
      const completion = await ask();
      expect(completion.kind).toBe('failed');
      const text = JSON.stringify(completion);
      for (const part of [KEY, KEY.slice(0, 9), encodeURIComponent(KEY), btoa(KEY).slice(0, 12)]) {
        expect(text).not.toContain(part);
      }
    },
  );
});

test('removes what looks like a key, and what the host wants removed (D-17)', async () => {
  const message =
    'Key sk-proj-abc_DEFG7hij2KLmnop4QRst of sk-ant-api03-abcdefgh1234 at tulip is bad.';
  const fault: ScriptedFault = { kind: 'status', status: 401, message };
  await withServer(
    {
      server: { replies: [{ content: '', fault }] },
      client: { redactor: createRedactor({ secrets: ['tulip'] }) },
    },
    async ({ ask }) => {
      const text = JSON.stringify(await ask());
      expect(text).not.toMatch(/abc_DEFG|KLmnop|abcdefgh|tulip/);
      expect(text).toContain('is bad.');
    },
  );
});

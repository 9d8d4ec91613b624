import { connect } from 'node:net';
import { logInToMcp } from '@millforge/connector-mcp';
import { expect, test } from 'vitest';
import type { AuthorizationServerOptions } from './authorization-server.ts';
import { logIn, loginWorld, transportOf } from './login-world.ts';
import { live, request } from './subject.ts';

const METADATA = '/.well-known/oauth-authorization-server';
const BRIEF = { connectTimeoutMs: 200 };

test.each([METADATA, '/register', '/token'])(
  'an authorization server that drips at %s ends the login, not the patience of a person',
  async (path) => {
    const at = await loginWorld({ at: { path, does: 'drips' } }, BRIEF);
    await expect(logIn(at)).rejects.toMatchObject({
      code: 'connector-mcp/login-failed',
      message: 'It cannot be logged in to: its authorization server does not answer in time.',
    });
    expect(at.store.text).toBeNull();
  },
);

test.each([METADATA, '/register', '/token'])(
  'an authorization server that floods at %s is cut off',
  async (path) => {
    const at = await loginWorld({ at: { path, does: 'floods' } });
    await expect(logIn(at)).rejects.toThrow('a response of more than 1048576 bytes');
    expect(at.store.text).toBeNull();
  },
);

test('an authorization server that sends a code on to another place is not followed', async () => {
  const at = await loginWorld({ at: { path: '/token', does: 'redirects' } });
  await expect(logIn(at)).rejects.toThrow('It redirects, which is not followed.');
  expect(at.store.text).toBeNull();
});

test('whoever stops a login stops it also while the authorization server is silent', async () => {
  const { service } = await loginWorld({ at: { path: METADATA, does: 'drips' } });
  const signal = AbortSignal.timeout(100);
  await expect(logInToMcp({ service, signal, onUrl() {} })).rejects.toMatchObject({
    code: 'connector-mcp/login-failed',
    message: 'Nobody logged in in time.',
  });
});

test.each(['authorization_endpoint', 'token_endpoint', 'registration_endpoint'])(
  'a server whose %s is that of another server gets no code of it',
  async (endpoint) => {
    const honest = await loginWorld();
    const path = endpoint === 'token_endpoint' ? 'token' : 'authorize';
    const at = await loginWorld({ metadata: { [endpoint]: `${honest.issuer.url}/${path}` } });
    const seen: string[] = [];
    const browse = (url: string): Promise<Response> => {
      seen.push(url);
      return fetch(url);
    };
    await expect(logIn(at, browse)).rejects.toThrow(honest.issuer.url);
    expect(seen.filter((url) => url.startsWith(honest.issuer.url))).toEqual([]);
    expect([...at.issuer.grants, ...honest.issuer.grants]).toEqual([]);
  },
);

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x'])(
  'nobody is asked to open %s',
  async (address) => {
    const at = await loginWorld({ metadata: { authorization_endpoint: address } });
    const seen: string[] = [];
    await expect(
      logIn(at, (url) => {
        seen.push(url);
        return fetch(url);
      }),
    ).rejects.toMatchObject({ code: 'connector-mcp/login-failed' });
    expect(seen).toEqual([]);
  },
);

test('an answer in the name of another issuer gives no token', async () => {
  const at = await loginWorld();
  const failure = logIn(at, async (url) => {
    const back = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
    return fetch(`${back}&iss=${encodeURIComponent('https://other.example')}`);
  });
  await expect(failure).rejects.toMatchObject({ code: 'connector-mcp/login-failed' });
  expect(at.issuer.grants).toEqual([]);
});

test.each(['//', 'http://[', '/callback?state=%', '*'])(
  'a request for %s at the place of the redirect ends neither login nor program',
  async (target) => {
    const at = await loginWorld();
    await logIn(at, async (url) => {
      const back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
      expect(await statusOf(Number(back.port), target)).toMatch(/^HTTP\/1\.1 400 /u);
      return fetch(url);
    });
    expect(at.store.text).not.toBeNull();
  },
);

test('a renewal at an authorization server that drips ends, and a later one is made anew', async () => {
  const misbehaviour: {
    -readonly [Key in keyof AuthorizationServerOptions]: AuthorizationServerOptions[Key];
  } = {};
  const world = await loginWorld(misbehaviour, BRIEF);
  await logIn(world);
  const transport = transportOf(world);
  await transport.call(request('echo', { text: 'before' }), live());
  world.issuer.expire();
  misbehaviour.at = { path: '/token', does: 'drips' };
  expect(await transport.call(request('echo', { text: 'x' }), live())).toMatchObject({
    kind: 'failed',
    message: 'Its authorization server cannot be asked for a new token.',
  });
  delete misbehaviour.at;
  const answer = await transport.call(request('echo', { text: 'seen' }), live());
  expect(answer).toMatchObject({ kind: 'answered', text: 'seen' });
});

/** First line of the answer to a request whose target is written as it is. */
function statusOf(port: number, target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`);
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.once('end', () => resolve(text.split('\r\n')[0] ?? ''));
    socket.once('error', reject);
  });
}

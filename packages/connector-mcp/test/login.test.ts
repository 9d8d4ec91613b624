import { expect, test } from 'vitest';
import { type LoginWorld, logIn, loginWorld, tokenIn, transportOf } from './login-world.ts';
import { live, request } from './subject.ts';

test('a login in a browser lets in, by code and proof, and the token goes to the service alone', async () => {
  const at = await loginWorld();
  await logIn(at);
  expect(at.issuer.grants).toEqual(['authorization_code']);
  const answer = await transportOf(at).call(request('echo', { text: 'seen' }), live());
  expect(answer).toMatchObject({ kind: 'answered', text: 'seen' });
  expect(at.server.tokens.at(-1)).toBe(`Bearer ${tokenIn(at.store)}`);
});

test('without a login nothing is sent, and that is what is told', async () => {
  const at = await loginWorld();
  const answer = await transportOf(at).call(request('echo', { text: 'seen' }), live());
  expect(answer).toEqual({
    kind: 'failed',
    reason: 'refused',
    sent: false,
    message: 'It wants a login, and there is none.',
  });
  expect(await transportOf(at).discover(live())).toMatchObject({ kind: 'failed', sent: false });
});

test('a token that expires in the middle is renewed once for all who call, and kept', async () => {
  const at = await loginWorld();
  await logIn(at);
  const transport = transportOf(at);
  await transport.call(request('echo', { text: 'before' }), live());
  const before = tokenIn(at.store);
  at.issuer.expire();
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((text) => transport.call(request('echo', { text }), live())),
  );
  expect(answers.map((one) => (one.kind === 'answered' ? one.text : one))).toEqual(['a', 'b', 'c']);
  expect(at.issuer.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1);
  expect(tokenIn(at.store)).not.toBe(before);
  expect(at.issuer.isGood(tokenIn(at.store))).toBe(true);
});

test('a token that another process renewed is taken, and not renewed again', async () => {
  const at = await loginWorld();
  await logIn(at);
  const [one, other] = [transportOf(at), transportOf(at)];
  await one.call(request('echo', { text: '' }), live());
  await other.call(request('echo', { text: '' }), live());
  at.issuer.expire();
  await one.call(request('echo', { text: '' }), live());
  const answer = await other.call(request('echo', { text: 'seen' }), live());
  expect(answer).toMatchObject({ kind: 'answered', text: 'seen' });
  expect(at.issuer.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1);
});

test('a login that was revoked ends in a call that was not sent, and a new one goes on', async () => {
  const at = await loginWorld();
  await logIn(at);
  const transport = transportOf(at);
  await transport.call(request('echo', { text: '' }), live());
  at.issuer.revoke();
  expect(await transport.call(request('echo', { text: 'x' }), live())).toEqual({
    kind: 'failed',
    reason: 'refused',
    sent: false,
    message: 'The login has ended; somebody has to log in again.',
  });
  await logIn(at);
  const answer = await transport.call(request('echo', { text: 'seen' }), live());
  expect(answer).toMatchObject({ kind: 'answered', text: 'seen' });
});

test('words of the server come without the token that it was given', async () => {
  const at = await loginWorld();
  await logIn(at);
  const token = tokenIn(at.store);
  const answer = await transportOf(at).call(request('echo', { text: `is it ${token}` }), live());
  expect(answer).toMatchObject({ kind: 'answered', text: 'is it **redacted**' });
});

test('a login that is not given ends with the reason, and nothing is kept', async () => {
  const at = await loginWorld({ denies: true });
  await expect(logIn(at)).rejects.toMatchObject({
    code: 'connector-mcp/login-failed',
    message: 'Access was not given (access_denied).',
  });
  expect(at.store.text).toBeNull();
});

test('an authorization server that the operator did not name is not asked', async () => {
  const at = await loginWorld();
  const service = { ...at.service, login: { store: at.store } };
  const failure = logIn({ service } as LoginWorld);
  await expect(failure).rejects.toMatchObject({ code: 'connector-mcp/login-failed' });
  await expect(failure).rejects.toThrow(`another origin, ${at.issuer.url}`);
  expect(at.issuer.grants).toEqual([]);
});

test('a redirect without the state of this login does not end it', async () => {
  const at = await loginWorld();
  await logIn(at, async (url) => {
    const back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
    back.search = '?code=stolen&state=guessed';
    expect((await fetch(back)).status).toBe(400);
    return fetch(url);
  });
  expect(at.issuer.isGood(tokenIn(at.store))).toBe(true);
});

test('a login of another service is none', async () => {
  const [at, other] = [await loginWorld(), await loginWorld()];
  await logIn(other);
  at.store.text = other.store.text;
  const answer = await transportOf(at).call(request('echo', { text: 'x' }), live());
  expect(answer).toMatchObject({ kind: 'failed', sent: false });
  expect(at.server.tokens.every((token) => token === undefined)).toBe(true);
});

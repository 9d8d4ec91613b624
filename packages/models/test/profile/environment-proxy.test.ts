import { environmentProxy, readModelProfile } from '@millforge/models';
import { expect, test } from 'vitest';

const SERVER = 'https://models.example:8443/v1';
const PROXY = 'http://ann:secret@proxy.example:3128';

test.each([
  ['https_proxy', { https_proxy: PROXY }, SERVER, 'https_proxy'],
  ['the same in capitals', { HTTPS_PROXY: PROXY }, SERVER, 'HTTPS_PROXY'],
  ['small letters first', { https_proxy: PROXY, HTTPS_PROXY: 'x' }, SERVER, 'https_proxy'],
  [
    'all_proxy, where no other is named,',
    { all_proxy: PROXY, http_proxy: 'x' },
    SERVER,
    'all_proxy',
  ],
  ['the same for all in capitals', { ALL_PROXY: PROXY, https_proxy: '' }, SERVER, 'ALL_PROXY'],
  ['http_proxy', { http_proxy: PROXY, all_proxy: 'x' }, 'http://models.example/v1', 'http_proxy'],
] as const)('%s names the proxy of a server', (...row) => {
  const [, env, server, variable] = row;
  expect(environmentProxy(server, env)).toEqual({ url: PROXY, variable });
});

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
])('%s names none', (_, https_proxy) => {
  expect(environmentProxy(SERVER, { https_proxy })).toBeNull();
});

test('this machine is never behind a proxy', () => {
  const env = { http_proxy: PROXY, https_proxy: PROXY };
  for (const host of ['127.0.0.1', '[::1]', 'localhost'])
    expect(environmentProxy(`http://${host}:11434/v1`, env)).toBeNull();
});

test.each([
  ['a host', 'models.example', true],
  ['all below a host', 'example', true],
  ['all below a host, with a dot', '.example', true],
  ['all below a host, with a star', '*.example', true],
  ['all', '*', true],
  ['a host with its port', 'models.example:8443', true],
  ['one of several', 'other.test, models.example', true],
  ['one of several, between spaces', 'other.test models.example', true],
  ['capitals', 'MODELS.example', true],
  ['another port', 'models.example:443', false],
  ['another host', 'els.example', false],
  ['a range of addresses', '10.0.0.0/8', false],
  ['nothing', ' , ', false],
])('an exception that is %s: %j', (_, no_proxy, isExcepted) => {
  const env = { https_proxy: PROXY, no_proxy };
  expect(environmentProxy(SERVER, env) === null).toBe(isExcepted);
});

test('addresses of IPv6 are excepted bare, and in brackets with a port', () => {
  const excepted = ['fe80::1', '[fe80::1]:8443', '[fe80::1]:443'].map(
    (NO_PROXY) =>
      environmentProxy('https://[fe80::1]:8443/v1', { https_proxy: PROXY, NO_PROXY }) === null,
  );
  expect(excepted).toEqual([true, true, false]);
});

test('a name without a scheme is read as others read it, and what is no proxy is said to be none', () => {
  expect(environmentProxy(SERVER, { https_proxy: 'proxy.example:3128' })).toEqual({
    url: 'http://proxy.example:3128',
    variable: 'https_proxy',
  });
  for (const wrong of [
    'socks5://proxy.example',
    'socks5h://ann:pw@127.0.0.1:1080',
    'http://',
    'a b',
  ])
    for (const variable of ['https_proxy', 'ALL_PROXY'])
      expect(environmentProxy(SERVER, { [variable]: wrong })).toEqual({ url: null, variable });
});

test('a profile leaves its proxy to the environment by that word', () => {
  const profile = { profile_id: 'a.b', base_url: SERVER, model: 'm' };
  expect(readModelProfile({ ...profile, proxy: 'environment' })).toMatchObject({ ok: true });
  expect(readModelProfile({ ...profile, proxy: 'env' })).toMatchObject({ ok: false });
});

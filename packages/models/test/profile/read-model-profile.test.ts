import { type ModelProfile, readModelProfile } from '@millforge/models';
import { expect, test } from 'vitest';

const SMALL = { profile_id: 'local.small', base_url: 'http://127.0.0.1:8080/v1', model: 'm' };

const WHOLE: Required<ModelProfile> = {
  profile_id: 'docs.profile.small',
  base_url: 'https://models.example/v1',
  model: 'org/model:7b',
  dialect: 'openai-chat',
  tool_schemas: 'grammar',
  stream: true,
  idle_timeout_seconds: 30,
  capabilities: {
    tool_calls: 'supported',
    tool_choice: 'unsupported',
    parallel_tool_calls: 'unknown',
    max_output_tokens: 'unknown',
    structured_output: 'supported',
  },
  auth: { scheme: 'header', header: 'x-api-key' },
  api_key_env: 'MODEL_KEY',
  credential: 'models.example',
  proxy: 'http://proxy.example:3128',
  allow_insecure_http: false,
  timeout_seconds: 600,
  max_retries: 0,
  max_output_tokens: 4096,
  max_output_tokens_field: 'max_completion_tokens',
  reasoning_replay_field: 'reasoning',
  sampling: {
    temperature: 0,
    top_p: 1,
    presence_penalty: -2,
    frequency_penalty: 2,
    seed: -1,
    stop: ['END'],
  },
  parallel_tool_calls: true,
  headers: { 'X-Title': 'millforge' },
  extra_body: { reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: false } },
};

test('reads the smallest profile and one with every field', () => {
  expect(readModelProfile(SMALL)).toEqual({ ok: true, profile: SMALL });
  expect(readModelProfile(WHOLE)).toEqual({ ok: true, profile: WHOLE });
});

test('gives a frozen copy, with the base URL in normal form', () => {
  const source = { ...SMALL, base_url: 'HTTP://LocalHost:8080/v1//', headers: { a: 'b' } };
  const read = readModelProfile(source);
  expect(read).toMatchObject({ ok: true, profile: { base_url: 'http://localhost:8080/v1' } });
  if (!read.ok) return;
  expect(Object.isFrozen(read.profile.headers)).toBe(true);
  expect(Object.isFrozen(source.headers)).toBe(false);
});

test.each<[unknown, readonly string[]]>([
  [null, ['/']],
  ['x', ['/']],
  [[], ['/']],
  [{}, ['/', '/', '/']],
  [{ ...SMALL, profile_id: 'Not Dotted' }, ['/profile_id']],
  [{ ...SMALL, model: 'two words' }, ['/model']],
  [{ ...SMALL, base_url: 7, modle: 'm', api_key: 'sk-x' }, ['/base_url', '/modle', '/api_key']],
  [{ ...SMALL, auth: { scheme: 'basic' } }, ['/auth/scheme']],
  [{ ...SMALL, auth: { scheme: 'header' } }, ['/auth']],
  [{ ...SMALL, auth: { scheme: 'bearer', header: 'x' } }, ['/auth/header']],
  [{ ...SMALL, auth: { scheme: 'header', header: 'Host' } }, ['/auth/header']],
  [{ ...SMALL, auth: { scheme: 'header', header: 'a b' } }, ['/auth/header']],
  [{ ...SMALL, api_key_env: 'KEY' }, ['/api_key_env']],
  [{ ...SMALL, api_key_env: 'A-B', auth: { scheme: 'bearer' } }, ['/api_key_env']],
  [{ ...SMALL, credential: 'a/b', auth: { scheme: 'bearer' } }, ['/credential']],
  [{ ...SMALL, proxy: 'http://user:pass@proxy.example' }, ['/proxy']],
  [{ ...SMALL, proxy: 'socks5://proxy.example' }, ['/proxy']],
  [{ ...SMALL, timeout_seconds: 0 }, ['/timeout_seconds']],
  [{ ...SMALL, timeout_seconds: Number.NaN }, ['/timeout_seconds']],
  [{ ...SMALL, max_retries: 1.5 }, ['/max_retries']],
  [{ ...SMALL, max_output_tokens: 0 }, ['/max_output_tokens']],
  [{ ...SMALL, max_output_tokens_field: 'tokens' }, ['/max_output_tokens_field']],
  [
    { ...SMALL, sampling: { temperature: 3, stop: [] } },
    ['/sampling/temperature', '/sampling/stop'],
  ],
  [{ ...SMALL, sampling: { stop: ['a', ''] } }, ['/sampling/stop/1']],
  [{ ...SMALL, parallel_tool_calls: 'no' }, ['/parallel_tool_calls']],
  [{ ...SMALL, dialect: 'gemini' }, ['/dialect']],
  [{ ...SMALL, stream: 1 }, ['/stream']],
  [{ ...SMALL, idle_timeout_seconds: 5 }, ['/idle_timeout_seconds']],
  [{ ...SMALL, capabilities: { vision: 'supported' } }, ['/capabilities/vision']],
  [{ ...SMALL, capabilities: { tool_calls: true } }, ['/capabilities/tool_calls']],
  [
    { ...SMALL, dialect: 'anthropic-messages', sampling: { seed: 1, presence_penalty: 1 } },
    ['/sampling/presence_penalty', '/sampling/seed'],
  ],
  [
    { ...SMALL, dialect: 'anthropic-messages', max_output_tokens_field: 'max_tokens' },
    ['/max_output_tokens_field'],
  ],
  [{ ...SMALL, headers: { Authorization: 'x' } }, ['/headers/Authorization']],
  [{ ...SMALL, headers: { 'X-Api-Key': 'x' } }, ['/headers/X-Api-Key']],
  [{ ...SMALL, headers: { 'a/b~': 'x' } }, ['/headers/a~1b~0']],
  [{ ...SMALL, headers: { a: 'x\r\ny: z' } }, ['/headers/a']],
  [{ ...SMALL, headers: { a: 'x', A: 'y' } }, ['/headers']],
  [{ ...SMALL, extra_body: { model: 'other' } }, ['/extra_body/model']],
  [{ ...SMALL, extra_body: { n: 2, f: () => 1 } }, ['/extra_body/n', '/extra_body/f']],
  [{ ...SMALL, extra_body: JSON.parse('{"__proto__":{"a":1}}') }, ['/extra_body/__proto__']],
])('refuses %j and says where it is wrong', (value, paths) => {
  const read = readModelProfile(value);
  if (read.ok) throw new Error('The profile was accepted.');
  expect(read.problems.map(({ path }) => path)).toEqual(paths);
  for (const { message } of read.problems) expect(message).toMatch(/^[A-Z"].*\.$/);
});

test.each([
  'http://localhost/v1',
  'http://127.8.9.1:1/v1',
  'http://[::1]:8080/v1',
  'https://models.example',
  'models.example/v1',
])('accepts the base URL %s', (base_url) => {
  expect(readModelProfile({ ...SMALL, base_url })).toMatchObject({ ok: true });
});

test.each([
  '',
  'not a url',
  'ftp://127.0.0.1/v1',
  'http://203.0.113.7/v1',
  'http://localhost.example/v1',
  'http://0.0.0.0/v1',
  'https://user:pass@models.example/v1',
  'https://models.example/v1?key=x',
  'https://models.example/v1?',
  'https://models.example/v1#m',
  'https://models.example/v1/chat/completions/',
  'https://models.example/v1/messages',
  'https://models.example\\@evil.example/v1',
])('refuses the base URL %j', (base_url) => {
  const read = readModelProfile({ ...SMALL, base_url });
  expect(read).toMatchObject({ ok: false, problems: [{ path: '/base_url' }] });
});

test('accepts plain http to another machine only when the profile says so', () => {
  const base_url = 'http://192.0.2.7:8080/v1';
  expect(readModelProfile({ ...SMALL, base_url })).toMatchObject({ ok: false });
  expect(readModelProfile({ ...SMALL, base_url, allow_insecure_http: true })).toMatchObject({
    ok: true,
  });
});

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@millforge/contracts';
import { createModelClient, readModelProfile } from '@millforge/models';
import { createNodeFetch } from '@millforge/models/node';
import { expect, test } from 'vitest';

/**
 * One request to a real server, on demand: `MILLFORGE_LIVE_MODEL_BACKEND_SMOKE=1` with
 * `MILLFORGE_LIVE_MODEL_BASE_URL` and `MILLFORGE_LIVE_MODEL_ID`. A server that wants a key is given
 * `MILLFORGE_LIVE_MODEL_SECRET_ENV_VAR`, the name of the variable that holds it. Further:
 * `…_PROFILE_ID`, `…_AUTH_SCHEME` (`bearer`, `header` or `none`), `…_AUTH_HEADER`, `…_DIALECT`, `…_STREAM` (`1`),
 * `…_TIMEOUT_SECONDS` (20), `…_MAX_OUTPUT_TOKENS` (16).
 */
const given = (name: string): string | undefined => process.env[`MILLFORGE_LIVE_MODEL_${name}`];

const baseUrl = given('BASE_URL');
const model = given('ID');
const secretVariable = given('SECRET_ENV_VAR');
const isWanted =
  given('BACKEND_SMOKE') === '1' &&
  baseUrl !== undefined &&
  model !== undefined &&
  (secretVariable === undefined || (process.env[secretVariable] ?? '') !== '');

const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => setTimeout(ms, undefined, signal === undefined ? {} : { signal }),
};

function authOf(): object {
  if (secretVariable === undefined) return {};
  const scheme = given('AUTH_SCHEME') ?? 'bearer';
  const header = given('AUTH_HEADER');
  const auth = header === undefined ? { scheme } : { scheme, header };
  return { auth, api_key_env: secretVariable };
}

test.runIf(isWanted)('a live server answers one message', { timeout: 120_000 }, async () => {
  const read = readModelProfile({
    profile_id: given('PROFILE_ID') ?? 'live.model',
    base_url: baseUrl,
    model,
    timeout_seconds: Number(given('TIMEOUT_SECONDS') ?? 20),
    max_output_tokens: Number(given('MAX_OUTPUT_TOKENS') ?? 16),
    ...(given('DIALECT') === undefined ? {} : { dialect: given('DIALECT') }),
    ...(given('STREAM') === '1' ? { stream: true } : {}),
    ...authOf(),
  });
  if (!read.ok) throw new Error(read.problems[0]?.message);
  await using http = createNodeFetch();
  const client = createModelClient({
    profile: read.profile,
    fetch: http.fetch,
    clock,
    apiKey: () => process.env[secretVariable ?? ''] ?? '',
  });
  const began = performance.now();
  const completion = await client.complete(
    { messages: [{ role: 'user', content: 'Say hello.' }], tools: [] },
    { signal: new AbortController().signal },
  );
  if (completion.kind === 'failed') throw new Error(completion.message);
  const { provider_model, finish_reason, usage } = completion.reply;
  // Only what says nothing of the conversation or the key.
  const latencyMs = Math.round(performance.now() - began);
  process.stdout.write(
    `${JSON.stringify({ model, provider_model, finish_reason, usage, latencyMs })}\n`,
  );
  expect(['stop', 'length', 'tool_calls', 'content_filter', 'unknown']).toContain(finish_reason);
});

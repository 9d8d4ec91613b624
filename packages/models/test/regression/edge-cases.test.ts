import type { ModelMessage, ModelRequestOptions, ModelTool } from '@millforge/contracts';
import { createModelClient, type ModelProfile, readModelProfile } from '@millforge/models';
import { type ScriptedFault, startScriptedServer } from '@millforge/models/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { HELLO, profileOf, steppingClock, withServer } from '../exchange.ts';

const READ: ModelTool = {
  name: 'read_note',
  description: 'Reads a note.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    properties: { id: { type: 'integer' } },
    required: ['id'],
  },
};

afterEach(() => {
  vi.unstubAllEnvs();
});

/** What a server is sent for one request, and what comes of it. */
async function exchange(
  profile: Partial<ModelProfile> = {},
  request: {
    readonly messages?: readonly ModelMessage[];
    readonly options?: ModelRequestOptions;
    readonly fault?: ScriptedFault;
  } = {},
) {
  const { messages = [HELLO], options, fault } = request;
  const reply = { content: 'Hi', ...(fault === undefined ? {} : { fault }) };
  await using server = await startScriptedServer({ replies: [reply] });
  const client = createModelClient({
    profile: { ...profileOf(server.url), max_retries: 0, ...profile },
    fetch,
    clock: steppingClock(),
  });
  const completion = await client.complete(
    { messages, tools: [READ], ...(options === undefined ? {} : { options }) },
    { signal: new AbortController().signal },
  );
  const [sent] = server.requests;
  return { completion, body: sent?.body ?? null, headers: sent?.headers, server };
}

const CALL =
  '<tool_call>\n<function=read_note>\n<parameter=id>\n7\n</parameter>\n</function>\n</tool_call>';

test.each([
  `Failed to parse input at pos 12: ${CALL}`,
  `The output does not match the template: ${CALL} (see the log)`,
])('calls that a server could not parse and repeats are a reply: %j (GE-11)', async (message) => {
  const { completion } = await exchange({}, { fault: { kind: 'status', status: 500, message } });
  expect(completion).toMatchObject({ kind: 'reply', attempts: 1, reply: { content: CALL } });
});

test('what was cut inside a repeated call stays cut, for the guard to judge (GE-11)', async () => {
  const message = 'Failed to parse input: <function=read_note>\n<parameter=id>\n7';
  const { completion } = await exchange({}, { fault: { kind: 'status', status: 500, message } });
  expect(completion).toMatchObject({
    reply: { content: '<function=read_note>\n<parameter=id>\n7' },
  });
});

test.each([
  [500, 'the tool_call could not be parsed'],
  [400, CALL],
  [502, CALL],
])('any other error is one and no words of the model: %d %j (GE-11, GE-24)', async (...row) => {
  const [status, message] = row;
  const { completion } = await exchange({}, { fault: { kind: 'status', status, message } });
  expect(completion.kind).toBe('failed');
});

test('a failure repeats neither the conversation nor a body that is no error (GE-12)', async () => {
  const bodies = [
    JSON.stringify({ error: { message: `Cannot read ${HELLO.content}` } }),
    JSON.stringify({ prompt: HELLO.content, trace: ['plover'] }),
    `<html>${HELLO.content}</html>`,
  ];
  for (const body of bodies) {
    const { completion } = await exchange({}, { fault: { kind: 'raw', status: 500, body } });
    expect(completion).toMatchObject({ kind: 'failed', category: 'server_error' });
    expect(JSON.stringify(completion)).not.toContain('plover');
  }
});

test('reasoning that is no text is left out, and the reply stands (GE-17)', async () => {
  const body = JSON.stringify({ choices: [{ message: { content: 'Hi', reasoning: [7] } }] });
  const headers = { 'content-type': 'application/json' };
  const { completion } = await exchange({}, { fault: { kind: 'raw', headers, body } });
  expect(completion).toMatchObject({ reply: { content: 'Hi', reasoning: null } });
});

test.each<[object, ModelRequestOptions['tool_choice'], object]>([
  [{ type: 'enabled', budget_tokens: 1024 }, 'required', { type: 'auto' }],
  [{ type: 'adaptive' }, { name: 'read_note' }, { type: 'auto' }],
  [{ type: 'disabled' }, 'required', { type: 'any' }],
])('a choice is not forced on a model that thinks: %j (GE-20)', async (...row) => {
  const [thinking, tool_choice = 'auto', expected] = row;
  const { body } = await exchange(
    {
      dialect: 'anthropic-messages',
      capabilities: { tool_choice: 'supported' },
      extra_body: JSON.parse(JSON.stringify({ thinking })),
    },
    { options: { tool_choice } },
  );
  expect(body).toMatchObject({ thinking, tool_choice: expected });
});

const TWO_SYSTEMS: readonly ModelMessage[] = [
  { role: 'user', content: 'One.' },
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Two.' },
  { role: 'system', content: 'Be kind.' },
];

test('neighbours of one role become one turn only where the API wants turns (GE-25)', async () => {
  const messages = TWO_SYSTEMS.filter(({ role }) => role === 'user');
  const chat = await exchange({}, { messages });
  expect(chat.body).toMatchObject({ messages });
  const turns = await exchange({ dialect: 'anthropic-messages' }, { messages });
  expect(turns.body).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      },
    ],
  });
});

test('system messages in any place are one text where the API has one place for them (GE-27)', async () => {
  const { body } = await exchange({ dialect: 'anthropic-messages' }, { messages: TWO_SYSTEMS });
  expect(body).toMatchObject({ system: 'Be brief.\n\nBe kind.', messages: [{ role: 'user' }] });
});

test.each(['small:1b', 'qwen2.5-coder:7b-instruct.q4_K_M', 'models/llama-3.1.gguf'])(
  'the model of the profile is asked for, dots and all, and no server is asked for another: %s (GE-28, GE-29)',
  async (model) => {
    const { body, server } = await exchange({ model });
    expect(body).toMatchObject({ model });
    expect(server.requestCount).toBe(1);
  },
);

test('a server that wants no key gets none (GE-34)', async () => {
  const { completion, headers } = await exchange();
  expect(completion.kind).toBe('reply');
  expect(headers).not.toHaveProperty('authorization');
});

test.each([' ', '\t\n', 'Bearer', 'bearer ', 'Bearer k'])(
  '%j is no key (GE-36)',
  async (apiKey) => {
    await withServer(
      {
        server: { replies: [{ content: 'Hi' }] },
        profile: { auth: { scheme: 'bearer' } },
        client: { apiKey: () => apiKey },
      },
      async ({ ask, server }) => {
        expect(await ask()).toMatchObject({ category: 'authentication', sent: false });
        expect(server.requestCount).toBe(0);
      },
    );
  },
);

test('a key that lies about in the environment is sent to nobody (GE-38)', async () => {
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY']) vi.stubEnv(name, 'sk-ambient-0123');
  for (const dialect of ['openai-chat', 'anthropic-messages'] as const) {
    const { headers } = await exchange({ dialect });
    expect(JSON.stringify(headers)).not.toContain('sk-ambient');
  }
});

test('no header of the profile carries a second key, in whatever case (GE-40)', () => {
  for (const name of ['Authorization', 'AUTHORIZATION', 'X-Api-Key', 'x-API-key']) {
    const profile = { ...profileOf('http://127.0.0.1:1/v1'), headers: { [name]: 'x' } };
    expect(readModelProfile(profile)).toMatchObject({ ok: false });
  }
});

test('options of a stream go only with a stream (GE-42)', async () => {
  expect((await exchange()).body).not.toHaveProperty('stream_options');
  expect((await exchange({ stream: true })).body).toHaveProperty('stream_options');
});

test('a slow model has as long as its profile says, and then it is said (GE-43, GE-54)', async () => {
  const fault: ScriptedFault = { kind: 'hang' };
  const setup = {
    server: { replies: [{ content: 'Hi', fault }] },
    profile: { timeout_seconds: 1200 },
  };
  await withServer(setup, async ({ ask, server, clock }) => {
    let isOver = false;
    const asked = ask().finally(() => {
      isOver = true;
    });
    await server.arrived(1);
    clock.advance(1_199_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    clock.advance(1000);
    const completion = await asked;
    expect(completion).toMatchObject({ category: 'timeout' });
    expect(JSON.stringify(completion)).toContain('1200');
  });
});

test.each([
  ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['https://models.example/team/a/v1/', 'https://models.example/team/a/v1'],
])('a base URL has one form: %s (GE-45)', (base_url, normal) => {
  const read = readModelProfile({ ...profileOf('http://127.0.0.1:1/v1'), base_url });
  expect(read).toMatchObject({ ok: true, profile: { base_url: normal } });
});

test('settings that contradict each other are refused before anything is sent (GE-49)', () => {
  let sent = 0;
  const profile = { ...profileOf('http://127.0.0.1:1/v1'), idle_timeout_seconds: 5 };
  const make = () =>
    createModelClient({
      profile,
      clock: steppingClock(),
      fetch: async () => {
        sent += 1;
        return new Response();
      },
    });
  expect(make).toThrow();
  expect(sent).toBe(0);
});

test('making a client contacts nobody (GE-51)', async () => {
  await using server = await startScriptedServer({ replies: [] });
  createModelClient({ profile: profileOf(server.url), fetch, clock: steppingClock() });
  await new Promise((resolve) => setImmediate(resolve));
  expect(server.requestCount).toBe(0);
});

test.each([
  { prompt_tokens: 10, completion_tokens: 5 },
  { input_tokens: 10, output_tokens: 5 },
])('tokens are counted under every name that servers give them: %j (GE-55)', async (usage) => {
  const body = JSON.stringify({ choices: [{ message: { content: 'Hi' } }], usage });
  const headers = { 'content-type': 'application/json' };
  const { completion } = await exchange({}, { fault: { kind: 'raw', headers, body } });
  expect(completion).toMatchObject({ reply: { usage: { input_tokens: 10, output_tokens: 5 } } });
});

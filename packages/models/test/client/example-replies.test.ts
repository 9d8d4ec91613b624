import { createModelClient, type ModelProfile } from '@millforge/models';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock } from '../exchange.ts';

/** A reply composed after the documentation of a server: its form, with values of our own. */
interface Example {
  readonly server: string;
  readonly page: string;
  readonly dialect?: ModelProfile['dialect'];
  readonly body: object;
  readonly reply: object;
}

const CALL = { id: 'call_a1', name: 'find_order', arguments: '{"order": "0010", "open": true}' };
const wireCall = {
  id: CALL.id,
  type: 'function',
  function: { name: CALL.name, arguments: CALL.arguments },
};
const USAGE = { prompt_tokens: 90, completion_tokens: 20, total_tokens: 110 };

const EXAMPLES: readonly Example[] = [
  {
    server: 'OpenAI, a call with token details',
    page: 'https://platform.openai.com/docs/api-reference/chat/object',
    body: {
      id: 'chatcmpl-a1',
      object: 'chat.completion',
      created: 1700000000,
      model: 'gpt-x-2026-01-01',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [wireCall],
            refusal: null,
            annotations: [],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        ...USAGE,
        prompt_tokens_details: { cached_tokens: 64, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 12, accepted_prediction_tokens: 0 },
      },
      service_tier: 'default',
      system_fingerprint: 'fp_a1',
    },
    reply: {
      content: null,
      tool_calls: [CALL],
      finish_reason: 'tool_calls',
      usage: { input_tokens: 90, output_tokens: 20 },
      provider_model: 'gpt-x-2026-01-01',
    },
  },
  {
    server: 'OpenAI, a refusal',
    page: 'https://platform.openai.com/docs/guides/structured-outputs',
    body: {
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, refusal: 'I cannot help with that.' },
          finish_reason: 'stop',
        },
      ],
    },
    reply: { content: 'I cannot help with that.', tool_calls: [], finish_reason: 'stop' },
  },
  {
    server: 'vLLM, reasoning under its present name',
    page: 'https://docs.vllm.ai/en/stable/features/reasoning_outputs/',
    body: {
      id: 'chatcmpl-a2',
      object: 'chat.completion',
      model: 'org/model-8b',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: '\n\n',
            reasoning: 'The order has to be found first.',
            tool_calls: [wireCall],
            function_call: null,
            audio: null,
          },
          logprobs: null,
          finish_reason: 'tool_calls',
          stop_reason: null,
        },
      ],
      usage: { ...USAGE, prompt_tokens_details: null },
      prompt_logprobs: null,
      kv_transfer_params: null,
    },
    reply: {
      content: null,
      reasoning: 'The order has to be found first.',
      tool_calls: [CALL],
    },
  },
  {
    server: 'vLLM, reasoning under its former name',
    page: 'https://docs.vllm.ai/en/v0.8.3/features/reasoning_outputs.html',
    body: {
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            reasoning_content: 'Compare the fractions.',
            content: '9.8 is greater.',
            tool_calls: [],
          },
          finish_reason: 'stop',
        },
      ],
    },
    reply: { content: '9.8 is greater.', reasoning: 'Compare the fractions.', tool_calls: [] },
  },
  {
    server: 'llama.cpp, a call without id and frame',
    page: 'https://github.com/ggml-org/llama.cpp/blob/master/docs/function-calling.md',
    body: {
      choices: [
        {
          finish_reason: 'tool',
          index: 0,
          message: {
            content: null,
            tool_calls: [{ name: CALL.name, arguments: CALL.arguments }],
            role: 'assistant',
          },
        },
      ],
      created: 1700000000,
      model: 'gpt-3.5-turbo',
      object: 'chat.completion',
      usage: USAGE,
      id: 'chatcmpl-a3',
    },
    reply: {
      tool_calls: [{ id: 'call00001', name: CALL.name, arguments: CALL.arguments }],
      finish_reason: 'tool_calls',
    },
  },
  {
    server: 'llama.cpp, timings beside the reply',
    page: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    body: {
      choices: [
        {
          finish_reason: 'stop',
          index: 0,
          message: { role: 'assistant', content: 'Found.', reasoning_content: 'Look it up.' },
        },
      ],
      model: 'model.gguf',
      system_fingerprint: 'b1-a1',
      usage: USAGE,
      timings: { prompt_n: 90, prompt_ms: 12.5, predicted_n: 20, predicted_per_second: 41.25 },
    },
    reply: { content: 'Found.', reasoning: 'Look it up.', provider_model: 'model.gguf' },
  },
  {
    server: 'Ollama, its OpenAI-compatible API',
    page: 'https://docs.ollama.com/api/openai-compatibility',
    body: {
      id: 'chatcmpl-7',
      object: 'chat.completion',
      created: 1700000000,
      model: 'qwen3:8b',
      system_fingerprint: 'fp_ollama',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: '',
            reasoning: 'I need the order.',
            tool_calls: [{ ...wireCall, index: 0 }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: USAGE,
    },
    reply: { content: null, reasoning: 'I need the order.', tool_calls: [CALL] },
  },
  {
    server: 'LM Studio, a message without content',
    page: 'https://lmstudio.ai/docs/developer/openai-compat/tools',
    body: {
      id: 'chatcmpl-a4',
      object: 'chat.completion',
      created: 1700000000,
      model: 'lmstudio-community/model-7b',
      choices: [
        {
          index: 0,
          logprobs: null,
          finish_reason: 'tool_calls',
          message: { role: 'assistant', tool_calls: [{ ...wireCall, id: '365174485' }] },
        },
      ],
      usage: USAGE,
      stats: {},
      system_fingerprint: 'lmstudio-community/model-7b',
    },
    reply: { content: null, tool_calls: [{ ...CALL, id: '365174485' }] },
  },
  {
    server: 'Anthropic, text, thinking and a call',
    page: 'https://platform.claude.com/docs/en/api/messages',
    dialect: 'anthropic-messages',
    body: {
      id: 'msg_a1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [
        { type: 'thinking', thinking: 'The order first.', signature: 'c2ln' },
        { type: 'text', text: 'I will look it up.' },
        {
          type: 'tool_use',
          id: 'toolu_a1',
          name: 'find_order',
          input: { order: '0010', open: true },
        },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 80,
        output_tokens: 20,
      },
    },
    reply: {
      content: 'I will look it up.',
      reasoning: 'The order first.',
      tool_calls: [
        { id: 'toolu_a1', name: 'find_order', arguments: '{"order":"0010","open":true}' },
      ],
      finish_reason: 'tool_calls',
      usage: { input_tokens: 90, output_tokens: 20 },
      provider_model: 'claude-x',
    },
  },
];

test.each(EXAMPLES.map((example) => [example.server, example.page, example] as const))(
  'reads a reply of %s (%s)',
  async (_server, _page, { dialect = 'openai-chat', body, reply }) => {
    const client = createModelClient({
      profile: { ...profileOf('http://127.0.0.1:9/v1'), dialect },
      fetch: () => Promise.resolve(Response.json(body)),
      clock: steppingClock(),
    });
    const completion = await client.complete(
      { messages: [HELLO], tools: [] },
      { signal: new AbortController().signal },
    );
    expect(completion).toMatchObject({ kind: 'reply', reply });
  },
);

import type { ModelMessage } from '@millforge/contracts';
import { createScriptedModel, type ModelScript, readModelScript } from '@millforge/models';
import { scriptedModel } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { HELLO, withServer } from '../exchange.ts';

const SCRIPT: ModelScript = {
  kind: 'model_script',
  schema_version: '1.0',
  replies: [
    {
      content: 'Reading.',
      tool_calls: [
        { name: 'read', arguments: { path: 'a' } },
        { name: 'read', arguments: '{"path":' },
      ],
      usage: { input_tokens: 3, output_tokens: 2 },
    },
    { content: ' ' },
  ],
};

const signal = new AbortController().signal;
const SPOKEN: ModelMessage = { role: 'assistant', content: 'x' };

test('answers by the number of assistant messages, the same each time', async () => {
  const model = createScriptedModel(SCRIPT);
  const first = await model.complete({ messages: [HELLO], tools: [] }, { signal });
  expect(first).toEqual({
    kind: 'reply',
    attempts: 1,
    reply: {
      content: 'Reading.',
      reasoning: null,
      tool_calls: [
        { id: 'call00001', name: 'read', arguments: '{"path":"a"}' },
        { id: 'call00002', name: 'read', arguments: '{"path":' },
      ],
      finish_reason: 'tool_calls',
      usage: { input_tokens: 3, output_tokens: 2 },
      provider_model: 'scripted',
    },
  });
  const second = await model.complete({ messages: [HELLO, SPOKEN], tools: [] }, { signal });
  expect(second).toMatchObject({ reply: { content: null, tool_calls: [], finish_reason: 'stop' } });
  expect(await model.complete({ messages: [HELLO], tools: [] }, { signal })).toEqual(first);
});

test('fails with a sentence when the script has ended', async () => {
  const model = createScriptedModel(SCRIPT);
  const messages = [SPOKEN, HELLO, SPOKEN];
  expect(await model.complete({ messages, tools: [] }, { signal })).toEqual({
    kind: 'failed',
    category: 'invalid_request',
    message:
      'The model script has 2 replies and the conversation asks for number 3; add replies to the script, or end the run earlier.',
    retryable: false,
    sent: false,
  });
});

test('is cancelled like any other model', async () => {
  const model = createScriptedModel(SCRIPT);
  const cancelled = AbortSignal.abort();
  expect(
    await model.complete({ messages: [HELLO], tools: [] }, { signal: cancelled }),
  ).toMatchObject({ category: 'cancelled', sent: false });
});

test('gives the same replies over HTTP as in the process', async () => {
  const model = scriptedModel(SCRIPT);
  await withServer({ server: { replies: SCRIPT.replies } }, async ({ ask }) => {
    for (const messages of [[HELLO], [HELLO, SPOKEN]]) {
      const there = await ask(messages);
      const here = await model.complete({ messages, tools: [] }, { signal });
      if (there.kind !== 'reply' || here.kind !== 'reply') throw new Error('There is no reply.');
      const withoutIds = here.reply.tool_calls.map(({ name, arguments: text }) => ({
        name,
        arguments: text,
      }));
      expect(there.reply).toMatchObject({
        content: here.reply.content,
        tool_calls: withoutIds,
        finish_reason: here.reply.finish_reason,
        usage: here.reply.usage,
      });
    }
    expect(await ask([SPOKEN, SPOKEN])).toMatchObject({
      category: 'invalid_request',
      message: expect.stringContaining('asks for number 3'),
    });
  });
  expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 2]);
});

test('reads a script as a frozen document', () => {
  const read = readModelScript(JSON.parse(JSON.stringify(SCRIPT)));
  expect(read).toEqual({ ok: true, script: SCRIPT });
  expect(read.ok && Object.isFrozen(read.script.replies[0]?.tool_calls?.[0]?.arguments)).toBe(true);
});

test.each<[unknown, readonly string[]]>([
  [[], ['/']],
  [{ ...SCRIPT, schema_version: '1.1' }, ['/schema_version']],
  [{ ...SCRIPT, kind: 'script' }, ['/kind']],
  [{ ...SCRIPT, replies: {} }, ['/replies']],
  [{ ...SCRIPT, replies: [{}] }, ['/replies/0']],
  [{ ...SCRIPT, replies: [{ content: 1 }] }, ['/replies/0/content']],
  [{ ...SCRIPT, replies: [{ text: 'x', content: '' }] }, ['/replies/0/text']],
  [
    { ...SCRIPT, replies: [{ tool_calls: [{ name: '', arguments: [] }] }] },
    ['/replies/0/tool_calls/0/name', '/replies/0/tool_calls/0/arguments'],
  ],
  [
    { ...SCRIPT, replies: [{ content: '', usage: { input_tokens: -1 } }] },
    ['/replies/0/usage', '/replies/0/usage/input_tokens'],
  ],
])('refuses %j and says where it is wrong', (value, paths) => {
  const read = readModelScript(value);
  if (read.ok) throw new Error('The script was accepted.');
  expect(read.problems.map(({ path }) => path)).toEqual(paths);
});

test('throws for a script that its host did not read', () => {
  const wrong: ModelScript = { ...SCRIPT, replies: [{}] };
  expect(() => createScriptedModel(wrong)).toThrow(
    expect.objectContaining({ code: 'models/invalid-script' }),
  );
});

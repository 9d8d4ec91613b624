import type { ModelMessage } from '@millforge/contracts';
import type { ModelProfile } from '@millforge/models';
import { expect, test } from 'vitest';
import { withServer } from '../exchange.ts';

const IMAGE = { media_type: 'image/png', sha256: 'a'.repeat(64), data: 'aW1hZ2U=' } as const;
const SEES: Partial<ModelProfile> = { capabilities: { images: 'supported' } };
const CALLS = [0, 1].map((at) => ({ id: `call_${at}`, name: 'read', arguments: '{}' }));
const CONVERSATION: readonly ModelMessage[] = [
  { role: 'user', content: 'Look at both.' },
  { role: 'assistant', content: null, tool_calls: CALLS },
  { role: 'tool', tool_call_id: 'call_0', name: 'read', content: 'First.', images: [IMAGE] },
  {
    role: 'tool',
    tool_call_id: 'call_1',
    name: 'read',
    content: 'Second.',
    images: [IMAGE, IMAGE],
  },
];
const SHOWN = { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1hZ2U=' } };
const FIRST = [{ type: 'text', text: '[Image of the result of read, call call_0]' }, SHOWN];
const SECOND = [
  { type: 'text', text: '[2 images of the result of read, call call_1]' },
  SHOWN,
  SHOWN,
];

/** The messages that a server gets for a conversation. */
async function sent(
  profile: Partial<ModelProfile>,
  conversation: readonly ModelMessage[],
): Promise<readonly unknown[]> {
  let messages: unknown;
  // One reply for each message of the model that a conversation may have.
  const replies = Array.from({ length: 4 }, () => ({ content: 'Seen.' }));
  const setup = { server: { replies }, profile };
  await withServer(setup, async ({ ask, server }) => {
    expect(await ask(conversation)).toMatchObject({ kind: 'reply' });
    messages = Object(server.requests[0]?.body)['messages'];
  });
  return Array.isArray(messages) ? messages : [];
}

test('images of results stand in one message of the user behind all results of the reply', async () => {
  const messages = await sent(SEES, CONVERSATION);
  expect(messages.slice(2)).toEqual([
    { role: 'tool', tool_call_id: 'call_0', name: 'read', content: 'First.' },
    { role: 'tool', tool_call_id: 'call_1', name: 'read', content: 'Second.' },
    { role: 'user', content: [...FIRST, ...SECOND] },
  ]);
});

test('what the user says next joins the images, so that no two of the user follow each other', async () => {
  const messages = await sent(SEES, [...CONVERSATION, { role: 'user', content: 'Well?' }]);
  const content = [...FIRST, ...SECOND, { type: 'text', text: 'Well?' }];
  expect(messages.slice(4)).toEqual([{ role: 'user', content }]);
});

test('images stand before the next reply', async () => {
  const reply: ModelMessage = { role: 'assistant', content: 'A cat.' };
  const messages = await sent(SEES, [...CONVERSATION, reply, { role: 'user', content: 'Well?' }]);
  expect(messages.slice(4).map((message) => Object(message)['role'])).toEqual([
    'user',
    'assistant',
    'user',
  ]);
  expect(messages.at(-1)).toEqual({ role: 'user', content: 'Well?' });
});

test('the Messages API takes images inside of the result', async () => {
  const profile: Partial<ModelProfile> = { ...SEES, dialect: 'anthropic-messages' };
  const messages = await sent(profile, CONVERSATION.slice(0, 3));
  const source = { type: 'base64', media_type: 'image/png', data: 'aW1hZ2U=' };
  const content = [
    { type: 'text', text: 'First.' },
    { type: 'image', source },
  ];
  expect(messages.at(-1)).toEqual({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'call_0', content }],
  });
});

test.each([undefined, 'unknown', 'unsupported'] as const)(
  'a request with images is refused before it is sent to a model whose sight is %s',
  async (images) => {
    const profile = images === undefined ? {} : { capabilities: { images } };
    await withServer({ server: { replies: [] }, profile }, async ({ ask, server }) => {
      expect(await ask(CONVERSATION)).toMatchObject({
        kind: 'failed',
        category: 'unsupported_capability',
        sent: false,
      });
      expect(server.requests).toEqual([]);
    });
  },
);

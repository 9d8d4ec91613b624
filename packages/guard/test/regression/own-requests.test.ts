import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardedChat } from '@millforge/guard/openai-chat';
import { expect, test } from 'vitest';

const READ = {
  type: 'function',
  function: {
    name: 'read_note',
    parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  },
};

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const one of Object.values(value)) frozen(one);
  }
  return value;
}

/** A turn of a request that nobody may change: two wrong replies, then a text that names the request. */
async function turnOf(request: {
  readonly messages: readonly object[];
  readonly tools: readonly object[];
  readonly [field: string]: unknown;
}) {
  const sent: object[] = [];
  const { message } = await guardedChat(request, {
    create: async (asked) => {
      sent.push(asked);
      await new Promise((resolve) => setImmediate(resolve));
      const text = `For ${String(asked['model'])}.`;
      return { choices: [{ message: { content: sent.length < 3 ? '' : text } }] };
    },
  });
  return { sent, text: message.content };
}

test('a request is never changed, and requests at a time do not meet (GE-32)', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `model-${index}`);
  const turns = await Promise.all(
    names.map((model) =>
      turnOf(frozen({ model, messages: [{ role: 'user', content: model }], tools: [READ] })),
    ),
  );
  for (const [index, { sent, text }] of turns.entries()) {
    expect(text).toBe(`For model-${index}.`);
    expect(sent.map((one) => Reflect.get(one, 'model'))).toEqual(
      Array.from({ length: 3 }, () => `model-${index}`),
    );
  }
});

test('fields that the guard does not know stand in every attempt (GE-47)', async () => {
  const request = {
    messages: [{ role: 'user', content: 'hi', cache_control: { type: 'ephemeral' } }],
    tools: [READ],
    litellm_session_id: 'session-7',
    metadata: { user: 'ann' },
  };
  const { sent } = await turnOf(frozen(request));
  expect(sent).toHaveLength(3);
  for (const one of sent) {
    expect(one).toMatchObject({ litellm_session_id: 'session-7', metadata: { user: 'ann' } });
    expect(Reflect.get(one, 'messages')[0]).toBe(request.messages[0]);
  }
});

test('adapters need none of the libraries that they are for (GE-50)', () => {
  const isBuilt = process.env['MILLFORGE_TEST_DIST'] !== undefined;
  const folder = join(import.meta.dirname, '../..', isBuilt ? 'dist' : 'src');
  expect(existsSync(folder)).toBe(true);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const imported = files
    .filter((name) => /\.[jt]s$/.test(name) && !name.endsWith('.d.ts'))
    .flatMap((name) => {
      const code = readFileSync(join(folder, name), 'utf8');
      return [...code.matchAll(/(?:from|import)\s*\(?['"]([^'".][^'"]*)['"]/g)];
    })
    .map(([, module]) => module);
  expect([...new Set(imported)].filter((name) => name !== '@millforge/contracts')).toEqual([]);
});

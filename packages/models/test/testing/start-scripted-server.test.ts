import { startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { withServer } from '../exchange.ts';

test('lists a model, counts completions only, and refuses what it does not speak', async () => {
  const server = await startScriptedServer({ replies: [{ content: 'x' }] });
  try {
    const models = await fetch(`${server.url}/models`);
    expect(await models.json()).toMatchObject({ data: [{ id: 'scripted' }] });
    const post = (path: string, body: string) =>
      fetch(`${server.url}${path}`, { method: 'POST', body });
    expect((await post('/embeddings', '{}')).status).toBe(404);
    expect((await post('/chat/completions', 'nonsense')).status).toBe(400);
    expect((await post('/chat/completions', '{"messages":1}')).status).toBe(400);
    expect(server.requestCount).toBe(2);
  } finally {
    await server.close();
  }
  await server.close();
  await expect(fetch(`${server.url}/models`)).rejects.toThrow('fetch failed');
});

test('reports a port that is taken', async () => {
  const server = await startScriptedServer({ replies: [] });
  const port = Number(new URL(server.url).port);
  await expect(startScriptedServer({ replies: [], port })).rejects.toThrow('EADDRINUSE');
  await server.close();
});

test('answers late when it is told to', async () => {
  const replies = [{ content: 'x', fault: { kind: 'delay', ms: 30 } as const }];
  await withServer({ server: { replies } }, async ({ ask }) => {
    expect(await ask()).toMatchObject({ kind: 'reply', attempts: 1, reply: { content: 'x' } });
  });
});

test('refuses in strict mode what some server or template refuses, in both APIs', async () => {
  await using server = await startScriptedServer({ replies: [{ content: 'x' }], strict: true });
  const post = async (path: string, messages: unknown) => {
    const body = JSON.stringify({ messages });
    return (await fetch(`${server.url}${path}`, { method: 'POST', body })).status;
  };
  const user = { role: 'user', content: 'Go.' };
  expect(await post('/chat/completions', [user])).toBe(200);
  expect(await post('/chat/completions', [user, user])).toBe(400);
  expect(await post('/messages', [user])).toBe(200);
  const orphan = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
  expect(await post('/messages', [{ role: 'user', content: [orphan] }])).toBe(400);
});

import { startScriptedServer } from '@millforge/models/testing';
import { runTask } from 'millforge';
import { expect, test } from 'vitest';
import { GREETER, GREETER_GRANTS, greetTool, testFolder } from './support/greeter.ts';

test('a model with a key keeps what its profile declares, and a key from a file is found in its replies', async () => {
  const key = 'key-of-a-file-1234';
  await using server = await startScriptedServer({
    replies: [
      { content: '{"tool": "greet", "args": {"name": "Ada"}}' },
      {
        content: `{"tool": "submit", "args": {"terminal_result": "COMPLETE", "summary": "Greeted with ${key}."}}`,
      },
    ],
  });
  const greet = greetTool();
  const result = await runTask({
    harness: GREETER,
    task: 'Greet Ada.',
    cwd: testFolder(),
    dataDir: null,
    model: {
      kind: 'endpoint',
      profile: {
        profile_id: 'test.model',
        base_url: server.url,
        model: 'small:1b',
        auth: { scheme: 'bearer' },
        api_key_env: 'TEST_KEY',
        capabilities: { tool_calls: 'unsupported' },
      },
    },
    grants: GREETER_GRANTS,
    tools: [greet.tool],
    env: { TEST_KEY: `${key}\r\n` },
  });
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
  expect(server.requests[0]?.body).not.toHaveProperty('tools');
  expect(greet.greeted).toEqual(['Ada']);
  expect(result.status).toBe('success');
  expect(JSON.stringify(result)).not.toContain(key);
});

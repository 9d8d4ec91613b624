import { expect, test } from 'vitest';
import { callTool } from './admitted-fake.ts';
import { broker, tools } from './readme-example.ts';

test('the example of the README makes a tool that can be called', async () => {
  expect(tools.map(({ descriptor }) => descriptor.tool_id)).toEqual(['connector.memo.ping']);
  expect(await callTool(tools[0])).toMatchObject({ kind: 'done', data: { text: '' } });
  await broker[Symbol.asyncDispose]();
});

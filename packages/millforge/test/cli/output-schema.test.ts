import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastJson, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, scriptText, testHarness, WRITE_AND_FINISH } from './test-harness.ts';

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: { files: { type: 'array', items: { type: 'string' } } },
  required: ['files'],
};

function layOut(schema: string) {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'schema.json'), schema);
  const replies = WRITE_AND_FINISH.map((reply) => ({
    ...reply,
    tool_calls: reply.tool_calls.map((call) =>
      call.name === 'submit'
        ? { ...call, arguments: { ...call.arguments, candidate: { files: ['out.txt'] } } }
        : call,
    ),
  }));
  writeFileSync(join(cwd, 'script.json'), scriptText(replies));
  const argv = ['run', 'harness.yaml', '--task', 't', '--data', 'data', '--json'];
  return {
    cwd,
    argv: [
      ...argv,
      '--model',
      'scripted:script.json',
      '--output-schema',
      'schema.json',
      ...GRANT_FLAGS,
    ],
  };
}

test('a run brings the result that a file asks for', async () => {
  const { cwd, argv } = layOut(JSON.stringify(SCHEMA));
  const end = await runCli(argv, { cwd });
  expect(end.code).toBe(0);
  expect(lastJson(end)).toMatchObject({
    status: 'success',
    selected_output: { present: true, value: { files: ['out.txt'] } },
  });
});

test.each([
  ['is no JSON', '{', 65],
  ['is outside of the subset', '{"type":"string","pattern":"(?=x)"}', 65],
])('a schema that %s is refused', async (_, schema, code) => {
  const { cwd, argv } = layOut(schema);
  const end = await runCli(argv, { cwd });
  expect(end.code).toBe(code);
  expect(end.stderr).not.toContain('    at ');
});

test('a schema that is not there is refused: 64', async () => {
  const { cwd, argv } = layOut('{}');
  const end = await runCli([...argv, '--output-schema', 'nowhere.json'], { cwd });
  expect(end.code).toBe(64);
});

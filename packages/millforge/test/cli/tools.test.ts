import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMillforge, defineTool } from 'millforge';
import { expect, test } from 'vitest';
import { allJson, lastJson, runCli, testFolder } from './run-cli.ts';

const WORDS = join(import.meta.dirname, 'modules/word-tools.ts');

test('tools ls names every tool with version, origin, effect and capabilities', async () => {
  const cwd = testFolder();
  const end = await runCli(['tools', 'ls'], { cwd });
  expect(end.code).toBe(0);
  expect(end.stdout).toMatch(
    /^builtin\.pi_compat\.read@1 +pi +read_only +unrestricted\.filesystem\.read$/m,
  );
  const listed = allJson(await runCli(['tools', 'ls', '--json'], { cwd }));
  expect(listed).toHaveLength(end.stdout.trimEnd().split('\n').length);
  expect(listed).toContainEqual({
    kind: 'tool_summary',
    schema_version: '1.0',
    tool_id: 'builtin.pi_compat.submit',
    tool_version: 1,
    model_tool_name: 'submit',
    origin: 'pi',
    side_effect_class: 'terminal',
    idempotency: expect.any(String),
    required_capabilities: ['terminal.intent'],
    approval: 'none',
    descriptor_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  // Looking at tools makes no data directory.
  expect(existsSync(join(cwd, '.local'))).toBe(false);
});

test('tools show prints descriptor, digest, schemas and an example that the tool takes', async () => {
  const cwd = testFolder();
  for (const name of ['builtin.pi_compat.read@1', 'builtin.pi_compat.read']) {
    const end = await runCli(['tools', 'show', name], { cwd });
    expect(end.code).toBe(0);
    expect(end.stdout).toContain('builtin.pi_compat.read@1');
    expect(end.stdout).toContain('unrestricted.filesystem.read');
    expect(end.stdout).toContain('"additionalProperties": false');
  }
  const shown = lastJson(
    await runCli(['tools', 'show', 'builtin.pi_compat.edit@1', '--json'], { cwd }),
  );
  expect(shown).toMatchObject({
    kind: 'tool_description',
    origin: 'pi',
    descriptor: { tool_id: 'builtin.pi_compat.edit', tool_version: 1 },
    example: expect.objectContaining({ path: expect.any(String) }),
  });
});

test('tools show says which tools there are where it names none: 64', async () => {
  const cwd = testFolder();
  const missing = await runCli(['tools', 'show', 'builtin.nothing'], { cwd });
  expect([missing.code, missing.stderr]).toEqual([64, expect.stringContaining('tools ls')]);
  const version = await runCli(['tools', 'show', 'builtin.pi_compat.read@9'], { cwd });
  expect([version.code, version.stderr]).toEqual([
    64,
    expect.stringContaining('it is one of builtin.pi_compat.read@1'),
  ]);
  const both = await runCli(['tools', 'show', 'test.two'], {
    cwd,
    createMillforge: (options) =>
      createMillforge({ ...options, tools: [versioned(1), versioned(2)] }),
  });
  expect(both.stderr).toContain('it is one of test.two@1, test.two@2');
});

function versioned(version: number) {
  return defineTool({
    id: 'test.two',
    version,
    description: 'Two.',
    input: { type: 'object' },
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    run: async () => ({ kind: 'done', text: '' }),
  });
}

test('tools check performs the examples of what reads, and only checks what writes', async () => {
  const cwd = testFolder();
  const end = await runCli(['tools', 'check', WORDS], { cwd });
  expect([end.stderr, end.code]).toEqual(['', 0]);
  expect(end.stdout).toContain('ok  {"text":"one two"} → {"words":2}');
  expect(end.stdout).toContain('ok  {"word":"mill"} → passes every check; not performed');
  expect(existsSync(join(cwd, 'kept.txt'))).toBe(false);

  const documents = allJson(await runCli(['tools', 'check', WORDS, '--json'], { cwd }));
  expect(documents.map((document) => [document['tool_id'], document['ok']])).toEqual([
    ['test.words.count_words', true],
    ['test.words.keep', true],
  ]);
  expect(documents[0]?.['calls']).toContainEqual({
    input: { text: 'three' },
    stage: 'run',
    status: 'success',
    error_code: null,
    text: '{"words":1}',
    data: { words: 1 },
  });
});

test('tools check performs everything when it is told to, and a failure is 3', async () => {
  const cwd = testFolder();
  expect((await runCli(['tools', 'check', WORDS, '--run'], { cwd })).code).toBe(0);
  expect(existsSync(join(cwd, 'kept.txt'))).toBe(true);
  const again = await runCli(['tools', 'check', WORDS, '--run'], { cwd });
  expect([again.code, again.stdout]).toEqual([3, expect.stringContaining('no  {"word":"mill"}')]);
});

test('tools check takes arguments instead of the examples, and 3 says that they are wrong', async () => {
  const cwd = testFolder();
  const module = join(import.meta.dirname, 'modules/one-tool.ts');
  const right = await runCli(['tools', 'check', module, '--input', '{"text":"a b c"}'], { cwd });
  expect([right.code, right.stdout]).toEqual([0, expect.stringContaining('→ {"words":3}')]);
  writeFileSync(join(cwd, 'input.json'), '{"text":3}');
  const wrong = await runCli(['tools', 'check', module, '--input', '@input.json'], { cwd });
  expect([wrong.code, wrong.stdout]).toEqual([
    3,
    expect.stringContaining('$.text must be string (received number)'),
  ]);
  const many = await runCli(['tools', 'check', WORDS, '--input', '{}'], { cwd });
  expect([many.code, many.stderr]).toEqual([64, expect.stringContaining('one tool')]);
});

test.each([
  ['is not there', null, 64, 'There is no module'],
  ['has no tool', 'export const a = 1;', 65, 'exports no tool'],
  ['does not load', 'export const a = ;', 65, 'cannot be loaded'],
  ['throws', 'throw new Error("no luck");', 65, 'no luck'],
  ['has a tool that is none', 'export default { descriptor: {}, implementation: {} };', 65, 'tool'],
  ['holds itself', 'const all = []; all.push(all); export default all;', 65, 'exports no tool'],
  ['throws a key', 'throw new Error("sk-abcdefghijklmnop1234");', 65, 'Error: **redacted**'],
  [
    'cannot be looked at',
    'export const a = { get descriptor() { throw new Error("no"); } };',
    65,
    'exports no tool',
  ],
])('tools check of a module that %s is one sentence', async (...row) => {
  const [, text, code, sentence] = row;
  const cwd = testFolder();
  if (text !== null) writeFileSync(join(cwd, 'tool.mjs'), text);
  const end = await runCli(['tools', 'check', 'tool.mjs'], { cwd });
  expect([end.code, end.stderr]).toEqual([code, expect.stringContaining(sentence)]);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('tools check refuses a tool whose id belongs to another origin, and names both: 65', async () => {
  const end = await runCli(['tools', 'check', join(import.meta.dirname, 'modules/squatter.ts')], {
    cwd: testFolder(),
  });
  expect(end.code).toBe(65);
  expect(end.stderr).toContain('not free for origin custom');
  expect(end.stderr).toContain('belong to origin builtin');
});

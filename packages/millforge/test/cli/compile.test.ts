import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { lastJson, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, PROFILES, testHarness } from './test-harness.ts';

test('prints the result document with every key, in the order of its form', async () => {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, 'plans'));
  const end = await runCli([...argv, '--out', 'plans', '--json'], { cwd });
  expect(end.code).toBe(0);
  const document = lastJson(end);
  expect(Object.keys(document)).toEqual([
    'request_id',
    'status',
    'plan_commit_certainty',
    'diagnostic_report_state',
    'failure_phase',
    'source_document_sha256',
    'source_sha256',
    'request_identity_sha256',
    'harness_id',
    'compiled_plan_path',
    'compiled_sha256',
    'diagnostics_path',
    'diagnostics',
  ]);
  const [file] = readdirSync(join(cwd, 'plans'));
  expect(document).toMatchObject({
    request_id: 'request.cli',
    status: 'committed',
    plan_commit_certainty: 'committed',
    failure_phase: null,
    harness_id: 'test.small.v1',
    compiled_plan_path: `plans/${file}`,
    diagnostics: [],
  });
  expect(file).toContain(String(document['compiled_sha256']));
});

test('names the request by its five fields: the stage is the first that the source lists', async () => {
  const { cwd, argv } = layOut(testHarness().replace('["task"]', '["zeta", "alpha"]'));
  const identityOf = async (...flags: readonly string[]) =>
    lastJson(await runCli([...argv, '--json', ...flags], { cwd }))['request_identity_sha256'];
  const fields = {
    request_id: 'request.cli',
    source_path: 'harness.yaml',
    source_format: 'yaml',
    expected_harness_id: 'test.small.v1',
    stage_kind_id: 'zeta',
  };
  expect(await identityOf()).toBe(digest(fields));
  expect(await identityOf('--stage-kind', 'alpha', '--request-id', 'my.request')).toBe(
    digest({ ...fields, stage_kind_id: 'alpha', request_id: 'my.request' }),
  );
});

test.each([
  ['--request-id', 'My Request', '/request_id'],
  ['--expect-id', 'Id!', '/expected_harness_id'],
  ['--stage-kind', 'stage one', '/stage_kind_id'],
  ['--legal-terminal', 'complete', '/legal_terminal_results/0'],
  ['--grant', 'Everything', '/capability_envelope/grants/3/capability_id'],
])('refuses a wrong %s with MF-S018 and 64', async (option, value, pointer) => {
  const { cwd, argv } = layOut();
  const forPeople = await runCli([...argv, option, value], { cwd });
  expect(forPeople.code).toBe(64);
  expect(forPeople.stderr).toContain('MF-S018');
  expect(forPeople.stderr).toContain(option);

  const forMachines = await runCli([...argv, option, value, '--json'], { cwd });
  expect(forMachines.code).toBe(64);
  expect(lastJson(forMachines)).toMatchObject({
    request_id: option === '--request-id' ? 'request.invalid' : 'request.cli',
    status: 'failed',
    failure_phase: 'request',
    source_document_sha256: null,
    request_identity_sha256: null,
    diagnostics: [{ code: 'MF-S018', fields: [{ key: 'field_path', value: pointer }] }],
  });
  expect(readdirSync(cwd)).not.toContain('data');
});

test('refuses a harness that is not the expected one, or a stage that it does not have: 65', async () => {
  const { cwd, argv } = layOut();
  for (const [option, value, code] of [
    ['--expect-id', 'another.harness', 'MF-S027'],
    ['--stage-kind', 'another.stage', 'MF-S028'],
    ['--legal-terminal', 'OTHER', 'MF-S029'],
  ] as const) {
    const end = await runCli([...argv, option, value], { cwd });
    expect([end.code, end.stderr]).toEqual([65, expect.stringContaining(code)]);
  }
});

test('the same grant given twice is one grant', async () => {
  const { cwd, argv } = layOut();
  expect((await runCli([...argv, ...GRANT_FLAGS], { cwd })).code).toBe(0);
});

test.each([
  ['profiles', '{"kind":"tool_catalog"}', 65, 'profile catalog'],
  ['profiles', null, 64, 'There is no profile catalog'],
  ['catalog', '{', 65, 'tool catalog'],
  ['catalog', null, 64, 'There is no tool catalog'],
] as const)('a wrong or missing --%s is one sentence', async (...row) => {
  const [option, text, code, sentence] = row;
  const { cwd } = layOut();
  if (text !== null) writeFileSync(join(cwd, 'file.json'), text);
  const argv = ['compile', 'harness.yaml', '--data', 'data', `--${option}`, 'file.json'];
  const end = await runCli(argv, { cwd });
  expect(end.code).toBe(code);
  expect(end.stderr).toContain('file.json');
  expect(end.stderr).toContain(sentence);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('a directory or a pipe in place of a file is refused at once: 64', async () => {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, 'folder.yaml'));
  for (const source of ['folder.yaml', '/dev/null']) {
    const end = await runCli(['compile', source, '--data', 'data'], { cwd });
    expect(end.code).toBe(64);
    expect(end.stderr).toContain('is not a file');
  }
  const end = await runCli([...argv, '--profiles', 'folder.yaml'], { cwd });
  expect(end.code).toBe(64);
});

test('a file in the place of the plan is reported as the conflict that it is, and left alone', async () => {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, 'plans'));
  const compile = (...flags: readonly string[]) =>
    runCli([...argv, '--out', 'plans', ...flags], { cwd });
  await compile();
  const file = join(cwd, 'plans', readdirSync(join(cwd, 'plans'))[0] ?? '');
  writeFileSync(file, 'mine');
  const forPeople = await compile();
  expect(forPeople.code).toBe(1);
  expect(forPeople.stderr).toContain('MF-O004');
  const forMachines = await compile('--json');
  expect(forMachines.code).toBe(1);
  expect(lastJson(forMachines)).toMatchObject({
    status: 'failed',
    plan_commit_certainty: 'absent',
    failure_phase: 'output',
    compiled_plan_path: null,
    compiled_sha256: null,
    request_identity_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    diagnostics: [{ code: 'MF-O004' }],
  });
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test("another compiler's identity goes into the plan; half of one is refused: 64", async () => {
  const { cwd, argv } = layOut();
  const identity = { name: 'other', version: '9', build_id: 'other.9' };
  const flag = ['--compiler-identity', JSON.stringify(identity)];
  const end = await runCli([...argv, ...flag, '--json'], { cwd });
  const plan = join(cwd, 'data', String(lastJson(end)['compiled_plan_path']));
  expect(JSON.parse(readFileSync(plan, 'utf8'))).toMatchObject({ compiler_identity: identity });
  for (const wrong of ['{}', 'x', JSON.stringify({ ...identity, name: ' ' })]) {
    expect((await runCli([...argv, '--compiler-identity', wrong], { cwd })).code).toBe(64);
  }
});

test('a plan takes no compile options: 64', async () => {
  const { cwd, argv } = layOut();
  const compiled = lastJson(await runCli([...argv, '--json'], { cwd }));
  const plan = join('data', String(compiled['compiled_plan_path']));
  const end = await runCli(['run', plan, '--task', 't', '--stage-kind', 'task'], { cwd });
  expect(end.code).toBe(64);
  expect(end.stderr).toContain('--stage-kind goes with a source');
});

function layOut(harness = testHarness()) {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), harness);
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  const flags = ['--data', 'data', '--profiles', 'profiles.json', ...GRANT_FLAGS];
  return { cwd, argv: ['compile', 'harness.yaml', ...flags] };
}

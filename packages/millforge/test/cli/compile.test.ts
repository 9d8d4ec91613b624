import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  const [plan, report] = readdirSync(join(cwd, 'plans'));
  expect(document).toMatchObject({
    request_id: 'request.cli',
    status: 'committed',
    plan_commit_certainty: 'committed',
    diagnostic_report_state: 'committed',
    failure_phase: null,
    harness_id: 'test.small.v1',
    compiled_plan_path: `plans/${plan}`,
    diagnostics_path: `plans/${report}`,
    diagnostics: [],
  });
  expect(plan).toContain(String(document['compiled_sha256']));
  expect(JSON.parse(readFileSync(join(cwd, 'plans', String(report)), 'utf8'))).toEqual(document);
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
    expect(end.stderr).toContain('MF-S014');
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
  const names = readdirSync(join(cwd, 'plans'));
  const file = join(cwd, 'plans', names.find((name) => name.endsWith('.compiled.json')) ?? '');
  writeFileSync(file, 'mine');
  const forPeople = await compile();
  expect(forPeople.code).toBe(1);
  expect(forPeople.stderr).toContain('MF-O004');
  const forMachines = await compile('--json');
  expect(forMachines.code).toBe(1);
  expect(lastJson(forMachines)).toMatchObject({
    status: 'failed',
    plan_commit_certainty: 'absent',
    diagnostic_report_state: 'committed',
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

test.each([
  ['missing.yaml', 'MF-S013'],
  ['no/such/folder/harness.yaml', 'MF-S013'],
  ['', 'MF-S014'],
])('a source that cannot be read has a result document, too: %j', async (source, code) => {
  const { cwd } = layOut();
  mkdirSync(join(cwd, 'folder.yaml'));
  const path = source === '' ? 'folder.yaml' : source;
  const end = await runCli(['compile', path, '--data', 'data', '--json'], { cwd });
  expect(end.code).toBe(64);
  expect(lastJson(end)).toMatchObject({
    status: 'failed',
    failure_phase: 'request',
    diagnostics: [{ code }],
  });
  expect(readdirSync(cwd)).not.toContain('data');
  const forPeople = await runCli(['compile', path, '--data', 'data'], { cwd });
  expect(forPeople.code).toBe(64);
  expect(forPeople.stderr).toContain(`${path}: error ${code}`);
});

test('an output directory that does not exist is not made: 64', async () => {
  const { cwd, argv } = layOut();
  const end = await runCli([...argv, '--out', 'no-such', '--json'], { cwd });
  expect(end.code).toBe(64);
  expect(lastJson(end)).toMatchObject({ diagnostics: [{ code: 'MF-S017' }] });
  const forPeople = await runCli([...argv, '--out', 'no-such'], { cwd });
  expect(forPeople.stderr).toContain(`${join(cwd, 'no-such')}: error MF-S017`);
  expect(readdirSync(cwd)).not.toContain('no-such');
});

test('a source and an output directory behind links are those that the links lead to', async () => {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, 'plans'));
  symlinkSync('plans', join(cwd, 'link'));
  symlinkSync('harness.yaml', join(cwd, 'link.yaml'));
  const [command = '', , ...flags] = argv;
  const end = await runCli([command, 'link.yaml', ...flags, '--out', 'link', '--json'], { cwd });
  expect(end.code).toBe(0);
  expect(lastJson(end)['compiled_plan_path']).toMatch(/^plans\//);
});

test('a source that does not compile writes no file, into a directory that is there neither', async () => {
  const { cwd, argv } = layOut(testHarness().replace('task', 'Task'));
  mkdirSync(join(cwd, 'plans'));
  for (const flags of [['--out', 'plans'], []]) {
    const end = await runCli([...argv, ...flags, '--json'], { cwd });
    expect(end.code).toBe(65);
    expect(lastJson(end)).toMatchObject({ status: 'failed', diagnostic_report_state: 'absent' });
  }
  expect(readdirSync(join(cwd, 'plans'))).toEqual([]);
  expect(readdirSync(cwd)).not.toContain('data');
});

test('a plan that stands but whose report cannot be written is named, with 1', async () => {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, 'plans'));
  await runCli([...argv, '--out', 'plans'], { cwd });
  const names = readdirSync(join(cwd, 'plans'));
  const report = names.find((name) => name.endsWith('.diagnostics.json')) ?? '';
  rmSync(join(cwd, 'plans', report));
  mkdirSync(join(cwd, 'plans', report));
  const end = await runCli([...argv, '--out', 'plans'], { cwd });
  expect(end.code).toBe(1);
  expect(end.stdout).toContain('is already there');
  expect(end.stderr).toContain('MF-O002');
  const forMachines = await runCli([...argv, '--out', 'plans', '--json'], { cwd });
  expect(lastJson(forMachines)).toMatchObject({
    status: 'prepared',
    plan_commit_certainty: 'committed',
    diagnostic_report_state: 'unknown',
  });
});

test('--check says whether the plan is there, which one is, and writes nothing', async () => {
  const { cwd, argv } = layOut();
  const check = (...flags: readonly string[]) => runCli([...argv, '--check', ...flags], { cwd });
  const absent = await check();
  expect([absent.code, absent.stdout]).toEqual([3, '']);
  expect(absent.stderr).toMatch(
    /^test\.small\.v1@1 is absent: .*plans has no plan .*compiled\.json\.\n$/,
  );
  expect(readdirSync(cwd)).not.toContain('data');

  await runCli(argv, { cwd });
  const before = readdirSync(join(cwd, 'data/plans'));
  const current = await check();
  expect(current).toMatchObject({ code: 0, stderr: '' });
  expect(current.stdout).toMatch(/^test\.small\.v1@1 is current: .*compiled\.json\n$/);
  expect(lastJson(await check('--json'))).toMatchObject({ status: 'committed' });

  writeFileSync(join(cwd, 'harness.yaml'), testHarness().replace('Work.', 'Work well.'));
  const stale = await check();
  expect([stale.code, stale.stdout]).toEqual([3, '']);
  const there = before.find((name) => name.endsWith('.compiled.json'));
  expect(stale.stderr).toContain(`plans has ${there}, and should have test.small.v1@1.`);
  expect(lastJson(await check('--json'))).toMatchObject({
    status: 'prepared',
    plan_commit_certainty: 'absent',
    compiled_plan_path: null,
  });
  expect(readdirSync(join(cwd, 'data/plans'))).toEqual(before);
});

test('--check refuses a source that does not compile as compiling does', async () => {
  const { cwd, argv } = layOut(testHarness().replace('task', 'Task'));
  expect((await runCli([...argv, '--check'], { cwd })).code).toBe(65);
  expect((await runCli([...argv, '--check', '--watch'], { cwd })).code).toBe(64);
});

function layOut(harness = testHarness()) {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), harness);
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  const flags = ['--data', 'data', '--profiles', 'profiles.json', ...GRANT_FLAGS];
  return { cwd, argv: ['compile', 'harness.yaml', ...flags] };
}

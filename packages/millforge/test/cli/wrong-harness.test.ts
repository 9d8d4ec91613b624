import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastJson, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, PROFILES, testHarness } from './test-harness.ts';

const finish = `    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
`;

const aliasBomb = `a: &a ["x", "x"]\n${Array.from(
  { length: 25 },
  (_, index) =>
    `${String.fromCodePoint(98 + index)}: &${String.fromCodePoint(98 + index)} [*${String.fromCodePoint(97 + index)}, *${String.fromCodePoint(97 + index)}]`,
).join('\n')}\n`;

/** Name, text, code, pointer, and whether the diagnostic has a place in the text. */
const cases: readonly (readonly [string, string, string, string, boolean])[] = [
  [
    'an unknown tool',
    testHarness({ nodes: `${finish}    odd:\n      tool_ref: no.such.tool@1\n` }),
    'MF-R002',
    '/graph/nodes/1/tool_ref',
    true,
  ],
  [
    'a cycle',
    testHarness({
      nodes: `    a:
      tool_ref: builtin.pi_compat.write@1
      prerequisites:
        - node_id: b
    b:
      tool_ref: builtin.pi_compat.bash@1
      prerequisites:
        - node_id: a
${finish}`,
    }),
    'MF-G004',
    '/graph/nodes/0/prerequisites/0',
    true,
  ],
  [
    'a missing prerequisite',
    testHarness({
      nodes: `${finish}      prerequisites:
        - node_id: nowhere
`,
    }),
    'MF-G001',
    '/graph/nodes/0/prerequisites/0',
    true,
  ],
  ['a duplicate key', `${testHarness()}kind: twice\n`, 'MF-S006', '/', true],
  [
    'tab indentation',
    testHarness().replace('  stage_kind_ids', '\tstage_kind_ids'),
    'MF-S011',
    '/',
    true,
  ],
  ['a file of 2 MiB', `# ${'x'.repeat(2 * 1024 * 1024)}\n${testHarness()}`, 'MF-S003', '/', false],
  ['an alias bomb', aliasBomb, 'MF-S007', '/', true],
  [
    'a wrong type',
    testHarness().replace('harness_version: 1', 'harness_version: soon'),
    'MF-S020',
    '/harness_version',
    true,
  ],
  ['an unknown field', `${testHarness()}surplus: 1\n`, 'MF-S021', '/surplus', true],
];

test.each(cases)('compile refuses %s with code, path and sentence', async (...row) => {
  const [, text, code, pointer, hasPlace] = row;
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), text);
  const argv = ['compile', 'harness.yaml', '--data', 'data', ...GRANT_FLAGS];

  const forPeople = await runCli(argv, { cwd });
  expect(forPeople.code).toBe(65);
  expect(forPeople.stdout).toBe('');
  const line = forPeople.stderr.split('\n').find((one) => one.includes(code)) ?? '';
  expect(line).toMatch(
    hasPlace ? /^harness\.yaml:\d+:\d+: error MF-[A-Z]\d{3}: .+/ : /^harness\.yaml.*: error MF-/,
  );

  const forMachines = await runCli([...argv, '--format', 'json'], { cwd });
  expect(forMachines.code).toBe(65);
  const document = lastJson(forMachines);
  expect(document['status']).toBe('failed');
  const found = (document['diagnostics'] as Record<string, unknown>[]).find(
    (diagnostic) => diagnostic['code'] === code,
  );
  expect(found?.['message']).toMatch(/^\S.*\.$/);
  const reference = found?.['source_reference'] as Record<string, unknown> | null;
  expect(reference?.['field_path']).toBe(pointer);
  if (hasPlace) expect(reference?.['location']).toMatchObject({ line: expect.any(Number) });

  expect(readdirSync(cwd)).toEqual(['harness.yaml']);
});

test('run refuses a wrong harness the same way, and does nothing', async () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), `${testHarness()}kind: twice\n`);
  const end = await runCli(
    [
      'run',
      'harness.yaml',
      '--task',
      't',
      '--data',
      'data',
      '--model',
      'http://127.0.0.1:1042/v1#m',
    ],
    { cwd },
  );
  expect(end.code).toBe(65);
  expect(end.stderr).toContain('MF-S006');
  expect(readdirSync(cwd)).toEqual(['harness.yaml']);
});

test.each([
  ['model_script', '--model scripted:FILE'],
  ['tool_catalog', '--catalog FILE'],
  ['model_profile_catalog', '--profiles FILE'],
  ['millforge_config', 'where it stands'],
])('run tells a %s from a harness, and says what it is for', async (kind, use) => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'it.json'), JSON.stringify({ kind, schema_version: '1.0' }));
  const end = await runCli(['run', 'it.json', '--task', 'hi'], { cwd });
  expect(end.code).toBe(65);
  expect(end.stderr).toContain(`it.json is a ${kind}, neither a harness nor a plan; `);
  expect(end.stderr).toContain(use);
  expect(end.stderr.trim().split('\n')).toHaveLength(1);
});

test('a missing grant names every capability that is needed, and nothing happens', async () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  const end = await runCli(['compile', 'harness.yaml', '--data', 'data'], { cwd });
  expect(end.code).toBe(65);
  for (const capability of GRANT_FLAGS.filter((flag) => flag !== '--grant')) {
    expect(end.stderr).toContain(`MF-C001: Required capability '${capability}' is not granted.`);
  }
  expect(readdirSync(cwd)).toEqual(['harness.yaml']);
});

test('a plan is refused without its grants', async () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  const compiled = await runCli(
    [
      'compile',
      'harness.yaml',
      '--data',
      'data',
      '--json',
      '--profiles',
      'profiles.json',
      ...GRANT_FLAGS,
    ],
    { cwd },
  );
  const plan = join('data', String(lastJson(compiled)['compiled_plan_path']));
  const end = await runCli(
    ['run', plan, '--task', 't', '--data', 'other', '--model', 'http://127.0.0.1:1042/v1#m'],
    { cwd },
  );
  expect(end.code).toBe(65);
  expect(end.stderr).toContain('unrestricted.process.execute');
  expect(readdirSync(cwd)).not.toContain('other');
});

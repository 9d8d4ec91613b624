import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastJson, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, PROFILES, testHarness } from './test-harness.ts';

/** A folder with a harness and its plan, and the name of the plan. */
async function compiledFolder(text = testHarness()) {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), text);
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  const argv = ['compile', 'harness.yaml', '--out', '.', '--profiles', 'profiles.json'];
  const end = await runCli([...argv, ...GRANT_FLAGS], { cwd });
  expect(end.code, end.stderr).toBe(0);
  const plan = readdirSync(cwd).find((name) => name.endsWith('.compiled.json')) ?? '';
  return { cwd, plan };
}

test('explains a source without grants exactly as its plan, and writes nothing', async () => {
  const { cwd, plan } = await compiledFolder();
  const before = readdirSync(cwd);
  const ofSource = await runCli(['explain', 'harness.yaml'], { cwd });
  expect(ofSource.code, ofSource.stderr).toBe(0);
  expect(ofSource.stdout).toContain('\nCapabilities\n');
  expect(ofSource.stdout).toContain('unrestricted.process.execute');
  const ofPlan = await runCli(['explain', plan], { cwd });
  expect(ofPlan.stdout).toBe(ofSource.stdout);
  expect(readdirSync(cwd)).toEqual(before);
});

test('a byte order mark before a plan, a source or a profile file changes nothing', async () => {
  const { cwd, plan } = await compiledFolder();
  const explained = await runCli(['explain', plan], { cwd });
  for (const name of [plan, 'harness.yaml', 'profiles.json']) {
    const text = readFileSync(join(cwd, name), 'utf8');
    writeFileSync(join(cwd, name), `\ufeff${text}`);
  }
  for (const file of [plan, 'harness.yaml']) {
    const end = await runCli(['explain', file], { cwd });
    expect(end.stderr).toBe('');
    expect(end.stdout).toBe(explained.stdout);
  }
  const argv = ['compile', 'harness.yaml', '--out', '.', '--profiles', 'profiles.json', '--check'];
  const checked = await runCli([...argv, ...GRANT_FLAGS], { cwd });
  expect(checked.code, checked.stderr).toBe(3);
});

test('a plan in another folder is run with the configuration of the current one', async () => {
  const { cwd } = await compiledFolder();
  const elsewhere = testFolder();
  const init = await runCli(['init', '.'], { cwd: elsewhere, env: { HOME: elsewhere } });
  expect(init.code, init.stderr).toBe(0);
  const env = { HOME: elsewhere };
  const plans = join(cwd, 'plans');
  mkdirSync(plans);
  const made = await runCli(['compile', 'harness.yaml', '--out', plans], { cwd: elsewhere, env });
  expect(made.code, made.stderr).toBe(0);
  const [plan = ''] = readdirSync(plans).filter((name) => name.endsWith('.compiled.json'));
  const argv = ['run', join(plans, plan), '--task', 'Greet the reader.'];
  const run = await runCli(argv, { cwd: elsewhere, env });
  expect(run.code, run.stderr).toBe(0);
});

test('explains as JSON and as a drawing', async () => {
  const { cwd, plan } = await compiledFolder();
  const json = await runCli(['explain', plan, '--json'], { cwd });
  expect(lastJson(json)).toMatchObject({
    kind: 'plan_explanation',
    schema_version: '1.0',
    harness_id: 'test.small.v1',
  });
  expect((await runCli(['explain', plan, '--format', 'json'], { cwd })).stdout).toBe(json.stdout);
  const drawing = await runCli(['explain', plan, '--format', 'mermaid'], { cwd });
  expect(drawing.stdout).toMatch(/^flowchart TD\n/);
  const odd = await runCli(['explain', plan, '--format', 'svg'], { cwd });
  expect(odd.code).toBe(64);
  expect(odd.stderr).toContain('--format must be text, json or mermaid');
});

test('shows what is wrong with a source that cannot be explained, with its lines', async () => {
  const cwd = testFolder();
  const text = testHarness().replace('harness_version: 1', 'harness_verison: 1');
  writeFileSync(join(cwd, 'harness.yaml'), text);
  const end = await runCli(['explain', 'harness.yaml'], { cwd });
  expect(end.code).toBe(65);
  expect(end.stdout).toBe('');
  expect(end.stderr).toContain('> 4 | harness_verison: 1\n    | ^^^^^^^^^^^^^^^\n');
  expect(end.stderr).toContain("hint: Did you mean 'harness_version'?");
  expect(end.stderr).not.toContain('\u001b');
  const coloured = await runCli(['explain', 'harness.yaml'], { cwd, columns: 80 });
  expect(coloured.stderr).toContain('\u001b[31m');
});

test('tells what differs between two plans', async () => {
  const one = await compiledFolder();
  const other = await compiledFolder(
    testHarness().replace('max_iterations: 8', 'max_iterations: 80').replace('Work.', 'Work on.'),
  );
  const paths = [join(one.cwd, one.plan), join(other.cwd, other.plan)];
  const text = await runCli(['diff', ...paths], { cwd: one.cwd });
  expect(text.code, text.stderr).toBe(0);
  expect(text.stdout).toContain('2 changes, highest risk: medium\n');
  expect(text.stdout).toContain('The limit max_iterations goes from 8 to 80.');
  expect(text.stdout).not.toContain('Work on');
  const json = await runCli(['diff', ...paths, '--json'], { cwd: one.cwd });
  expect(lastJson(json)).toMatchObject({
    kind: 'plan_diff',
    risk: 'medium',
    changes: [
      { change: 'budget-larger', path: '/budgets/max_iterations', before: 8, after: 80 },
      { change: 'prompt-changed' },
    ],
  });
  const same = await runCli(['diff', one.plan, one.plan], { cwd: one.cwd });
  expect(same).toMatchObject({ code: 0, stdout: 'The plans are the same.\n' });
});

test('says what is no plan, and where there is none', async () => {
  const { cwd, plan } = await compiledFolder();
  const source = await runCli(['diff', plan, 'harness.yaml'], { cwd });
  expect(source.code).toBe(65);
  expect(source.stderr).toContain('harness.yaml is not a plan that can be used');
  const missing = await runCli(['diff', plan, 'none.json'], { cwd });
  expect(missing.code).toBe(64);
  expect(missing.stderr).toContain('There is no plan at');
});

test('writes diagnostics as SARIF with the path as it was typed, and an empty log for none', async () => {
  const cwd = testFolder();
  mkdirSync(join(cwd, 'a b'));
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  const source = join('a b', 'harness.yaml');
  const flags = ['--out', '.', '--profiles', 'profiles.json', '--format', 'sarif', ...GRANT_FLAGS];
  writeFileSync(join(cwd, source), `${testHarness()}surplus: 1\n`);
  const wrong = await runCli(['compile', source, ...flags], { cwd });
  expect(wrong).toMatchObject({ code: 65, stderr: '' });
  expect(lastJson(wrong)).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        columnKind: 'unicodeCodePoints',
        results: [
          {
            ruleId: 'MF-S021',
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'a%20b/harness.yaml' },
                  region: { startColumn: 1 },
                },
              },
            ],
          },
        ],
      },
    ],
  });
  writeFileSync(join(cwd, source), testHarness());
  const right = await runCli(['compile', source, ...flags], { cwd });
  expect(right.code, right.stderr).toBe(0);
  expect(lastJson(right)).toMatchObject({ runs: [{ results: [] }] });
  const odd = await runCli(['compile', source, '--format', 'xml'], { cwd });
  expect(odd.stderr).toContain('--format must be text, json or sarif');
});

test('names the schema of the language in a new harness: the installed one, else that of the package', async () => {
  const cwd = testFolder();
  const firstLine = (folder: string) =>
    readFileSync(join(cwd, folder, 'harness.yaml'), 'utf8').split('\n')[0];
  await runCli(['init', 'bare', '--data', 'data'], { cwd });
  expect(firstLine('bare')).toMatch(
    /^# yaml-language-server: \$schema=https:\/\/unpkg\.com\/@millforge\/compiler@\d+\.\d+\.\d+\/harness\.schema\.json$/,
  );
  const installed = join(cwd, 'project', 'node_modules', '@millforge', 'compiler');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'harness.schema.json'), '{}');
  await runCli(['init', 'project', '--data', 'data'], { cwd });
  expect(firstLine('project')).toBe(
    '# yaml-language-server: $schema=./node_modules/@millforge/compiler/harness.schema.json',
  );
});

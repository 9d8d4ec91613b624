import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, testFolder } from './run-cli.ts';

test('prints the overview without arguments, with help and --help', async () => {
  const cwd = testFolder();
  const ends = await Promise.all([[], ['help'], ['--help']].map((argv) => runCli(argv, { cwd })));
  for (const end of ends) {
    expect(end.code).toBe(0);
    expect(end.stderr).toBe('');
    for (const command of ['init', 'compile', 'run', 'resume', 'runs', 'trail verify', 'trust']) {
      expect(end.stdout).toContain(command);
    }
  }
});

test.each(['--version', '-V', '-v'])('%s prints its version', async (flag) => {
  expect(await runCli([flag], { cwd: testFolder() })).toEqual({
    code: 0,
    stdout: '0.0.0-test\n',
    stderr: '',
  });
});

test.each([
  ['on the PATH', undefined, true, 'millforge'],
  ['by npx', 'exec', true, 'npx millforge'],
  // npm puts the commands of a checkout on the PATH of its scripts, and of nobody else.
  ['by a script of npm', 'run-script', true, 'npx millforge'],
  ['by its path', undefined, false, 'npx millforge'],
])('called %s it advises commands that are found', async (...row) => {
  const [, npm_command, isOnPath, program] = row;
  const cwd = testFolder();
  if (isOnPath) writeFileSync(join(cwd, 'millforge'), '');
  const env = { npm_command, PATH: `/nowhere:${cwd}` };
  const end = await runCli(['init', 'agent'], { cwd, env });
  expect(end.stdout).toContain(`cd agent && ${program} run harness.yaml`);
  const wrong = await runCli(['tools', 'show', 'none@1'], { cwd, env });
  expect(wrong.stderr).toContain(`'${program} tools ls'`);
  const help = await runCli(['help', 'resume'], { cwd, env });
  expect(help.stdout).toContain(`  ${program} resume RUN`);
  expect(help.stdout).toContain(`Example: ${program} resume`);
});

test.each([
  'init',
  'trust',
  'doctor',
  'compile',
  'run',
  'resume',
  'runs',
  'trail show',
  'trail verify',
  'tools ls',
  'tools show',
  'tools check',
])('%s --help shows one example', async (command) => {
  const end = await runCli([...command.split(' '), '--help'], { cwd: testFolder() });
  expect(end.code).toBe(0);
  expect(end.stdout).toContain(`Example: millforge ${command}`);
});

test.each([
  ['trail', '--help'],
  ['trail', '-h'],
  ['help', 'trail'],
])('%s %s lists the commands of the family', async (...argv) => {
  const end = await runCli(argv, { cwd: testFolder() });
  expect(end.code).toBe(0);
  expect(end.stdout).toContain('trail show RUN');
  expect(end.stdout).toContain('trail verify');
  expect(end.stdout).not.toContain('doctor');
});

test.each([
  ['an unknown command', ['frobnicate'], "no command 'frobnicate'"],
  ['a family without a member', ['trail'], 'show, follow, verify, export, import'],
  ['an unknown option', ['runs', '--colour'], "no option '--colour'"],
  ['an option of another command', ['run', 'h.yaml', '--watch'], "no option '--watch'"],
  [
    'a class that is none',
    ['run', 'h.yaml', '--task', 't', '--approve', 'all'],
    '--approve must be',
  ],
  ['a grant without end', ['run', 'h.yaml', '--task', 't', '--grant', 'a.b={'], 'not valid JSON'],
  [
    'a grant of no bounds',
    ['run', 'h.yaml', '--task', 't', '--grant', 'a.b={}'],
    'at least one of',
  ],
  [
    'a proxy that is none, for a model without a server',
    ['run', 'h.yaml', '--task', 't', '--model', 'scripted:s.json', '--proxy', 'frob'],
    'proxy cannot be used',
  ],
  ['a value that is given twice', ['run', 'h.yaml', '--task', 'a', '--task', 'b'], '2 times'],
  ['a value that is missing', ['runs', '--data'], "'--data' needs a value"],
  ['a value for a switch', ['runs', '--json=yes'], "'--json' takes no value"],
  ['a missing argument', ['compile'], 'needs SOURCE'],
  ['a surplus argument', ['doctor', 'me'], "does not take 'me'"],
  ['no task', ['run', 'h.yaml'], '--task is missing'],
  ['an empty task', ['run', 'h.yaml', '--task', ' '], 'The task is empty'],
  ['a task file that is not there', ['run', 'h.yaml', '--task', '@no'], 'no task file'],
  ['a wrong duration', ['run', 'h.yaml', '--task', 't', '--timeout', 'soon'], '--timeout must be'],
  ['a wrong ambiguity policy', ['run', 'h.yaml', '--task', 't', '--on-ambiguous', 'guess'], 'hold'],
  ['a decision without --decide', ['resume', 'r', '--reason', 'x'], '--reason needs --decide'],
  [
    'a wrong decision',
    ['resume', 'r', '--decide', 'maybe'],
    'retry, accept, cancel, approve or deny',
  ],
  ['a wrong format', ['compile', 'h.yaml', '--format', 'xml'], '--format must be'],
])('refuses %s with one sentence and 64', async (_name, argv, sentence) => {
  const end = await runCli(argv, { cwd: testFolder() });
  expect(end.code).toBe(64);
  expect(end.stdout).toBe('');
  expect(end.stderr).toContain(sentence);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
});

import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { demoFile, demoProject, describeSelected, editDemo } from './demo-connector.ts';
import { runCli } from './run-cli.ts';

const env = { DEMO_SECRET: '!' };
const TRUST = '--trust-project';

test('a variable that is not set is named before a server is started', async () => {
  const cwd = demoProject();
  const end = await runCli(['connect', 'discover', 'demo', TRUST], { cwd });
  expect(end).toMatchObject({ code: 64 });
  expect(end.stderr.trim().split('\n')).toHaveLength(1);
  expect(end.stderr).toContain('The variable DEMO_SECRET is not set');
});

test.each([
  ['command', '/nowhere/node', 'does not exist'],
  ['command', '/etc/passwd', 'cannot be executed'],
  ['folder', '/nowhere', 'is no folder'],
  ['pinned_files', ['/nowhere/server.mjs'], 'does not exist'],
])('what is not there is told with its key: %s %s', async (key, value, reason) => {
  const cwd = demoProject();
  editDemo(cwd, 'connector.json', (settings) => {
    settings.transport[key] = value;
  });
  const end = await runCli(['connect', 'discover', 'demo', TRUST], { cwd, env });
  expect(end).toMatchObject({ code: 65 });
  expect(end.stderr).toContain(
    `connector.json is wrong at /transport/${key}: ${[value].flat()[0]} ${reason}`,
  );
});

test.each([
  ['draft', 'discovery.json', 'millforge connect discover demo'],
  ['admit', 'discovery.json', 'millforge connect discover demo'],
  ['diff', 'admission.json', 'millforge connect admit demo'],
  ['call', 'admission.json', 'millforge connect admit demo'],
])('%s without %s names the step that makes it', async (command, file, step) => {
  const cwd = demoProject();
  const argv = command === 'call' ? ['demo', 'say'] : ['demo'];
  const end = await runCli(['connect', command, ...argv], { cwd, env });
  expect(end).toMatchObject({ code: 64 });
  expect(end.stderr).toContain(file);
  expect(end.stderr).toContain(step);
});

test('admit without a manifest names the step that makes it', async () => {
  const cwd = demoProject();
  await runCli(['connect', 'discover', 'demo', TRUST], { cwd, env });
  const end = await runCli(['connect', 'admit', 'demo'], { cwd, env });
  expect(end).toMatchObject({ code: 64 });
  expect(end.stderr).toContain("'millforge connect draft demo' makes it");
});

test('a call asks whoever sits there, and needs --approve where nobody does', {
  tags: ['slow'],
}, async () => {
  const cwd = demoProject();
  await runCli(['connect', 'discover', 'demo', TRUST], { cwd, env });
  await runCli(['connect', 'draft', 'demo', '--select', 'say'], { cwd, env });
  describeSelected(cwd);
  await runCli(['connect', 'admit', 'demo'], { cwd, env });
  const argv = ['connect', 'call', 'demo', 'say', '--input', '{"text":"hi"}'];
  const alone = await runCli(argv, { cwd, env });
  expect(alone).toMatchObject({ code: 64, stdout: '' });
  expect(alone.stderr).toContain('--approve network_write agrees');
  const declined = await runCli(argv, { cwd, env, answers: ['n'] });
  expect(declined).toMatchObject({ code: 64, stdout: '' });
  expect(declined.stderr).toContain('{"text":"hi"}');
  const agreed = await runCli(argv, { cwd, env, answers: ['y'] });
  expect(agreed).toMatchObject({ code: 0, stdout: 'hi!\n' });
});

test('a tool that is listed is shown', { tags: ['slow'] }, async () => {
  const cwd = demoProject();
  await runCli(['connect', 'discover', 'demo', TRUST], { cwd, env });
  await runCli(['connect', 'draft', 'demo', '--select', 'say'], { cwd, env });
  describeSelected(cwd);
  await runCli(['connect', 'admit', 'demo'], { cwd, env });
  const shown = await runCli(['tools', 'show', 'connector.demo.say'], { cwd, env });
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain('approval  explicit');
  rmSync(demoFile(cwd, 'admission.json'));
  expect(await runCli(['tools', 'show', 'connector.demo.say'], { cwd, env })).toMatchObject({
    code: 64,
  });
});

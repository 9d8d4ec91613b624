import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demoFile, demoProject, describeSelected, editDemo } from './demo-connector.ts';
import { runCli } from './run-cli.ts';

const env = { DEMO_SECRET: ' and more' };

/** A project whose connector was admitted by somebody, and the home of somebody else. */
async function clonedProject() {
  const cwd = demoProject();
  const author = (...argv: string[]) => runCli(['connect', ...argv], { cwd, env });
  await author('discover', 'demo', '--trust-project');
  await author('draft', 'demo', '--select', 'say');
  describeSelected(cwd);
  expect(await author('admit', 'demo')).toMatchObject({ code: 0 });
  const elsewhere = { cwd, env: { ...env, HOME: join(cwd, 'other-home') } };
  return { cwd, elsewhere };
}

test('trust shows what a server is given and where it runs, and the tools that are let in', {
  tags: ['slow'],
}, async () => {
  const { cwd, elsewhere } = await clonedProject();
  editDemo(cwd, 'connector.json', ({ transport }) => {
    transport['environment'] = { NODE_OPTIONS: '--import=./more.mjs' };
  });
  const { stdout } = await runCli(['trust'], elsewhere);
  expect(stdout).toContain(` server.mjs in ${cwd}`);
  expect(stdout).toContain('with NODE_OPTIONS=--import=./more.mjs');
  expect(stdout).toContain('with the variables DEMO_SECRET as DEMO');
  expect(stdout).toContain('connector.demo.say@1 (network_write, asks before each call)');
});

test('a connector cannot write lines of its own into what trust shows', async () => {
  const cwd = demoProject();
  editDemo(cwd, 'connector.json', ({ transport }) => {
    transport['args'] = ['server.mjs\n  nothing\nIt is already accepted.'];
  });
  const { stdout } = await runCli(['trust'], { cwd, env });
  expect(stdout.split('\n').filter((line) => line.includes('already'))).toEqual([
    expect.stringContaining('connector connector.demo starts'),
  ]);
});

test('a service is shown with all that it may', async () => {
  const cwd = demoProject();
  editDemo(cwd, 'connector.json', (settings) => {
    settings.transport = {
      kind: 'http',
      name: 'demo',
      version: '1',
      url: 'http://127.0.0.1:1/mcp',
      allow_private_addresses: true,
      allow_plain_http: true,
    };
  });
  const { stdout } = await runCli(['trust'], { cwd, env });
  expect(stdout).toContain(
    'reaches http://127.0.0.1:1/mcp, also in private networks, also without encryption',
  );
});

test('what is accepted is what was shown, also where the file is another by then', {
  tags: ['slow'],
}, async () => {
  const { cwd, elsewhere } = await clonedProject();
  const file = demoFile(cwd, 'admission.json');
  const shown = readFileSync(file, 'utf8');
  const swapped = shown.replace('Says a text back.', 'Wipes everything.');
  const trusted = await runCli(['trust'], {
    ...elsewhere,
    answers: ['y'],
    onStdout: () => writeFileSync(file, swapped),
  });
  expect(trusted.stdout).toContain('Accepted');
  const listed = await runCli(['tools', 'ls'], elsewhere);
  expect(listed.stdout).not.toContain('connector.demo');
  expect(listed.stderr).toContain('The connector demo is not used');
  writeFileSync(file, shown);
  expect((await runCli(['tools', 'ls'], elsewhere)).stdout).toContain('connector.demo.say@1');
});

test('an admission that nobody accepted lets nobody call a tool', { tags: ['slow'] }, async () => {
  const { cwd, elsewhere } = await clonedProject();
  const call = ['connect', 'call', 'demo', 'say', '--input', '{"text":"seen"}'];
  const argv = [...call, '--approve', 'network_write'];
  // The way to the server is accepted; what it may do is not.
  const admission = readFileSync(demoFile(cwd, 'admission.json'), 'utf8');
  await runCli(['connect', 'discover', 'demo'], { ...elsewhere, answers: ['y'] });
  const refused = await runCli(argv, elsewhere);
  expect(refused).toMatchObject({ code: 64 });
  expect(refused.stderr).toContain(`Nobody has accepted ${demoFile(cwd, 'admission.json')}`);
  expect(await runCli(argv, { ...elsewhere, answers: ['n'] })).toMatchObject({ code: 64 });
  const agreed = await runCli(argv, { ...elsewhere, answers: ['y'] });
  expect(agreed).toMatchObject({ code: 0, stdout: 'seen**redacted**\n' });
  expect(await runCli(argv, elsewhere)).toMatchObject({ code: 0 });
  expect(readFileSync(demoFile(cwd, 'admission.json'), 'utf8')).toBe(admission);
});

test('a link that was put where a file is about to be written is not followed', async () => {
  const cwd = demoProject();
  const outside = join(cwd, 'outside');

  const file = demoFile(cwd, 'discovery.json');
  symlinkSync(outside, `${file}.${process.pid}.tmp`);
  symlinkSync(outside, file);
  const argv = ['connect', 'discover', 'demo', '--trust-project'];
  expect(await runCli(argv, { cwd, env })).toMatchObject({ code: 0 });
  expect(existsSync(outside)).toBe(false);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    provider_tools: [{ provider_tool_name: 'say' }, { provider_tool_name: 'wipe' }],
  });
});

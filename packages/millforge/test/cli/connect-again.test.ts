import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  demoFile,
  demoProject,
  describeSelected,
  editDemo,
  writeServer,
} from './demo-connector.ts';
import { type CliEnd, runCli } from './run-cli.ts';

const env = { DEMO_SECRET: '!' };
const TRUST = '--trust-project';

/** Commands of `connect` in one project. */
function commands(cwd: string) {
  return (...argv: string[]): Promise<CliEnd> => runCli(['connect', ...argv], { cwd, env });
}

/** A project whose tool `say` is admitted. */
async function admitted() {
  const cwd = demoProject();
  const run = commands(cwd);
  await run('discover', 'demo', TRUST);
  await run('draft', 'demo', '--select', 'say');
  describeSelected(cwd);
  expect(await run('admit', 'demo')).toMatchObject({ code: 0, stderr: '' });
  return { cwd, run };
}

test('a server that did not change is discovered and admitted again without a word', {
  tags: ['slow'],
}, async () => {
  const { cwd, run } = await admitted();
  const before = readFileSync(demoFile(cwd, 'discovery.json'), 'utf8');
  const again = await run('discover', 'demo', TRUST);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain('Nothing changed since');
  expect(readFileSync(demoFile(cwd, 'discovery.json'), 'utf8')).toBe(before);
  expect(await run('admit', 'demo')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('admit', 'demo', '--ci')).toMatchObject({ code: 0 });
});

test('a manifest that was changed by hand is pinned anew when somebody says so', {
  tags: ['slow'],
}, async () => {
  const { cwd, run } = await admitted();
  editDemo(cwd, 'manifest.json', (manifest) => {
    Object.assign(manifest.selected_tools[0] ?? {}, { side_effect_class: 'network_read' });
  });
  const refused = await run('admit', 'demo');
  expect(refused).toMatchObject({ code: 65 });
  expect(refused.stderr).toContain('Its side_effect_class was "network_write" and is');
  expect(refused.stderr).toContain('millforge connect admit demo --renew');
  const renewed = await run('admit', 'demo', '--renew');
  expect(renewed).toMatchObject({ code: 0, stderr: '' });
  expect(renewed.stdout).toContain('connector.demo.say  network_read');
  expect(await run('admit', 'demo', '--ci')).toMatchObject({ code: 0 });
  expect(await run('admit', 'demo', '--ci', '--renew')).toMatchObject({ code: 64 });
});

test('a server that changed is discovered, drafted and admitted anew, and decisions stay', {
  tags: ['slow'],
}, async () => {
  const { cwd, run } = await admitted();
  writeServer(cwd, 'Says it back, twice.', `{ name: 'more', inputSchema: { type: 'object' } },`);
  const discovered = await run('discover', 'demo', TRUST);
  expect(discovered.stdout).toContain('say: Its description changed.');
  expect(discovered.stdout).toContain('more: The server has it now.');

  const drafted = await run('draft', 'demo');
  expect(drafted).toMatchObject({ code: 0 });
  expect(drafted.stdout).toContain('more: The server has it now; it is denied.');
  expect(drafted.stdout).toContain('say: The server changed it after it was selected.');
  expect(drafted.stdout).toMatch(/^say {2}selected$/mu);
  expect(drafted.stdout).toMatch(/^more {2}denied$/mu);

  expect(await run('admit', 'demo')).toMatchObject({ code: 65 });
  const asked = await runCli(['connect', 'admit', 'demo'], { cwd, env, answers: ['y'] });
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.stderr).toContain('say: Its description changed.');
  const called = await run('call', 'demo', 'say', '--input', '{"text":"hi"}', ...YES);
  expect(called).toMatchObject({ code: 0, stdout: 'hi!\n' });
});

test('a tool that the server no longer has leaves the manifest with the next draft', {
  tags: ['slow'],
}, async () => {
  const { cwd, run } = await admitted();
  writeServer(cwd, 'Says it back.', '');
  const more = `{ name: 'more', inputSchema: { type: 'object' } },`;
  writeServer(cwd, 'Says it back.', more);
  await run('discover', 'demo', TRUST);
  await run('draft', 'demo');
  writeServer(cwd, 'Says it back.');
  await run('discover', 'demo', TRUST);
  const refused = await run('admit', 'demo');
  expect(refused.stderr).toContain("'millforge connect draft demo' leaves out");
  expect((await run('draft', 'demo')).stdout).toContain('more: The server has it no more');
  expect(await run('admit', 'demo', '--renew')).toMatchObject({ code: 0 });
});

test('a second selection joins the first, and --force begins anew', {
  tags: ['slow'],
}, async () => {
  const cwd = demoProject();
  const run = commands(cwd);
  await run('discover', 'demo', TRUST);
  const first = await run('draft', 'demo');
  expect(first.stderr).toContain('--select TOOL');
  expect((await run('admit', 'demo')).stderr).toContain('millforge connect draft demo --select');
  await run('draft', 'demo', '--select', 'say');
  describeSelected(cwd);
  await run('draft', 'demo', '--select', 'wipe');
  expect(selectedIn(cwd)).toEqual({
    say: 'Says a text back.',
    wipe: 'Say what it does in your own words.',
  });
  await run('draft', 'demo', '--force', '--select', 'say');
  expect(selectedIn(cwd)).toEqual({ say: 'Say what it does in your own words.' });
  const unknown = await run('draft', 'demo', '--select', 'shout');
  expect(unknown).toMatchObject({ code: 64 });
  expect(unknown.stderr).toContain('it has say, wipe');
});

test('a description that nobody wrote is not admitted', async () => {
  const cwd = demoProject();
  const run = commands(cwd);
  await run('discover', 'demo', TRUST);
  await run('draft', 'demo', '--select', 'say');
  const refused = await run('admit', 'demo');
  expect(refused).toMatchObject({ code: 65 });
  expect(refused.stderr).toContain('MF-C016');
  expect(refused.stderr).toContain('it is still the placeholder of the draft');
});

test('an approval is taken in each of its words, and another word is told in one finding', {
  tags: ['slow'],
}, async () => {
  const cwd = demoProject();
  const run = commands(cwd);
  await run('discover', 'demo', TRUST);
  await run('draft', 'demo', '--select', 'say');
  describeSelected(cwd);
  const admitAs = (word: string): Promise<CliEnd> => {
    editDemo(cwd, 'manifest.json', (manifest) => {
      Object.assign(manifest.selected_tools[0] ?? {}, { approval_policy: word });
    });
    return run('admit', 'demo', '--renew');
  };
  const written = (): readonly string[] =>
    (['proposals.json', 'manifest.json', 'admission.json'] as const).flatMap((file) => {
      const place = demoFile(cwd, file);
      const text = existsSync(place) ? readFileSync(place, 'utf8') : '';
      return [...text.matchAll(/"approval_policy": "(\w+)"/gu)].map(([, word = '']) => word);
    });
  expect(new Set(written())).toEqual(new Set(['explicit']));
  for (const word of ['explicit', 'out_of_band', 'millrace_explicit']) {
    const taken = await admitAs(word);
    expect(taken).toMatchObject({ code: 0 });
    expect(`${taken.stdout} ${written().join(' ')}`).not.toMatch(/millrace|operator_/u);
  }
  expect((await admitAs('out_of_band')).stdout).toContain(
    'Its approval_policy was "explicit" and is "out_of_band".',
  );
  const refused = await admitAs('ask');
  expect(refused.code).toBe(65);
  expect(refused.stderr).toContain('expected one of none, explicit, out_of_band, forbidden');
  expect(refused.stderr.match(/error MF-C\d+/gu)).toEqual(['error MF-C002']);
});

const YES = [TRUST, '--approve', 'network_write'];

function selectedIn(cwd: string): Readonly<Record<string, unknown>> {
  const manifest = JSON.parse(readFileSync(demoFile(cwd, 'manifest.json'), 'utf8'));
  return Object.fromEntries(
    manifest.selected_tools.map((tool: { readonly [field: string]: string }) => [
      tool['provider_tool_name'],
      tool['description'],
    ]),
  );
}

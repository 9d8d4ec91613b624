import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { BASE_GRANTS } from 'millforge/pi-tools';
import { expect, test } from 'vitest';
import { lastJson, runCli, testFolder } from './run-cli.ts';
import { scriptText, WRITE_AND_FINISH } from './test-harness.ts';

test('run base mends the demo project, lists what the model is told, and keeps the evidence', {
  tags: ['slow'],
}, async () => {
  const cwd = testFolder();
  const project = join(cwd, 'project');
  cpSync(join(EXAMPLE, 'project'), project, { recursive: true });
  writeFileSync(join(project, 'AGENTS.md'), 'Never change a test.');
  mkdirSync(join(cwd, '.millforge'));
  writeFileSync(join(cwd, '.millforge', 'AGENTS.md'), 'Be brief.');
  const { replies } = JSON.parse(readFileSync(join(EXAMPLE, 'base-script.json'), 'utf8'));
  await using server = await startScriptedServer({ replies });
  const argv = ['run', 'base', '--task', 'Mend it.', '--workspace', 'project', '--data', 'data'];
  const end = await runCli([...argv, '--model', `${server.url}#m`, '--json', ...FLAGS], {
    cwd,
    env: { PATH: process.env['PATH'] },
  });
  expect(end.code).toBe(0);
  const result = lastJson(end);
  expect(result).toMatchObject({ status: 'success', terminal_result: 'COMPLETE' });
  expect(readFileSync(join(project, 'src/total.js'), 'utf8')).toContain('let index = 0;');
  expect(end.stderr).toContain('instructions ~/.millforge/AGENTS.md (9 bytes)');
  expect(end.stderr).toContain('instructions AGENTS.md (20 bytes)');
  const exported = readdirSync(join(cwd, 'data', 'runs', String(result['run_id'])));
  expect(exported).toContain('evidence.json');
  expect(JSON.stringify(server.requests[0])).toContain('Never change a test.');
});

test('without a terminal run base is refused with the list of what it needs: 65', async () => {
  const { cwd, argv } = layOut();
  const end = await runCli(argv, { cwd });
  expect(end.code).toBe(65);
  for (const id of BASE_GRANTS) expect(end.stderr).toContain(`--grant ${id}`);
  const some = await runCli([...argv, ...FLAGS.slice(0, 4)], { cwd });
  expect(some.code).toBe(65);
  expect(some.stderr).toContain(`not granted: ${BASE_GRANTS.slice(2).join(', ')}; `);
  expect(some.stderr).toContain(`give ${FLAGS.join(' ')}.`);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
  expect(existsSync(join(cwd, 'out.txt'))).toBe(false);
});

test('on a terminal run base asks once per project, and again in another one', async () => {
  const { cwd, argv } = layOut();
  const no = await runCli(argv, { cwd, answers: [''] });
  expect(no).toMatchObject({ code: 65, stderr: expect.stringContaining('[y/N]') });
  const yes = await runCli(argv, { cwd, answers: ['y'] });
  expect(yes.code).toBe(0);
  const again = await runCli(argv, { cwd });
  expect(again.code).toBe(0);
  for (const id of BASE_GRANTS) expect(again.stderr).toContain(id);
  mkdirSync(join(cwd, 'other'));
  const other = await runCli([...argv, '--workspace', 'other'], { cwd });
  expect(other.code).toBe(65);
});

test('uses the only profile that is configured', async () => {
  const { cwd } = layOut();
  await using server = await startScriptedServer({ replies: WRITE_AND_FINISH });
  mkdirSync(join(cwd, '.config', 'millforge'), { recursive: true });
  const profile = { profile_id: 'my.model', base_url: server.url, model: 'm' };
  writeFileSync(
    join(cwd, '.config', 'millforge', 'config.json'),
    JSON.stringify({ kind: 'millforge_config', schema_version: '1.0', profiles: [profile] }),
  );
  const argv = ['run', 'base', '--task', 'Make out.txt.', '--data', 'data', '--json', ...FLAGS];
  expect((await runCli(argv, { cwd })).code).toBe(0);
  expect(server.requestCount).toBe(2);
});

test.each([
  ['an option of a source', ['--stage-kind', 'x'], '--stage-kind'],
  ['a workspace that is not there', ['--workspace', 'nowhere'], 'is not a directory'],
])('%s beside base is refused: 64', async (_name, extra, words) => {
  const { cwd, argv } = layOut();
  const end = await runCli([...argv, ...FLAGS, ...extra], { cwd });
  expect(end).toMatchObject({ code: 64, stderr: expect.stringContaining(words) });
});

const EXAMPLE = join(import.meta.dirname, '../../../../examples/08-coding-agent');
const FLAGS = BASE_GRANTS.flatMap((id) => ['--grant', id]);

function layOut() {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'script.json'), scriptText(WRITE_AND_FINISH));
  const task = ['--task', 'Make out.txt.', '--model', 'scripted:script.json'];
  return { cwd, argv: ['run', 'base', ...task, '--data', 'data'] };
}

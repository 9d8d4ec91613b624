import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliEnd, lastJson, runCli, testFolder } from './run-cli.ts';
import {
  GRANT_FLAGS,
  PROFILES,
  scriptText,
  testHarness,
  WRITE_AND_FINISH,
} from './test-harness.ts';

test('an export goes into a pipe itself, and leaves it a pipe', async () => {
  const { cwd, command, runId } = await finishedRun();
  const pipe = join(cwd, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Open for both ways: whoever writes waits for nobody, and what fits a pipe's buffer is kept.
  const reader = openSync(pipe, 'r+');
  const printed = await command('trail', 'export', runId);
  expect(await command('trail', 'export', runId, '--out', 'pipe')).toEqual(SILENT);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  expect(readAll(reader, printed.stdout.length)).toBe(printed.stdout);
  expect(readdirSync(cwd).filter((name) => name.startsWith('pipe'))).toEqual(['pipe']);
});

test('an export follows a link to its file, which the link still leads to', async () => {
  const { cwd, command, runId } = await finishedRun();
  mkdirSync(join(cwd, 'kept'));
  writeFileSync(join(cwd, 'kept', 'run.jsonl'), 'old');
  symlinkSync(join('kept', 'run.jsonl'), join(cwd, 'link'));
  expect(await command('trail', 'export', runId, '--out', 'link')).toEqual(SILENT);
  expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true);
  const { stdout } = await command('trail', 'export', runId);
  expect(readFileSync(join(cwd, 'kept', 'run.jsonl'), 'utf8')).toBe(stdout);
});

test('an export that would be written over its own trail is refused: 64', async () => {
  const { command, runId } = await finishedRun();
  const end = await command('trail', 'export', runId, '--out', join('data', 'trail.db'));
  expect([end.code, end.stderr]).toEqual([
    64,
    expect.stringMatching(/^millforge: [^\n]*trail\.db is the trail itself; name another file/),
  ]);
  expect((await command('trail', 'verify')).code).toBe(0);
});

test.each([
  ['a directory', '.', 'EISDIR'],
  ['a folder that is not there', 'none/run.jsonl', 'ENOENT'],
  ['a name below a file', 'script.json/run.jsonl', 'ENOTDIR'],
])('an export into %s is refused in one sentence: 64', async (_, out, code) => {
  const { cwd, command, runId } = await finishedRun();
  const before = readdirSync(cwd).toSorted();
  const end = await command('trail', 'export', runId, '--out', out);
  expect([end.code, end.stderr]).toEqual([
    64,
    expect.stringMatching(new RegExp(`^millforge: [^\\n]* cannot be written \\(${code}\\)\\.\\n$`)),
  ]);
  expect(readdirSync(cwd).toSorted()).toEqual(before);
});

test.each([
  ['runs'],
  ['runs', 'run_x'],
  ['trail', 'show', 'run_x'],
  ['trail', 'verify'],
  ['resume', 'run_x'],
  ['publish', 'list'],
  ['doctor'],
])('a data directory that is a file is refused by %s %s %s: 64', async (...argv) => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'data'), 'kept');
  const end = await runCli([...argv, '--data', 'data'], { cwd });
  expect(end).toEqual({
    code: 64,
    stdout: '',
    stderr: `millforge: The data directory ${join(cwd, 'data')} is no directory; name another with --data.\n`,
  });
  expect(readFileSync(join(cwd, 'data'), 'utf8')).toBe('kept');
});

test('a run whose trail is deleted meanwhile ends with one sentence that says so: 1', async () => {
  const { command, run } = layOut([
    WRITE_AND_FINISH[0] ?? {},
    // Longer than the trail is trusted to be where it was.
    { tool_calls: [{ name: 'bash', arguments: { command: 'rm data/trail.db; sleep 0.3' } }] },
    WRITE_AND_FINISH[1] ?? {},
  ]);
  const end = await command(...run);
  expect(end.code).toBe(1);
  expect(end.stderr.trimEnd().split('\n').at(-1)).toMatch(
    /^millforge: \S+trail\.db was deleted, moved or replaced while it was open, .*\.$/,
  );
});

const SILENT: CliEnd = { code: 0, stdout: '', stderr: '' };

async function finishedRun() {
  const { cwd, command, run } = layOut(WRITE_AND_FINISH);
  return { cwd, command, runId: String(lastJson(await command(...run, '--json'))['run_id']) };
}

function layOut(replies: readonly object[]) {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  writeFileSync(join(cwd, 'script.json'), scriptText(replies));
  const model = ['--model', 'scripted:script.json', ...GRANT_FLAGS];
  return {
    cwd,
    command: (...argv: readonly string[]) => runCli([...argv, '--data', 'data'], { cwd }),
    run: ['run', 'harness.yaml', '--task', 'Make out.txt.', ...model],
  };
}

function readAll(descriptor: number, bytes: number): string {
  const found = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) length += readSync(descriptor, found, length, bytes - length, null);
  return found.toString('utf8');
}

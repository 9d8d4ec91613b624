import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GREETER } from './support/greeter.ts';

const PACKAGE = join(import.meta.dirname, '..');
const BUILT = join(PACKAGE, 'dist', 'index.js');

test('the import connects, writes and starts nothing', { tags: ['slow'] }, ({ skip }) => {
  if (!existsSync(BUILT)) skip('the packages are not built');
  const hooks = new URL('./support/watch-effects.mjs', import.meta.url).href;
  const child = runNode(['--import', hooks, '--input-type=module', '-e', PROGRAM]);
  expect(child).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(child.stdout)).toEqual({ effects: [], driver: false, made: 'object' });
});

test('the import makes no system call that has an effect', { tags: ['slow'] }, ({ skip }) => {
  if (!existsSync(BUILT)) skip('the packages are not built');
  if (spawnSync('strace', ['-V']).status !== 0) {
    const isRequired = (process.env['MILLFORGE_REQUIRE'] ?? '').split(',').includes('strace');
    expect(isRequired, 'strace is required, but not installed').toBe(false);
    skip('strace is not installed');
  }
  const bare = systemCalls('0');
  const imported = systemCalls("import 'millforge'");
  const effects = imported.filter((call) => EFFECT.test(call));
  expect(effects.map(withoutProcess)).toEqual(
    bare.filter((call) => EFFECT.test(call)).map(withoutProcess),
  );
  expect(imported.filter((call) => /sqlite.*\.node|better.sqlite3/.test(call))).toEqual([]);
  expect(opened(imported) - opened(bare)).toBeLessThan(150);
});

test('a run in memory does not load the SQLite driver', { tags: ['slow'] }, ({ skip }) => {
  if (!existsSync(BUILT)) skip('the packages are not built');
  const folder = mkdtempSync(join(tmpdir(), 'millforge-memory-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = runNode(['--input-type=module', '-e', IN_MEMORY, GREETER, folder]);
  expect(child).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(child.stdout)).toEqual({ status: 'success', driver: false });
});

test('the command answers with its version before anything is loaded', { tags: ['slow'] }, ({
  skip,
}) => {
  if (!existsSync(BUILT)) skip('the packages are not built');
  const hooks = new URL('./support/watch-effects.mjs', import.meta.url).href;
  const child = runNode(['--import', hooks, join(PACKAGE, 'dist', 'bin.js'), '--version']);
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  expect(child).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
});

function runNode(argv: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: PACKAGE,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nowhere' },
  });
  return { status, stdout, stderr };
}

function systemCalls(program: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-strace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'calls');
  const { status } = spawnSync(
    'strace',
    [
      '-f',
      '-qq',
      '-e',
      `trace=${TRACED}`,
      '-o',
      file,
      process.execPath,
      '--input-type=module',
      '-e',
      program,
    ],
    { cwd: PACKAGE, env: { PATH: process.env['PATH'] ?? '', HOME: '/nowhere' } },
  );
  expect(status).toBe(0);
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

function opened(calls: readonly string[]): number {
  return calls.filter((call) => call.includes('openat(') && !call.includes('ENOENT')).length;
}

// A line begins with the process that made the call; addresses differ from start to start.
function withoutProcess(call: string): string {
  return call.replace(/^\d+\s+/, '').replaceAll(/"[^"]*"|0x[0-9a-f]+/g, '_');
}

const TRACED =
  'connect,bind,openat,execve,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlinkat,chmod,fchmodat,truncate,kill';
const EFFECT = /openat\(.*O_(?:WRONLY|RDWR|CREAT|TRUNC)|^\d+\s+(?!openat)\w+\(/;
const DRIVER_LOADED = `process.report.getReport().sharedObjects.some((file) => file.includes('sqlite'))`;
const PROGRAM = `
const { createMillforge } = await import('millforge');
const made = typeof createMillforge();
console.log(JSON.stringify({ effects: globalThis.effects, driver: ${DRIVER_LOADED}, made }));
`;
const IN_MEMORY = `
import { defineTool, runTask } from 'millforge';
const [harness, cwd] = process.argv.slice(1);
const greet = defineTool({
  id: 'test.greet',
  name: 'greet',
  description: 'Greets somebody.',
  input: { type: 'object' },
  sideEffect: 'read_only',
  idempotency: 'idempotent',
  run: async () => ({ kind: 'done', text: 'Greeted.' }),
});
const submit = { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'Done.' } };
const replies = [{ tool_calls: [{ name: 'greet', arguments: {} }] }, { tool_calls: [submit] }];
const { status } = await runTask({
  harness,
  cwd,
  task: 'Greet.',
  dataDir: null,
  tools: [greet],
  grants: ['terminal.intent'],
  model: { kind: 'scripted', script: { kind: 'model_script', schema_version: '1.0', replies } },
});
console.log(JSON.stringify({ status, driver: ${DRIVER_LOADED} }));
`;

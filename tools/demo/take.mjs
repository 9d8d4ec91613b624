// One take of the demo: a fresh copy of the project, a model server, and the processes of the agent.
import { fork, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const example = join(here, '..', '..', 'examples', '08-coding-agent');
const bin = join(here, '..', '..', 'packages', 'millforge', 'dist', 'bin.js');

/** Lays a fresh folder for a take and starts its model server. */
export async function openTake(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const workspace = join(folder, 'project');
  cpSync(join(example, 'project'), workspace, { recursive: true });
  const script = join(folder, 'script.json');
  writeFileSync(script, countedScript());
  const server = fork(join(here, 'scripted-server.mjs'), [script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ url }] = await once(server, 'message');
  return {
    folder,
    workspace,
    url,
    data: join(folder, 'data'),
    async requestCount() {
      server.send('count');
      const [{ requestCount }] = await once(server, 'message');
      return requestCount;
    },
    close: () => server.disconnect(),
  };
}

/** The arguments of `millforge run` for a take. */
export function runArguments(take) {
  return [
    'run',
    join(example, 'harness.yaml'),
    '--task',
    'The tests of this project fail. Find out why and mend the source, not the test.',
    '--workspace',
    take.workspace,
    '--model',
    `${take.url}#scripted`,
    '--data',
    take.data,
    ...GRANTS.flatMap((grant) => ['--grant', grant]),
  ];
}

/** Runs the millforge command, shows its progress, and gives its end. */
export function millforge(args, options = {}) {
  return runNode([bin, ...args], options);
}

/** Runs the millforge command in a process that dies at a moment of a tool. */
export function killedMillforge({ tool, phase }, args) {
  return runNode([join(here, 'killed-agent.mjs'), tool, phase, ...args], {});
}

/** Runs the project's own tests. */
export async function projectTests(take) {
  const { code, stdout } = await runNode(['--test'], { cwd: take.workspace, isQuiet: true });
  const count = (name) => Number(new RegExp(`^(?:#|ℹ) ${name} (\\d+)`, 'm').exec(stdout)?.[1] ?? 0);
  return { isGreen: code === 0, passed: count('pass'), failed: count('fail') };
}

/** The digest of a file of the project. */
export function digestOf(take, file) {
  return createHash('sha256')
    .update(readFileSync(join(take.workspace, file)))
    .digest('hex');
}

/** How often the tests were run by the agent, counted by the command itself. */
export function testRuns(take) {
  try {
    return readFileSync(join(take.folder, 'test-runs.txt'), 'utf8').trim().split('\n').length;
  } catch {
    return 0;
  }
}

// The command of the script also leaves a line outside the project, so that the demo can count how
// often it was really carried out. It writes to a file first: a command that outlives the agent has
// nobody left to read its output.
function countedScript() {
  const script = JSON.parse(readFileSync(join(example, 'script.json'), 'utf8'));
  for (const reply of script.replies) {
    for (const call of reply.tool_calls ?? []) {
      if (call.name !== 'bash') continue;
      const { command } = call.arguments;
      call.arguments.command = `${command} > ../test-log.txt && echo ran >> ../test-runs.txt; cat ../test-log.txt`;
    }
  }
  return JSON.stringify(script);
}

async function runNode(args, { cwd, isQuiet = false }) {
  const child = spawn(process.execPath, args, {
    cwd: cwd ?? process.cwd(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1' },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
    if (!isQuiet) process.stderr.write(text.replaceAll(/^(?=.)/gm, '    '));
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, stdout, stderr };
}

const GRANTS = [
  'unrestricted.filesystem.read',
  'unrestricted.filesystem.write',
  'unrestricted.process.execute',
  'terminal.intent',
];

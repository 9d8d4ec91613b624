// Runs every example on the built packages, as a user would, and compares what it prints.
//   tsx tools/run-examples.ts [--update] [name…]
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// Room for a machine that does other work; an example itself takes seconds.
const LIMIT_MS = 20_000;

interface Ending {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly isLate: boolean;
}

const isUpdate = process.argv.includes('--update');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

const examples = (existsSync('examples') ? readdirSync('examples') : [])
  .filter((name) => /^\d\d-/u.test(name))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
let failed = 0;
for (const name of examples) {
  const problems = await check(`examples/${name}`);
  for (const problem of problems) console.error(`examples/${name}: ${problem}`);
  if (problems.length > 0) failed += 1;
}
if (examples.length === 0) console.error('examples: there is nothing to run');
const passed = examples.length - failed;
console.log(`${passed} ${passed === 1 ? 'example' : 'examples'} passed, ${failed} failed`);
process.exitCode = failed === 0 && examples.length > 0 ? 0 : 1;

async function check(folder: string): Promise<readonly string[]> {
  const sandbox = mkdtempSync(join(tmpdir(), 'millforge-example-'));
  const home = join(sandbox, 'home');
  const temporary = join(sandbox, 'tmp');
  mkdirSync(home);
  mkdirSync(temporary);
  try {
    const before = listing(folder);
    const ending = await run(folder, { home, temporary });
    const left = [
      ...listing(folder).filter((file) => !before.includes(file)),
      ...listing(home),
      ...listing(temporary).filter((file) => !/^tsx-\d+/u.test(file)),
    ];
    const problems = judge(folder, ending);
    if (left.length > 0) problems.push(`left files behind: ${left.slice(0, 5).join(', ')}`);
    return problems;
  } finally {
    rmSync(sandbox, { recursive: true, force: true });
  }
}

function judge(folder: string, ending: Ending): string[] {
  if (ending.isLate) return [`was still running after ${LIMIT_MS / 1000} s (an open handle?)`];
  if (ending.code !== 0) return [`ended with exit ${ending.code}\n${ending.stderr}`];
  const file = `${folder}/expected.txt`;
  if (isUpdate) writeFileSync(file, ending.stdout);
  if (!existsSync(file)) return ['has no expected.txt'];
  const expected = readFileSync(file, 'utf8').split('\n');
  const actual = ending.stdout.split('\n');
  const line = actual.findIndex((text, index) => text !== expected[index]);
  const at = line === -1 && expected.length > actual.length ? actual.length : line;
  if (at === -1) return [];
  const [want, got] = [expected[at] ?? '(the end)', actual[at] ?? '(the end)'];
  return [`line ${at + 1} of expected.txt differs\n  expected ${want}\n  printed  ${got}`];
}

function run(
  folder: string,
  place: { readonly home: string; readonly temporary: string },
): Promise<Ending> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ['--import', tsx, 'main.ts'], {
      cwd: resolve(folder),
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: place.home,
        TMPDIR: place.temporary,
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr, isLate] = ['', '', false];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, LIMIT_MS);
    child.on('error', fail);
    child.on('close', (code) => {
      clearTimeout(timer);
      done({ stdout, stderr, code, isLate });
    });
  });
}

function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.startsWith('node_modules'),
  );
}

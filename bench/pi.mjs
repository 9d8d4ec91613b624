import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { piTools } from '../packages/pi-tools/dist/index.js';

const ORACLE = join(import.meta.dirname, '../tests/pi-oracle/package.json');

/** Every tool against the same tool of Pi, one call each in turn: medians and 95th percentiles. */
export async function benchPi() {
  const root = mkdtempSync(join(tmpdir(), 'millforge-bench-pi-'));
  try {
    const theirs = await piCaller(root);
    const sides = { ours: ourCaller(root), theirs };
    makeFiles(root);
    for (const [name, tool, input, cwd, rounds = 40] of rows(root)) {
      const prepare = tool === 'edit' ? () => writeFileSync(join(cwd, 'mega.txt'), MEGA) : () => {};
      reportRow(name, await alternate(sides, { tool, input, cwd, rounds, prepare }));
    }
    await reportLinear(sides.ours, root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function rows(root) {
  const files = join(root, 'files');
  const tree = join(root, 'tree');
  const checkout = join(import.meta.dirname, '..');
  const edits = [{ oldText: 'line 10000 of', newText: 'row 10000 of' }];
  return [
    ['read, 20,000 lines to the limit', 'read', { path: 'mega.txt' }, files, 100],
    ['read, the last lines of them', 'read', { path: 'mega.txt', offset: 19_990 }, files, 100],
    ['bash true', 'bash', { command: 'true' }, files],
    ['bash seq 100000', 'bash', { command: 'seq 100000' }, files],
    ['edit in 1 MB', 'edit', { path: 'mega.txt', edits }, files],
    ['write 1 MB', 'write', { path: 'new.txt', content: MEGA }, files],
    ['ls, 5,000 entries', 'ls', { path: 'list' }, files],
    ['grep, many hits, this repository', 'grep', { pattern: 'import' }, checkout, 20],
    ['grep, no hit, 20,000 files', 'grep', { pattern: 'no such text' }, tree, 20],
    ['grep, many hits, 20,000 files', 'grep', { pattern: 'hit' }, tree, 20],
    ['find *.ts, this repository', 'find', { pattern: '*.ts' }, checkout, 20],
    ['find one, 20,000 files', 'find', { pattern: 'f19999.txt' }, tree, 20],
    ['find *.txt, 20,000 files', 'find', { pattern: '*.txt' }, tree, 20],
  ];
}

async function alternate(sides, { tool, input, cwd, rounds, prepare }) {
  const samples = { ours: [], theirs: [] };
  for (let round = -2; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? ['ours', 'theirs'] : ['theirs', 'ours']) {
      prepare();
      const start = performance.now();
      await sides[side](tool, input, cwd);
      if (round >= 0) samples[side].push(performance.now() - start);
    }
  }
  return samples;
}

function reportRow(name, { ours, theirs }) {
  for (const [label, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ]) {
    const [a, b] = [quantile(ours, share), quantile(theirs, share)];
    const line = [`${name}, ${label}`.padEnd(44), `${(a / b).toFixed(2)} ×`.padStart(10)];
    line.push(`${a.toFixed(2)} ms`.padStart(14), `${b.toFixed(2)} ms`.padStart(14));
    process.stdout.write(`${line.join('')}  per call\n`);
  }
}

function quantile(samples, share) {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * share)];
}

/** One edit of a file of 10 MB against one of 1 MB; ten times the work is linear. */
async function reportLinear(call, root) {
  const cwd = join(root, 'files');
  const times = [];
  for (const megabytes of [1, 10]) {
    const samples = [];
    const text = MEGA.repeat(megabytes);
    for (let round = 0; round < 7; round += 1) {
      writeFileSync(join(cwd, 'long.txt'), `${text}the end\n`);
      const start = performance.now();
      const edits = [{ oldText: 'the end', newText: 'THE END' }];
      await call('edit', { path: 'long.txt', edits }, cwd);
      samples.push(performance.now() - start);
    }
    times.push(samples.toSorted((a, b) => a - b)[3]);
  }
  const [one, ten] = times;
  const line = ['edit in 10 MB / in 1 MB'.padEnd(44), `${(ten / one).toFixed(2)} ×`.padStart(10)];
  line.push(`${ten.toFixed(2)} ms`.padStart(14), `${one.toFixed(2)} ms`.padStart(14));
  process.stdout.write(`${line.join('')}  per call\n`);
}

function ourCaller(root) {
  const clock = {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    delay: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  };
  const tools = piTools({ environment: process.env, logDirectory: root });
  const { signal } = new AbortController();
  let calls = 0;
  return async (name, input, workspace) => {
    const tool = tools.find(({ descriptor }) => descriptor.model_tool_name === name).implementation;
    calls += 1;
    const key = `bench ${calls}`;
    const context = { runId: 'r', callId: key, workspace, signal, clock, idempotencyKey: key };
    const prepared = tool.check?.(input, context) ?? (await tool.prepare(input, context));
    if (prepared.kind === 'refused') throw new Error(prepared.message);
    const result = await prepared.run(context);
    await prepared.dispose?.();
    if (result.kind === 'failed') throw new Error(result.text);
  };
}

async function piCaller(root) {
  const require = createRequire(ORACLE);
  const bin = join(root, 'agent/bin');
  mkdirSync(bin, { recursive: true });
  const { rgPath } = await import(pathToFileURL(require.resolve('@vscode/ripgrep')).href);
  symlinkSync(rgPath, join(bin, 'rg'));
  // The fd of Debian 12 does not know one of the flags.
  const drop = '[ "$one" = --no-require-git ] || set -- "$@" "$one"';
  const script = `#!/bin/sh\nfor one in "$@"; do shift; ${drop}; done\nexec fdfind "$@"\n`;
  writeFileSync(join(bin, 'fd'), script);
  chmodSync(join(bin, 'fd'), 0o755);
  process.env.PI_OFFLINE = '1';
  process.env.PI_CODING_AGENT_DIR = join(root, 'agent');
  process.env.TMPDIR = root;
  const pi = join(ORACLE, '../node_modules/@earendil-works/pi-coding-agent');
  const { createTool } = await import(pathToFileURL(join(pi, 'dist/core/tools/index.js')).href);
  return async (name, input, cwd) => createTool(name, cwd).execute('id', input);
}

function makeFiles(root) {
  const files = join(root, 'files');
  mkdirSync(join(files, 'list'), { recursive: true });
  writeFileSync(join(files, 'mega.txt'), MEGA);
  for (let index = 0; index < 5000; index += 1) writeFileSync(join(files, 'list', `e${index}`), '');
  const source = readFileSync(import.meta.filename, 'utf8').slice(0, 3000);
  for (let index = 0; index < 20_000; index += 1) {
    const folder = join(root, 'tree', `a${index % 40}`, `b${index % 25}`);
    if (index < 1000) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${index}.txt`), index % 50 === 0 ? `${source}\nhit\n` : source);
  }
}

const MEGA = Array.from(
  { length: 20_000 },
  (_, index) => `line ${index + 1} of a file that is about one megabyte\n`,
).join('');

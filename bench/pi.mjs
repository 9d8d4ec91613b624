import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ourCaller, piCaller } from './pi-callers.mjs';

/** Every tool against the same tool of Pi, one call each in turn: medians and 95th percentiles. */
export async function benchPi() {
  const root = mkdtempSync(join(tmpdir(), 'millforge-bench-pi-'));
  try {
    const theirs = await piCaller(root);
    const sides = { ours: ourCaller(root), theirs };
    makeFiles(root);
    for (const [name, tool, input, cwd, rounds = 40] of rows(root)) {
      const prepare = fixtureOf(tool, cwd);
      reportRow(name, await alternate(sides, { tool, input, cwd, rounds, prepare }));
    }
    await reportWithoutRipgrep(root);
    reportLinear();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function rows(root) {
  const files = join(root, 'files');
  const tree = join(root, 'tree');
  const checkout = join(import.meta.dirname, '..');
  const edits = [{ oldText: 'line 10000 of', newText: 'row 10000 of' }];
  const small = [{ oldText: 'line 40 of', newText: 'row 40 of' }];
  return [
    ['read, 20,000 lines to the limit', 'read', { path: 'mega.txt' }, files, 100],
    ['read, the last lines of them', 'read', { path: 'mega.txt', offset: 19_990 }, files, 100],
    ['bash true', 'bash', { command: 'true' }, files, 300],
    ['bash seq 100000', 'bash', { command: 'seq 100000' }, files, 100],
    ['edit in 1 MB', 'edit', { path: 'mega.txt', edits }, files],
    ['write 4 KB, new', 'write', { path: 'new.txt', content: MEGA.slice(0, 4096) }, files, 100],
    ['write 4 KB, over it', 'write', { path: 'old.txt', content: MEGA.slice(0, 4096) }, files, 100],
    ['write 1 MB, new', 'write', { path: 'new.txt', content: MEGA }, files, 100],
    ['write 1 MB, over it', 'write', { path: 'old.txt', content: MEGA }, files, 100],
    ['edit in 4 KB', 'edit', { path: 'page.txt', edits: small }, files],
    ['ls, 5,000 entries', 'ls', { path: 'list' }, files],
    ['grep, many hits, this repository', 'grep', { pattern: 'import' }, checkout, 20],
    ['grep, no hit, 20,000 files', 'grep', { pattern: 'no such text' }, tree, 40],
    ['grep, one hit, 20,000 files', 'grep', { pattern: 'the only one' }, tree, 40],
    ['grep, a hit in 50, 20,000 files', 'grep', { pattern: 'rare' }, tree, 40],
    ['grep, a hit in 2, 20,000 files', 'grep', { pattern: 'common' }, tree, 40],
    ['grep, an expression, 20,000 files', 'grep', { pattern: 'r.re w[a-z]+d' }, tree, 40],
    ['find *.ts, this repository', 'find', { pattern: '*.ts' }, checkout, 20],
    ['find one, 20,000 files', 'find', { pattern: 'f19999.txt' }, tree, 20],
    ['find *.txt, 20,000 files', 'find', { pattern: '*.txt' }, tree, 20],
  ];
}

/** What `grep` costs where no ripgrep is there, against ours with it; the bar is 3. */
async function reportWithoutRipgrep(root) {
  const sides = { ours: ourCaller(root, { ripgrep: null }), theirs: ourCaller(root) };
  const cwd = join(root, 'tree');
  for (const pattern of ['no such text', 'rare', 'common', 'r.re w[a-z]+d']) {
    const input = { pattern };
    const call = { tool: 'grep', input, cwd, rounds: 15, prepare: fixtureOf('grep', cwd) };
    const { ours, theirs } = await alternate(sides, call);
    const [a, b] = [quantile(ours, 0.5), quantile(theirs, 0.5)];
    print(`grep ${pattern}, no ripgrep / with it`, [a / b, a, b], 'ms');
  }
}

/** Puts back what a call of the tool changes. */
function fixtureOf(tool, cwd) {
  if (tool === 'write') return () => rmSync(join(cwd, 'new.txt'), { force: true });
  if (tool !== 'edit') return () => {};
  return () => {
    writeFileSync(join(cwd, 'mega.txt'), MEGA);
    writeFileSync(join(cwd, 'page.txt'), MEGA.slice(0, 4096));
  };
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
    print(`${name}, ${label}`, [a / b, a, b], 'ms');
  }
}

function quantile(samples, share) {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * share)];
}

/** One edit of a file of 10 MB against one of 1 MB, ten times the work is linear; and its memory against Pi's. */
function reportLinear() {
  const ours = { one: editInChild('ours', 1), ten: editInChild('ours', 10) };
  const theirs = editInChild('theirs', 10);
  const { ten, one } = ours;
  print('edit in 10 MB / in 1 MB', [ten.ms / one.ms, ten.ms, one.ms], 'ms');
  print('edit in 10 MB, time', [ten.ms / theirs.ms, ten.ms, theirs.ms], 'ms');
  print('edit in 10 MB, memory', [ten.mb / theirs.mb, ten.mb, theirs.mb], 'MB');
}

function editInChild(side, megabytes) {
  const script = join(import.meta.dirname, 'pi-edit-child.mjs');
  const output = execFileSync(process.execPath, ['--expose-gc', script, side, String(megabytes)]);
  return JSON.parse(output.toString());
}

function print(name, [ratio, a, b], unit) {
  const line = [name.padEnd(44), `${ratio.toFixed(2)} ×`.padStart(10)];
  line.push(`${a.toFixed(2)} ${unit}`.padStart(14), `${b.toFixed(2)} ${unit}`.padStart(14));
  process.stdout.write(`${line.join('')}  per call\n`);
}

function makeFiles(root) {
  const files = join(root, 'files');
  mkdirSync(join(files, 'list'), { recursive: true });
  writeFileSync(join(files, 'mega.txt'), MEGA);
  for (let index = 0; index < 5000; index += 1) writeFileSync(join(files, 'list', `e${index}`), '');
  // None of the words that are searched for stands in it.
  const source = 'const value = compute(first, second);\n'.repeat(80);
  for (let index = 0; index < 20_000; index += 1) {
    const folder = join(root, 'tree', `a${index % 40}`, `b${index % 25}`);
    if (index < 200) mkdirSync(folder, { recursive: true });
    // Every folder has its share.
    const inFolder = Math.floor(index / 200);
    const rare = inFolder % 50 === 0 ? 'a rare word\n' : '';
    const only = index === 12_345 ? 'the only one\n' : '';
    const common = inFolder % 2 === 0 ? 'a common word\n' : '';
    writeFileSync(join(folder, `f${index}.txt`), source + rare + only + common);
  }
}

const MEGA = Array.from(
  { length: 20_000 },
  (_, index) => `line ${index + 1} of a file that is about one megabyte\n`,
).join('');

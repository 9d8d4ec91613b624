import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinTools, openBaseline } from '../packages/builtin-tools/dist/index.js';
import { compare, report, timed } from './measure.mjs';

/** The governed tools against git, and against the bare file system: what the path policy costs. */
export async function benchBuiltin() {
  const root = mkdtempSync(join(tmpdir(), 'millforge-bench-builtin-'));
  try {
    makeTree(root);
    const call = await caller(root);
    await benchFiles(root, call);
    await benchTree(root, call);
    await benchPatch(root, call);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function benchFiles(root, call) {
  const CALLS = 200;
  const path = join(root, 'd0/e/f1.txt');
  const each = (act) => () => timed(() => repeat(CALLS, act), CALLS);
  report(
    'read of 1 KB, three folders deep / readFile',
    await compare(
      each(() => call('read_workspace_file', { path: 'd0/e/f1.txt' })),
      each(() => readFile(path, 'utf8')),
      11,
    ),
    'call',
  );
  const content = 'x'.repeat(1024);
  report(
    'write of 1 KB, durable / writeFile and rename',
    await compare(
      each(() => call('write_workspace_file', { path: 'd0/e/new.txt', content })),
      each(async () => {
        await writeFile(`${path}.tmp`, content);
        await rename(`${path}.tmp`, path);
      }),
      7,
    ),
    'call',
  );
}

const once = (act) => () => timed(act, 1);

async function benchTree(root, call) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  report(
    'search without a hit, 20,000 files / git grep',
    await compare(
      once(() => call('search_workspace_text', { query: 'no such text' })),
      once(() => quietly(() => git('grep', '--no-index', '-F', 'no such text'))),
      5,
    ),
    'search',
  );
  git('init', '--quiet');
  git('add', '--all');
  report(
    'diff of one change in 20,000 files / git diff',
    await compare(
      once(() => call('read_workspace_diff', {})),
      once(() => git('diff')),
      5,
    ),
    'diff',
  );
}

async function benchPatch(root, call) {
  const paths = Array.from({ length: 50 }, (_, index) => `d1/e/f${index}.txt`);
  const patchOf = (from, to) =>
    paths
      .map((path) => `--- a/${path}\n+++ b/${path}\n@@ -1,4 +1,4 @@\n-${from}\n+${to}\n${CONTEXT}`)
      .join('');
  let isChanged = false;
  const next = () => {
    isChanged = !isChanged;
    return isChanged ? patchOf(LINE, 'changed') : patchOf('changed', LINE);
  };
  report(
    'patch of 50 files, durable / git apply',
    await compare(
      () => timed(() => call('apply_workspace_patch', { patch: next() }), 1),
      () => timed(() => execFileSync('git', ['apply', '-'], { cwd: root, input: next() }), 1),
      7,
    ),
    'patch',
  );
}

const LINE = 'line of text number 0';
const CONTEXT = ` ${LINE}\n ${LINE}\n ${LINE}\n`;

function makeTree(root) {
  const text = `${LINE}\n`.repeat(45);
  for (let folder = 0; folder < 200; folder += 1) {
    mkdirSync(join(root, `d${folder}/e`), { recursive: true });
    for (let file = 0; file < 100; file += 1) {
      writeFileSync(join(root, `d${folder}/e/f${file}.txt`), text);
    }
  }
}

/** Calls a tool as the executor would, without the executor. */
async function caller(root) {
  const clock = {
    now: () => Date.now() + 60_000,
    monotonicMs: () => performance.now(),
    delay: async () => undefined,
  };
  const baseline = await openBaseline({ workspace: root, directory: null, clock });
  writeFileSync(join(root, 'd5/e/f5.txt'), 'changed\n');
  const tools = builtinTools({ findRun: () => ({ baseline }) });
  const context = {
    runId: 'run-1',
    callId: 'call-1',
    workspace: root,
    signal: new AbortController().signal,
    clock,
    idempotencyKey: 'key',
  };
  return async (name, input) => {
    const { implementation } = tools.find((one) => one.descriptor.model_tool_name === name);
    const prepared = await implementation.prepare(input, context);
    if (prepared.kind === 'refused') throw new Error(prepared.message);
    const result = await prepared.run(context);
    await prepared.dispose?.();
    if (result.kind === 'failed') throw new Error(result.text);
  };
}

async function repeat(times, act) {
  for (let index = 0; index < times; index += 1) await act();
}

/** A search without a hit is a failure of git. */
function quietly(act) {
  try {
    act();
  } catch {
    // Nothing was found, as it should be.
  }
}

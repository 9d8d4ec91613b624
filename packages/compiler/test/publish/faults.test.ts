import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CompileFileOutcome,
  compileFile,
  type PublishFiles,
  systemFiles,
  toCompileResultJson,
} from '@millforge/compiler/publish';
import { canonicalJson } from '@millforge/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  filesIn,
  type LaidOut,
  layOutIn,
  PLAN_NAME,
  planBytes,
  REPORT_NAME,
} from '../support/disk.ts';
import { type DiskOperation, faultyDisk } from '../support/faulty-disk.ts';
import { findResultFaults } from '../support/result-invariants.ts';

const ERRORS = ['ENOSPC', 'EROFS', 'EACCES', 'EEXIST', 'EIO'];

/** What may stand in the place of the plan before. */
const BEFORE = { nothing: null, 'the plan': 'plan', 'another file': 'mine' } as const;

let folder = '';
let plan = '';
let lay: LaidOut;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millforge-faults-'));
  lay = await layOutIn(folder);
  plan = new TextDecoder().decode(await planBytes());
});

afterAll(() => rm(folder, { recursive: true }));

async function emptyOutput(before: string | null): Promise<void> {
  for (const name of await readdir(lay.output)) await rm(join(lay.output, name));
  const text = before === 'plan' ? plan : before;
  if (text !== null) await writeFile(join(lay.output, PLAN_NAME), text);
}

async function compileOn(files: PublishFiles): Promise<CompileFileOutcome> {
  return compileFile(lay.request, { ...lay.input, fs: files });
}

async function operationsOf(before: string | null, base = systemFiles) {
  await emptyOutput(before);
  const { files, operations } = faultyDisk(null, base);
  await compileOn(files);
  return operations;
}

/** Everything on the disk that an outcome does not say, or says wrongly. */
async function findLies(outcome: CompileFileOutcome, before: string | null): Promise<string[]> {
  const files = await filesIn(lay.output);
  const lies = [...findResultFaults(toCompileResultJson(outcome))];
  const standing = files.get(PLAN_NAME) ?? null;
  if (before === 'mine' && standing !== 'mine') lies.push('the file of somebody else was touched');
  if (standing !== null && standing !== plan && standing !== 'mine') lies.push('a partial plan');
  const isPublished = outcome.kind.startsWith('published');
  if (isPublished && standing !== plan) lies.push('no plan where one was published');
  const isDenied = ['rejected', 'conflict', 'not_written'].includes(outcome.kind);
  if (isDenied && before === null && standing === plan) lies.push('a plan that was denied');
  if (outcome.kind === 'conflict' && before !== 'mine') lies.push('a conflict with nothing');
  const report = files.get(REPORT_NAME);
  const wanted = canonicalJson(toCompileResultJson(outcome));
  if (outcome.report.kind === 'committed' && report !== wanted) lies.push('no such report');
  if (outcome.report.kind === 'absent' && report !== undefined)
    lies.push('a report that was denied');
  if (report !== undefined) JSON.parse(report);
  const told = JSON.stringify(outcome.diagnostics);
  for (const name of files.keys()) {
    const isKnown = name === PLAN_NAME || name === REPORT_NAME || told.includes(name);
    if (!isKnown) lies.push(`${name} was left without a word`);
  }
  if (told.includes('/secret/path')) lies.push('the text of a system error');
  return lies;
}

function named(operation: DiskOperation | undefined): string {
  return operation === undefined ? 'nothing' : `${operation.name} ${operation.path}`;
}

const withoutAnchor: PublishFiles = { ...systemFiles, anchor: () => null };

// A disk is slow: all errors at all operations take half a minute.
const isThorough = process.env['MILLFORGE_FAULTS'] === 'all';

test('whatever fails, the outcome tells the truth (O-05, O-06)', {
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const lies: string[] = [];
  const seen = new Set<string>();
  for (const [what, before] of Object.entries(BEFORE)) {
    const count = (await operationsOf(before)).length;
    expect(count).toBeGreaterThan(20);
    for (let at = 0; at < count; at++) {
      const isAll = isThorough || before === null;
      for (const error of isAll ? ERRORS : ERRORS.slice(at % 5, (at % 5) + 1)) {
        await emptyOutput(before);
        const { files, operations } = faultyDisk({ at, how: { error } });
        const outcome = await compileOn(files);
        seen.add(`${outcome.kind} ${outcome.report.kind}`);
        const place = `${named(operations[at])} ${error} with ${what}`;
        lies.push(...(await findLies(outcome, before)).map((lie) => `${place}: ${lie}`));
      }
    }
  }
  expect(lies).toEqual([]);
  expect([...seen].toSorted()).toEqual([
    'conflict committed',
    'conflict unknown',
    'not_written absent',
    'not_written committed',
    'publish_unsure committed',
    'published committed',
    'published_report_unsure unknown',
    'rejected absent',
  ]);
});

test('what a network did and reports as failed is told truly', async () => {
  const lies: string[] = [];
  for (const before of Object.values(BEFORE)) {
    for (const [at, operation] of (await operationsOf(before)).entries()) {
      if (!['link', 'rename', 'unlink', 'handle.sync'].includes(operation.name)) continue;
      await emptyOutput(before);
      const { files } = faultyDisk({ at, how: { error: 'EIO', isDone: true } });
      const found = await findLies(await compileOn(files), before);
      lies.push(...found.map((lie) => `${named(operation)}: ${lie}`));
    }
  }
  expect(lies).toEqual([]);
});

test('a process that dies leaves a whole plan or none', {
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const wrong: string[] = [];
  for (const [what, before] of Object.entries(BEFORE)) {
    const planned = await operationsOf(before);
    // Before the first file is made there is nothing that could be left.
    const start = planned.findIndex(({ path }) => path.startsWith('.millforge-'));
    expect(start).toBeGreaterThan(0);
    for (let at = start; at < planned.length; at++) {
      const isAll = isThorough || before === null;
      for (const how of DEATHS.slice(isAll ? 0 : at % 2, isAll ? 2 : (at % 2) + 1)) {
        await emptyOutput(before);
        const { files, operations } = faultyDisk({ at, how });
        await compileOn(files);
        const place = `${how} ${named(operations[at])} with ${what}`;
        wrong.push(...(await findRubbish(before)).map((fault) => `${place}: ${fault}`));
        // Whoever comes after is not hindered by what was left.
        const next = await compileOn(systemFiles);
        const expected = before === 'mine' ? 'conflict' : 'published';
        if (next.kind !== expected) wrong.push(`${place}: then ${next.kind}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

const DEATHS = ['die-before', 'die-after'] as const;

/** What a process that died may not have left. */
async function findRubbish(before: string | null): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, text] of await filesIn(lay.output)) {
    if (name === PLAN_NAME) {
      if (text !== (before === 'mine' ? 'mine' : plan)) wrong.push('a partial plan');
    } else if (name === REPORT_NAME) {
      if (!text.endsWith('}\n')) wrong.push('a partial report');
    } else if (!/^\.millforge-[0-9a-f]{16}-\d+\.tmp$/.test(name)) {
      wrong.push(name);
    }
  }
  return wrong;
}

test('whatever fails where nothing anchors a directory, the outcome tells the truth', async () => {
  const count = (await operationsOf(null, withoutAnchor)).length;
  const lies: string[] = [];
  for (let at = 0; at < count; at++) {
    await emptyOutput(null);
    const { files, operations } = faultyDisk({ at, how: { error: 'EIO' } }, withoutAnchor);
    const found = await findLies(await compileOn(files), null);
    lies.push(...found.map((lie) => `${named(operations[at])}: ${lie}`));
  }
  expect(lies).toEqual([]);
});

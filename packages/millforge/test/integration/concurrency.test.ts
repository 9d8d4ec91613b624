/** @module-tag slow */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ScriptedServer, startScriptedServer } from '@millforge/models/testing';
import { type Clock, createMillforge, type Ids, type Millforge } from 'millforge';
import { ALL_PERMISSIONS, type Kernel, openKernel } from 'millforge/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleChild } from '../crash/bundle-child.ts';
import { GRANTS } from '../crash/scripted-run.ts';
import { compiledPlan } from './compiled-plan.ts';
import { createRunFixture, trailOf, until } from './run-fixture.ts';
import { TOKEN_KEYS, tokenReplies, tokenWorkspace } from './token-run.ts';

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'millforge-many-'));
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};
const ids: Ids = { newId: (prefix) => `${prefix}_of-the-test` };

interface TokenRun {
  readonly token: string;
  readonly workspace: string;
  readonly server: ScriptedServer;
}

async function prepare(directory: string, place: number): Promise<TokenRun> {
  const token = `token-${place.toString(36)}-${(place * 7919).toString(36).padStart(6, '0')}-end`;
  const server = await startScriptedServer({ replies: tokenReplies(token) });
  return { token, server, workspace: tokenWorkspace(directory, token) };
}

/** Everything that a run left behind anywhere: requests, records, outcomes, exports, files. */
async function tracesOf(
  parts: { readonly millforge: Millforge; readonly kernel: Kernel; readonly dataDir: string },
  { server, workspace }: TokenRun,
  runId: string,
): Promise<readonly string[]> {
  const { millforge, kernel, dataDir } = parts;
  const exports = join(dataDir, 'runs', runId);
  const scope = {
    tenant: 'local',
    resource: dataDir,
    actor: 'ann@host',
    permissions: ALL_PERMISSIONS,
  };
  const operations = await Promise.all(
    TOKEN_KEYS.map((key) => kernel.readOperation(scope, runId, { key })),
  );
  return [
    ...server.requests.map(({ text }) => text),
    JSON.stringify(await trailOf(millforge, runId)),
    JSON.stringify(await millforge.readRun(runId)),
    JSON.stringify(operations),
    readFileSync(join(exports, 'events.jsonl'), 'utf8'),
    readFileSync(join(exports, 'tool_trace.jsonl'), 'utf8'),
    readFileSync(join(workspace, 'token.txt'), 'utf8'),
  ];
}

test('two hundred runs at once on one trail all finish, and none sees anything of another', async () => {
  const directory = join(root, 'one-process');
  const dataDir = join(directory, 'data');
  const runs = await Promise.all(
    Array.from({ length: 200 }, (_, place) => prepare(directory, place)),
  );
  await using millforge = createMillforge({ dataDir, actor: 'ann@host' });
  const plan = compiledPlan(millforge);
  const ended = await Promise.all(
    runs.map(async ({ token, server, workspace }) => {
      const run = await millforge.run({
        plan,
        task: `Keep ${token}.`,
        workspace,
        grants: GRANTS,
        model: {
          kind: 'endpoint',
          profile: { profile_id: 'test.small', base_url: server.url, model: 'scripted' },
        },
      });
      return run.result;
    }),
  );
  expect(ended.filter(({ status }) => status !== 'success')).toEqual([]);
  expect(runs.map(({ server }) => server.requestCount)).toEqual(runs.map(() => 3));
  expect(await millforge.verifyTrail()).toMatchObject({ ok: true, goals: 200 });

  await using kernel = await openKernel({ path: join(dataDir, 'trail.db'), clock, ids });
  const strangers: unknown[] = [];
  for (const [place, run] of runs.entries()) {
    const runId = ended[place]?.run_id ?? '';
    const traces = await tracesOf({ millforge, kernel, dataDir }, run, runId);
    const found = new Set(
      traces.flatMap((trace) => trace.match(/token-[0-9a-z]+-[0-9a-z]+-end/gu)),
    );
    if (found.size !== 1 || !found.has(run.token)) strangers.push({ run: run.token, found });
    if (traces.some((trace) => trace === '')) strangers.push({ run: run.token, found: 'nothing' });
  }
  expect(strangers).toEqual([]);
  await Promise.all(runs.map(({ server }) => server.close()));
}, 300_000);

test('two owners that resume one run at once do its work once', async () => {
  const fixture = await createRunFixture();
  const first = fixture.open();
  const run = await fixture.start(first, {
    onEvent(event) {
      if (event.kind === 'model-replied' && event.turn === 3) run.stop();
    },
  });
  expect((await run.result).status).toBe('interrupted');
  const owners = [first, fixture.open()];
  const ends = await Promise.allSettled(
    owners.map(async (millforge) => (await millforge.resume(run.runId)).result),
  );
  for (const end of ends) {
    if (end.status === 'fulfilled') expect(end.value.status).toBe('success');
    else expect(end.reason).toMatchObject({ code: 'kernel/run-active' });
  }
  expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true);
  expect(fixture.commands()).toBe(1);
  expect(fixture.server.requestCount).toBe(6);
  expect((await first.verifyTrail(run.runId)).ok).toBe(true);
});

test('four processes on one trail all make progress', async () => {
  const directory = join(root, 'four-processes');
  const program = await bundleChild(join(import.meta.dirname, 'worker-child.ts'));
  const files = { log: join(directory, 'log.txt'), go: join(directory, 'go') };
  const workers = Array.from({ length: 4 }, (_, place) => `worker-${place}`);
  for (const worker of workers) tokenWorkspace(directory, worker);
  const linesOf = (worker: string): number =>
    readLines(files.log).filter((line) => line === worker).length;
  const exits = workers.map(
    (worker) =>
      new Promise<number | null>((resolve, reject) => {
        const child = spawn(process.execPath, [program, directory, worker, String(RUNS)], {
          stdio: 'inherit',
        });
        child.on('error', reject);
        child.on('close', resolve);
      }),
  );
  // All of them stand at the same line before the first one goes.
  await until('all processes are ready', () => workers.every((worker) => linesOf(worker) === 1));
  writeFileSync(files.go, '');
  expect(await Promise.all(exits)).toEqual([0, 0, 0, 0]);

  const order = readLines(files.log).slice(workers.length);
  expect(order).toHaveLength(4 * RUNS);
  const counts = new Map(workers.map((worker) => [worker, 0]));
  for (const worker of order) {
    const count = (counts.get(worker) ?? 0) + 1;
    counts.set(worker, count);
    if (count === RUNS) break;
  }
  // When the fastest has done all of its work, the slowest must have done a fair part of its own.
  expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(RUNS / 5);

  await using millforge = createMillforge({ dataDir: join(directory, 'data') });
  expect(await millforge.verifyTrail()).toMatchObject({ ok: true, goals: 4 * RUNS });
  rmSync(dirname(dirname(program)), { recursive: true, force: true });
}, 300_000);

function readLines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

const RUNS = 20;

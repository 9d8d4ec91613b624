import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Clock,
  createMillforge,
  type Millforge,
  piTools,
  type RunEvent,
  type RunHandle,
  type RunResult,
} from 'millforge';
import { ALL_PERMISSIONS, openKernel, type Scope } from 'millforge/kernel';
import { compiledPlan } from '../integration/compiled-plan.ts';
import type { ChildOrder, LogLine } from './child-order.ts';
import type { ChildReport } from './child-report.ts';
import { readLog } from './read-log.ts';
import { SAVING_GOAL, savingAdapter } from './saving-goal.ts';
import { GRANTS, placesIn } from './scripted-run.ts';

// node child.mjs ORDER   does what the order says; see child-order.ts

const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay(ms, signal) {
    const time = order.trouble === 'fast-clock' ? ms / 100 : ms;
    return delay(time, undefined, signal === undefined ? {} : { signal });
  },
};
const newId = (prefix: string): string =>
  prefix === 'run' ? RUN_ID : `${prefix}_${randomBytes(10).toString('hex')}`;
const order: ChildOrder = JSON.parse(process.argv[2] ?? '{}');
const places = placesIn(order.directory);
const RUN_ID = 'run_scripted';
const TRAIL = `${places.data}/trail.db`;
const ACTOR = 'ann@host';
const scope: Scope = {
  tenant: 'local',
  resource: places.data,
  actor: ACTOR,
  permissions: ALL_PERMISSIONS,
};

let left = order.kill?.count ?? 0;
let handle: RunHandle | null = null;
let isBroken = false;

await perform();

async function perform(): Promise<void> {
  if (order.command === 'save') return save();
  await using millforge = createMillforge({
    dataDir: places.data,
    actor: ACTOR,
    clock,
    ids: { newId },
    fetch: askModel,
    failpoint: reach,
    shippedTools: piTools({
      onEffect(tool, phase, path) {
        if (phase === 'after-effect') {
          log({ kind: 'effect', effect: `${tool} ${path?.split('/').at(-1) ?? ''}`.trim() });
        }
        reach(`${phase}:${tool}`);
        if (phase === 'before-effect') return;
        if (tool === 'bash') whenCommandRuns();
        if (order.trouble === 'break-off' && !isBroken) {
          isBroken = true;
          throw new Error('The connection to the disk is lost.');
        }
      },
    }),
  });
  switch (order.command) {
    case 'start':
      await (await start(millforge)).result;
      break;
    case 'resume':
      await (await resume(millforge)).result;
      break;
    case 'decide':
      await decide(millforge);
      break;
    case 'finish':
      await finish(millforge);
  }
}

async function start(millforge: Millforge): Promise<RunHandle> {
  handle = await millforge.run({
    plan: compiledPlan(millforge),
    task: 'Do it all.',
    workspace: places.workspace,
    model: {
      kind: 'endpoint',
      profile: { profile_id: 'test.small', base_url: order.url, model: 'scripted', max_retries: 0 },
    },
    grants: GRANTS,
    onEvent,
  });
  return handle;
}

async function resume(millforge: Millforge): Promise<RunHandle> {
  handle = await millforge.resume(RUN_ID, { onEvent });
  return handle;
}

async function decide(millforge: Millforge): Promise<RunResult> {
  return millforge.decide(RUN_ID, {
    holdId: null,
    decision: order.answer ?? 'accept',
    reason: 'I looked.',
  });
}

/** Does what a person does after a crash: goes on, answers what is asked, and looks at the end. */
async function finish(millforge: Millforge): Promise<void> {
  const held: ChildReport['held'][number][] = [];
  let run = await goOn(millforge);
  let result = await run.result;
  while (result.status === 'held') {
    held.push(...result.holds.map(({ operation, reason }) => ({ operation, reason })));
    await decide(millforge);
    run = await resume(millforge);
    result = await run.result;
  }
  const report: ChildReport = {
    pid: process.pid,
    held,
    status: result.status,
    summary: result.summary,
    verdict: await millforge.verifyTrail(),
    recorded: await readRecorded(),
  };
  process.stdout.write(JSON.stringify(report));
}

/** A run that died before it was admitted left nothing behind and is started again. */
async function goOn(millforge: Millforge): Promise<RunHandle> {
  const runs = await millforge.listRuns();
  return runs.some(({ runId }) => runId === RUN_ID) ? resume(millforge) : start(millforge);
}

/** What the trail keeps of everything that the host was ever told, in the words in which it was told. */
async function readRecorded(): Promise<ChildReport['recorded']> {
  const keys = new Set(readLog(places).flatMap((line) => (line.kind === 'told' ? line.key : [])));
  await using kernel = await openKernel({ path: TRAIL, clock, ids: { newId } });
  const recorded: Record<string, string> = {};
  for (const key of keys) {
    const { outcome } = await kernel.readOperation(scope, RUN_ID, { key });
    recorded[key] = toldText(outcome?.value);
  }
  return recorded;
}

function toldText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'nothing';
  if ('outcome' in value) return textField(value.outcome, 'text');
  if (!('reply' in value) || typeof value.reply !== 'object' || value.reply === null) return '';
  const calls = 'tool_calls' in value.reply ? value.reply.tool_calls : [];
  return Array.isArray(calls) ? calls.map((call) => textField(call, 'name')).join() : '';
}

function textField(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return '';
  return String(new Map<string, unknown>(Object.entries(value)).get(name));
}

async function save(): Promise<void> {
  await using kernel = await openKernel({
    path: TRAIL,
    clock,
    ids: { newId },
    failpoint: reach,
  });
  await kernel.admitGoal(scope, SAVING_GOAL);
  const run = kernel.runGoal(scope, SAVING_GOAL.goal_id, { adapters: [savingAdapter] });
  const { state } = await run.done;
  if (state !== 'completed') throw new Error(`The goal is ${state}.`);
}

function onEvent(event: RunEvent): void {
  if (event.kind === 'call-started') {
    log({ kind: 'begun', key: callKey(event), replayed: event.replayed });
  }
  if (event.kind === 'call-ended') {
    log({ kind: 'told', key: callKey(event), replayed: event.replayed, text: event.text });
  }
  if (event.kind !== 'model-replied') return;
  const { turn, replayed, calls } = event;
  log({ kind: 'told', key: `model/${turn}`, replayed, text: calls.join() });
  if (turn !== 3) return;
  if (order.trouble === 'cancel') handle?.cancel('enough').catch(fail);
  if (order.trouble === 'throw') throw new Error('The listener of the host is broken.');
}

function callKey({ turn, index }: { readonly turn: number; readonly index: number }): string {
  return `tool/${turn}/${index}`;
}

async function askModel(...request: Parameters<typeof fetch>): Promise<Response> {
  reach('asking:model');
  const response = await fetch(...request);
  reach('answered:model');
  if (order.trouble === 'cancel-elsewhere') {
    await using other = await openKernel({
      path: TRAIL,
      clock,
      ids: { newId },
    });
    const { state, version } = await other.readGoal(scope, RUN_ID);
    if (state === 'running') await other.cancelGoal(scope, RUN_ID, { version, reason: 'enough' });
  }
  return response;
}

function whenCommandRuns(): void {
  if (order.trouble === 'stop-in-command') handle?.stop();
  if (order.trouble !== 'stop-now-in-command') return;
  const wait = setInterval(() => {
    if (!existsSync(places.counter)) return;
    clearInterval(wait);
    handle?.stop({ now: true });
  }, 2);
}

/** Comes to a moment, and dies there if the order says so. */
function reach(moment: string): void {
  log({ kind: 'moment', moment });
  if (moment !== order.kill?.moment) return;
  left -= 1;
  if (left !== 0) return;
  if (order.kill.isLate === true) setImmediate(die);
  else die();
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function log(line: DistributiveOmit<LogLine, 'pid'>): void {
  appendFileSync(places.log, `${JSON.stringify({ pid: process.pid, ...line })}\n`);
}

function fail(error: unknown): void {
  process.stderr.write(String(error));
  process.exitCode = 1;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

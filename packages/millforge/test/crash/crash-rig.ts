import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { bundleChild } from './bundle-child.ts';
import type { ChildOrder, LogLine } from './child-order.ts';
import type { ChildReport } from './child-report.ts';
import { readLog } from './read-log.ts';
import {
  BASH_KEY,
  CHANGED_FILES,
  countingCommand,
  makeWorkspace,
  type RunPlaces,
  scriptedReplies,
} from './scripted-run.ts';

/** What is done to one run before a fresh process finishes it. */
export interface Crash {
  /** Processes in their order; those with a `kill` must die of it. */
  readonly legs: readonly Omit<ChildOrder, 'directory' | 'url'>[];
  /** How a person answers what the last process is asked; `accept` unless given. */
  readonly answer?: 'accept' | 'retry';
  /** How the run must end; `success` unless given. */
  readonly ends?: 'success' | 'cancelled' | 'failed';
  /** Seconds for which the command goes on after its effect. */
  readonly lingersFor?: number;
}

/** What one crashed and finished run left behind. */
export interface CrashReport {
  readonly crash: Crash;
  /** Processes that died. */
  readonly killed: number;
  readonly finished: ChildReport;
  /** All that its processes wrote, in order. */
  readonly log: readonly LogLine[];
  /** Lines of the log that were there when the last process began. */
  readonly seen: number;
  /** Completion requests that the model server saw. */
  readonly requests: number;
  /** Runs of the shell command: when the last process began, and at the end. */
  readonly commands: readonly [before: number, after: number];
  /** Whether the call that nobody can look for was admitted and neither recorded nor decided. */
  readonly isInDoubt: boolean;
  /** Files that were changed before the last process began, and were touched again since. */
  readonly touchedAgain: readonly string[];
  /** Changed files as they are at the end. */
  readonly files: Readonly<Record<string, string | null>>;
}

/** Starts processes on one bundled program, and kills them. */
export interface CrashRig extends Disposable {
  /** Runs the script undisturbed and gives the log. */
  readonly rehearse: (legs: Crash['legs']) => Promise<readonly LogLine[]>;
  /** Crashes a run and has it finished by a fresh process. */
  readonly crash: (crash: Crash) => Promise<CrashReport>;
}

/** Bundles the program and makes a folder for its runs. */
export async function createCrashRig(): Promise<CrashRig> {
  const program = await bundleChild(join(import.meta.dirname, 'child.ts'));
  const root = mkdtempSync(join(tmpdir(), 'millforge-crash-'));
  let runs = 0;

  const prepare = (): { readonly directory: string; readonly places: RunPlaces } => {
    runs += 1;
    const directory = join(root, String(runs));
    return { directory, places: makeWorkspace(directory) };
  };

  return {
    async rehearse(legs) {
      const { directory, places } = prepare();
      await using server = await startScriptedServer({ replies: scriptedReplies(places) });
      await runLegs(program, { legs, directory, url: server.url });
      const log = readLog(places);
      rmSync(directory, { recursive: true });
      return log;
    },
    async crash(crash) {
      const { directory, places } = prepare();
      const { answer, lingersFor } = crash;
      await using server = await startScriptedServer({
        replies: scriptedReplies(places, { command: countingCommand(places, lingersFor) }),
      });
      const killed = await runLegs(program, { legs: crash.legs, directory, url: server.url });
      const seen = readLog(places);
      await commandHasCounted(seen, places);
      const before = { commands: countCommands(places), files: filesChanged(seen, places) };
      const { stdout } = await runChild(program, {
        directory,
        url: server.url,
        command: 'finish',
        ...(answer === undefined ? {} : { answer }),
      });
      const finished: ChildReport = JSON.parse(stdout);
      const after = filesChanged(seen, places);
      const report: CrashReport = {
        crash,
        killed,
        finished,
        log: readLog(places),
        seen: seen.length,
        requests: server.requestCount,
        commands: [before.commands, countCommands(places)],
        isInDoubt: isInDoubt(seen),
        touchedAgain: [...before.files].flatMap(([name, stamp]) =>
          after.get(name) === stamp ? [] : [name],
        ),
        files: Object.fromEntries(
          Object.keys(CHANGED_FILES).map((name) => {
            const path = join(places.workspace, name);
            return [name, existsSync(path) ? readFileSync(path, 'utf8') : null];
          }),
        ),
      };
      rmSync(directory, { recursive: true });
      return report;
    },
    [Symbol.dispose]() {
      rmSync(root, { recursive: true, force: true });
      rmSync(dirname(dirname(program)), { recursive: true, force: true });
    },
  };
}

/** Runs jobs, two processes at a time. */
export async function twoAtOnce<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const queue = items.map((item, place) => ({ item, place }));
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results.set(next.place, await work(next.item));
    }
  };
  await Promise.all([worker(), worker()]);
  return [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result);
}

/** Runs processes one after the other; tells how many were killed. */
async function runLegs(
  program: string,
  {
    legs,
    ...where
  }: { readonly legs: Crash['legs']; readonly directory: string; readonly url: string },
): Promise<number> {
  let killed = 0;
  for (const leg of legs) {
    const { signal, code, stderr } = await runChild(program, { ...where, ...leg });
    const mustDie = leg.kill !== undefined && leg.kill.mayMiss !== true;
    if (signal === 'SIGKILL' ? leg.kill === undefined : code !== 0 || mustDie) {
      throw new Error(`${JSON.stringify(leg)} ended with ${String(signal ?? code)}: ${stderr}`);
    }
    if (signal === 'SIGKILL') killed += 1;
  }
  return killed;
}

interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runChild(program: string, order: ChildOrder): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stdout = textOf(child.stdout);
    const stderr = textOf(child.stderr);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const end = { code, signal, stdout: stdout(), stderr: stderr() };
      if (order.command === 'finish' && code !== 0) {
        reject(new Error(`The process that finishes ended with ${String(code)}: ${end.stderr}`));
      } else {
        resolve(end);
      }
    });
  });
}

function textOf(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

function countCommands({ counter }: RunPlaces): number {
  return existsSync(counter) ? readFileSync(counter, 'utf8').trim().split('\n').length : 0;
}

/** A command outlives the process that started it: whoever looks waits until it has done its work. */
async function commandHasCounted(log: readonly LogLine[], places: RunPlaces): Promise<void> {
  const started = log.filter((line) => line.kind === 'effect' && line.effect === 'bash').length;
  const end = performance.now() + 5000;
  while (countCommands(places) < started && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Identity and last change of the files whose change was counted. */
function filesChanged(
  log: readonly LogLine[],
  { workspace }: RunPlaces,
): ReadonlyMap<string, string> {
  const names = log.flatMap((line) =>
    line.kind === 'effect' && line.effect !== 'bash' ? [line.effect.split(' ')[1] ?? ''] : [],
  );
  return new Map(
    names.map((name) => {
      const { ino, ctimeNs } = statSync(join(workspace, name), { bigint: true });
      return [name, `${ino} ${ctimeNs}`];
    }),
  );
}

/** Follows the one unsafe call through the moments of all processes. */
function isInDoubt(log: readonly LogLine[]): boolean {
  let isCurrent = false;
  let isOpen = false;
  for (const line of log) {
    if (line.kind === 'begun' || line.kind === 'told') {
      isCurrent = line.kind === 'begun' && line.key === BASH_KEY && !line.replayed;
    }
    if (line.kind !== 'moment') continue;
    const { moment } = line;
    if (isCurrent && moment === 'after:admit-operation') isOpen = true;
    if (isCurrent && moment === 'after:record-operation') isOpen = false;
    if (moment === 'after:decide-hold') isOpen = false;
  }
  return isOpen;
}

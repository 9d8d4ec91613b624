import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Clock } from '@millforge/contracts';

/** Name of the variable by which the processes of a call are found again. */
export const CALL_KEY = 'MILLFORGE_CALL_KEY';

/** The processes of one call. */
export interface CallProcesses {
  /** Its process group; null when only the key is known. */
  readonly group: number | null;
  /** Key of the call, which all its processes carry in their environment. */
  readonly key: string;
  /** What its first process wrote to, as the host names it; whoever still holds that belongs to it. */
  readonly outputs?: readonly string[];
  readonly clock: Clock;
}

/**
 * Ends all that a call has started: asks first, then forces, also what left the process group where the
 * host can tell (Linux). Resolves to whether all of it was seen to be gone.
 */
export async function endProcesses(call: CallProcesses): Promise<boolean> {
  const known = new Set<string>();
  if (await isGone({ ...call, known }, 'SIGTERM', ASK_MS)) return true;
  return isGone({ ...call, known }, 'SIGKILL', FORCE_MS);
}

/** A running process; its number is used again, its number with its start is not. */
interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly start: string;
}

/**
 * The running processes of a call: its group, those with its key, those that hold its output, those that
 * were its own at an earlier look, and all below them. Null where nobody can tell.
 */
async function findProcesses(
  call: CallProcesses,
  known: ReadonlySet<string>,
): Promise<readonly Running[] | null> {
  const running = await listRunning();
  if (running === null) return null;
  const wanted = Buffer.from(`\0${CALL_KEY}=${call.key}\0`);
  const own = new Set<number>();
  await Promise.all(
    running.map(async (process) => {
      const { pid, group } = process;
      const isOwn =
        (call.group !== null && group === call.group) ||
        known.has(identityOf(process)) ||
        (await holdsKey(pid, wanted)) ||
        (await holdsOutput(pid, call.outputs ?? []));
      if (isOwn) own.add(pid);
    }),
  );
  // Whoever has left the group and dropped the key is still somebody's child.
  for (let before = -1; before !== own.size; ) {
    before = own.size;
    for (const { pid, parent } of running) if (own.has(parent)) own.add(pid);
  }
  return running.filter(({ pid }) => own.has(pid));
}

async function listRunning(): Promise<readonly Running[] | null> {
  const pids = await listPids();
  if (pids === null) return null;
  const all = await Promise.all(pids.map(readRunning));
  return all.filter((one) => one !== null);
}

/** Null for this process itself, and for what has ended. */
async function readRunning(pid: number): Promise<Running | null> {
  if (pid === process.pid) return null;
  const text = (await readProcess(pid, 'stat'))?.toString('latin1') ?? '';
  // The name of the program stands in parentheses and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  if (text === '' || state === 'Z' || state === 'X') return null;
  return { pid, parent: Number(parent), group: Number(group), start: fields[START] ?? '' };
}

async function holdsKey(pid: number, wanted: Buffer): Promise<boolean> {
  const environment = await readProcess(pid, 'environ');
  return environment !== null && Buffer.concat([NUL, environment, NUL]).includes(wanted);
}

async function holdsOutput(pid: number, outputs: readonly string[]): Promise<boolean> {
  if (outputs.length === 0) return false;
  const held = await Promise.all(
    [1, 2].map((descriptor) => readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => null)),
  );
  return held.some((target) => target !== null && outputs.includes(target));
}

function identityOf({ pid, start }: Running): string {
  return `${pid} ${start}`;
}

async function isGone(
  call: CallProcesses & { readonly known: Set<string> },
  signal: 'SIGTERM' | 'SIGKILL',
  withinMs: number,
): Promise<boolean> {
  const end = call.clock.monotonicMs() + withinMs;
  for (let wait = 5; ; wait = Math.min(100, wait * 2)) {
    const found = await findProcesses(call, call.known);
    for (const one of found ?? []) call.known.add(identityOf(one));
    if (found === null ? !isGroupAlive(call.group) : found.length === 0) return true;
    // Asked once, forced as often as something new turns up.
    if (wait === 5 || signal === 'SIGKILL')
      signalAll(call.group, found?.map(({ pid }) => pid) ?? [], signal);
    if (call.clock.monotonicMs() >= end) return false;
    await call.clock.delay(wait);
  }
}

function signalAll(
  group: number | null,
  found: readonly number[],
  signal: 'SIGTERM' | 'SIGKILL',
): void {
  // Where a group dies one by one, one of it could start the next in between.
  if (group !== null && signal === 'SIGKILL') send(-group, 'SIGSTOP');
  if (group !== null) send(-group, signal);
  for (const pid of found) send(pid, signal);
}

function isGroupAlive(group: number | null): boolean {
  if (group === null) return false;
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    // Anything but "no such process" means that there is one.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // Nobody is left to be told.
  }
}

async function listPids(): Promise<readonly number[] | null> {
  if (process.platform !== 'linux') return null;
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    // A host without a readable process table cannot answer.
    return null;
  }
}

async function readProcess(pid: number, name: 'environ' | 'stat'): Promise<Buffer | null> {
  try {
    return await readFile(`/proc/${pid}/${name}`);
  } catch {
    // The process ended meanwhile, or belongs to another user.
    return null;
  }
}

const NUL = Buffer.from([0]);
/** Place of the start among the fields behind the name. */
const START = 19;
const ASK_MS = 2000;
const FORCE_MS = 5000;

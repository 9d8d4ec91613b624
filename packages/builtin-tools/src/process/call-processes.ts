import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '@millforge/contracts';

/** Name of the variable by which the processes of a call are found again. */
export const CALL_KEY = 'MILLFORGE_CALL_KEY';

/** The processes of one call. */
export interface CallProcesses {
  /** Its process group; null when only the key is known. */
  readonly group: number | null;
  /** Key of the call, which all its processes carry in their environment. */
  readonly key: string;
  readonly clock: Clock;
}

/**
 * Ends all that a call has started: asks first, then forces, also what left the process group where the
 * host can tell (Linux). Resolves to whether all of it was seen to be gone.
 */
export async function endProcesses(call: CallProcesses): Promise<boolean> {
  if (await isGone(call, 'SIGTERM', ASK_MS)) return true;
  return isGone(call, 'SIGKILL', FORCE_MS);
}

/** Numbers of the running processes of a call; null where nobody can tell. */
async function findProcesses(
  call: Pick<CallProcesses, 'group' | 'key'>,
): Promise<readonly number[] | null> {
  const pids = await listPids();
  if (pids === null) return null;
  const wanted = Buffer.from(`\0${CALL_KEY}=${call.key}\0`);
  const found = await Promise.all(
    pids.map(async (pid) => {
      if (pid === process.pid) return false;
      const stat = await readProcess(pid, 'stat');
      // The name of the program stands in parentheses and may hold spaces and parentheses itself.
      const text = stat?.toString('latin1') ?? '';
      const [state, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      if (stat === null || state === 'Z' || state === 'X') return false;
      if (call.group !== null && Number(group) === call.group) return true;
      const environment = await readProcess(pid, 'environ');
      return environment !== null && Buffer.concat([NUL, environment, NUL]).includes(wanted);
    }),
  );
  return pids.filter((_, index) => found[index] === true);
}

async function isGone(
  call: CallProcesses,
  signal: 'SIGTERM' | 'SIGKILL',
  withinMs: number,
): Promise<boolean> {
  const end = call.clock.monotonicMs() + withinMs;
  for (let wait = 5; ; wait = Math.min(100, wait * 2)) {
    const found = await findProcesses(call);
    if (found === null ? !isGroupAlive(call.group) : found.length === 0) return true;
    // Asked once, forced as often as something new turns up.
    if (wait === 5 || signal === 'SIGKILL') signalAll(call.group, found ?? [], signal);
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
const ASK_MS = 2000;
const FORCE_MS = 5000;

import { readdir, readFile } from 'node:fs/promises';
import { callMark } from './call-mark.ts';
import { CALL_KEY } from './shell-environment.ts';

/** Whether a process group has a member that still runs; one that only waits to be reaped does not. */
export async function isGroupAlive(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0);
  } catch (error) {
    // Anything but "no such process" means that there is one.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
  const entries = await listProcesses();
  return entries === null || entries.some((entry) => entry.group === group && entry.isRunning);
}

/**
 * Whether a process of the call with that key runs on this host; null where nobody can tell.
 *
 * Looks for the key in the environment with which processes were started, and for the mark among their limits,
 * so it also finds those that left the process group.
 */
export async function isCallAlive(idempotencyKey: string): Promise<boolean | null> {
  const pids = await listPids();
  if (pids === null) return null;
  const signs = signsOf(idempotencyKey);
  for (const pid of pids) {
    if (pid === process.pid || !(await bearsSign(pid, signs))) continue;
    // One that only waits to be reaped has its limits still.
    if ((await readEntry(pid))?.isRunning === true) return true;
  }
  return false;
}

/** One process, told from a later one with its number by the time it was started. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** In ticks since the host was started. */
  readonly startTime: string;
  readonly isRunning: boolean;
}

/**
 * The running processes that a call has started: those in its group, those that carry its key or its mark,
 * those that are known already, and the children of all of them. Null where nobody can tell.
 */
export async function findCallProcesses(call: {
  readonly group: number;
  readonly idempotencyKey: string;
  /** Found before, by number, with the time they were started. */
  readonly known: ReadonlyMap<number, string>;
}): Promise<readonly ProcessEntry[] | null> {
  const entries = await listProcesses();
  if (entries === null) return null;
  const signs = signsOf(call.idempotencyKey);
  const found = new Map<number, ProcessEntry>();
  for (const entry of entries) {
    if (entry.pid === process.pid) continue;
    const isKnown = call.known.get(entry.pid) === entry.startTime;
    if (isKnown || entry.group === call.group || (await bearsSign(entry.pid, signs))) {
      found.set(entry.pid, entry);
    }
  }
  // A child may stand before its parent in the table.
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const entry of entries) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
  return [...found.values()].filter(({ isRunning }) => isRunning);
}

async function listProcesses(): Promise<readonly ProcessEntry[] | null> {
  const pids = await listPids();
  if (pids === null) return null;
  const entries = await Promise.all(pids.map(readEntry));
  return entries.filter((entry) => entry !== null);
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

async function readEntry(pid: number): Promise<ProcessEntry | null> {
  const stat = (await readProcessFile(pid, 'stat'))?.toString('latin1');
  if (stat === undefined) return null;
  // The name of the program stands in parentheses and may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startTime: fields[19] ?? '',
    isRunning: state !== 'Z' && state !== 'X',
  };
}

/** What the processes of a call can be told by, in the files that the system keeps about them. */
interface CallSigns {
  readonly environ: Buffer;
  readonly limits: Buffer;
}

function signsOf(idempotencyKey: string): CallSigns {
  return {
    environ: Buffer.from(`\0${CALL_KEY}=${idempotencyKey}\0`),
    limits: Buffer.from(` ${callMark(idempotencyKey)} `),
  };
}

async function bearsSign(pid: number, signs: CallSigns): Promise<boolean> {
  const environment = await readProcessFile(pid, 'environ');
  const bearsKey =
    environment !== null && Buffer.concat([NUL, environment, NUL]).includes(signs.environ);
  return bearsKey || (await readProcessFile(pid, 'limits'))?.includes(signs.limits) === true;
}

async function readProcessFile(
  pid: number,
  name: 'environ' | 'limits' | 'stat',
): Promise<Buffer | null> {
  try {
    return await readFile(`/proc/${pid}/${name}`);
  } catch {
    // The process ended meanwhile, or belongs to another user.
    return null;
  }
}

const NUL = Buffer.from([0]);

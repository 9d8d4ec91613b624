import { readdir, readFile } from 'node:fs/promises';
import { CALL_KEY } from './shell-environment.ts';

/** Whether a process group has a member that still runs; one that only waits to be reaped does not. */
export async function isGroupAlive(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0);
  } catch (error) {
    // Anything but "no such process" means that there is one.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
  const pids = await listProcesses();
  if (pids === null) return true;
  for (const pid of pids) {
    const state = await readState(pid);
    if (state !== null && state.group === group && state.isRunning) return true;
  }
  return false;
}

/**
 * Whether a process of the call with that key runs on this host; null where nobody can tell.
 *
 * Looks for the key in the environment with which processes were started, so it also finds those that
 * left the process group.
 */
export async function isCallAlive(idempotencyKey: string): Promise<boolean | null> {
  const pids = await listProcesses();
  if (pids === null) return null;
  const wanted = Buffer.from(`\0${CALL_KEY}=${idempotencyKey}\0`);
  for (const pid of pids) {
    if (pid === process.pid) continue;
    const environment = await readProcessFile(pid, 'environ');
    if (environment === null) continue;
    if (Buffer.concat([NUL, environment, NUL]).includes(wanted)) return true;
  }
  return false;
}

async function listProcesses(): Promise<readonly number[] | null> {
  if (process.platform !== 'linux') return null;
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    // A host without a readable process table cannot answer.
    return null;
  }
}

async function readState(
  pid: number,
): Promise<{ readonly group: number; readonly isRunning: boolean } | null> {
  const stat = (await readProcessFile(pid, 'stat'))?.toString('latin1');
  if (stat === undefined) return null;
  // The name of the program stands in parentheses and may hold spaces and parentheses itself.
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { group: Number(group), isRunning: state !== 'Z' && state !== 'X' };
}

async function readProcessFile(pid: number, name: 'environ' | 'stat'): Promise<Buffer | null> {
  try {
    return await readFile(`/proc/${pid}/${name}`);
  } catch {
    // The process ended meanwhile, or belongs to another user.
    return null;
  }
}

const NUL = Buffer.from([0]);

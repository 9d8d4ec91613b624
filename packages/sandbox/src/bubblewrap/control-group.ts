import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@millforge/contracts';
import type { SandboxLimit, SandboxLimits } from '../sandbox-limits.ts';

/** Where this process may make control groups: one folder for each controller, or one for both. */
export interface ControlGroupRoots {
  /** The interface: `1` has a hierarchy per controller, `2` has one. */
  readonly version: 1 | 2;
  /** Folder in which groups that bound memory can be made. */
  readonly memory: string;
  /** Folder in which groups that bound the number of processes can be made. */
  readonly processes: string;
}

/** A group made for one run. */
export interface ControlGroup {
  /** Files to which a process of one thread writes 0, to be in the group. */
  readonly memberFiles: readonly string[];
  /** The limits that the group has seen reached. */
  limitsMet(): Promise<readonly SandboxLimit[]>;
  /** Kills whatever is still in it and removes it. */
  remove(): Promise<void>;
}

/**
 * Makes a group with these limits; null where the host does not take them.
 *
 * Its files are no files of a disk: each is had in a few microseconds, a tenth of what it takes to wait for
 * another thread, and every start waits for all of them.
 */
export async function createControlGroup(
  roots: ControlGroupRoots,
  options: { readonly name: string; readonly limits: SandboxLimits; readonly clock: Clock },
): Promise<ControlGroup | null> {
  const memory = join(roots.memory, options.name);
  const processes = join(roots.processes, options.name);
  const folders = [...new Set([memory, processes])];
  const remove = (): Promise<void> => removeGroups(folders, options.clock);
  try {
    for (const folder of folders) mkdirSync(folder);
    const names = roots.version === 1 ? MEMORY_FILES_1 : MEMORY_FILES_2;
    const { memoryBytes } = options.limits;
    setLimit(join(processes, 'pids.max'), options.limits.processes);
    setLimit(join(memory, names.limit), memoryBytes);
    withoutSwap(join(memory, names.swap), roots.version === 1 ? memoryBytes : 0);
    return {
      // The file for single threads asks for no lock on all forks of the system, which takes 11 ms.
      memberFiles: folders.map((folder) =>
        join(folder, roots.version === 1 ? 'tasks' : 'cgroup.procs'),
      ),
      limitsMet: async () => {
        const kills = countIn(join(memory, names.events), 'oom_kill');
        const forks = countIn(join(processes, 'pids.events'), 'max');
        return [
          ...(kills > 0 ? (['memory'] as const) : []),
          ...(forks > 0 ? (['processes'] as const) : []),
        ];
      },
      remove,
    };
  } catch {
    // A group that does not hold its limits is none; the caller has something weaker, and says so.
    await remove();
    return null;
  }
}

/** Removes what host processes left that were killed; their runs ended with them. */
export async function removeStaleGroups(roots: ControlGroupRoots, clock: Clock): Promise<void> {
  for (const folder of new Set([roots.memory, roots.processes])) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names) {
      const pid = /^millforge-(?<pid>\d+)-/u.exec(name)?.groups?.['pid'];
      if (pid !== undefined && !isRunning(Number(pid))) {
        await removeGroups([join(folder, name)], clock);
      }
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process may not be asked, but is one.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const MEMORY_FILES_1 = {
  limit: 'memory.limit_in_bytes',
  swap: 'memory.memsw.limit_in_bytes',
  events: 'memory.oom_control',
};
const MEMORY_FILES_2 = { limit: 'memory.max', swap: 'memory.swap.max', events: 'memory.events' };

function setLimit(file: string, value: number): void {
  writeFileSync(file, String(value));
  const read = Number(readFileSync(file, 'utf8'));
  // The kernel rounds to pages; anything else was not taken.
  if (!(read > value - PAGE_BYTES && read <= value))
    throw new Error(`${file} did not take ${value}`);
}

function withoutSwap(file: string, bytes: number): void {
  try {
    writeFileSync(file, String(bytes));
  } catch {
    // A kernel without accounting of swap has no such file: then what is swapped out is not counted.
  }
}

function countIn(file: string, name: string): number {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return 0;
  }
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

async function removeGroups(folders: readonly string[], clock: Clock): Promise<void> {
  for (const folder of folders) {
    for (let attempt = 0; attempt < REMOVAL_ATTEMPTS; attempt++) {
      const error = await rmdir(folder).then(
        () => null,
        (reason: NodeJS.ErrnoException) => reason,
      );
      if (error === null || error.code === 'ENOENT') break;
      // Killed members stay until the kernel has taken them down.
      await killMembers(folder);
      await clock.delay(attempt);
    }
  }
}

async function killMembers(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    const pid = Number(line);
    if (pid > 0) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

const PAGE_BYTES = 4096;
const REMOVAL_ATTEMPTS = 40;

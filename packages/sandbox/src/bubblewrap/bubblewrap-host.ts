import { constants } from 'node:fs';
import { access, lstat, readlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Clock } from '@millforge/contracts';
import { runChild } from '../process/run-child.ts';
import { DEFAULT_LIMITS } from '../sandbox-limits.ts';
import { bubblewrapCall, type SystemFolder } from './bubblewrap-arguments.ts';
import { type ControlGroupRoots, removeStaleGroups } from './control-group.ts';
import { findControlGroups } from './find-control-groups.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** What of this host the bubblewrap tier is built on; looked up once. */
export interface BubblewrapHost {
  readonly program: string;
  readonly system: readonly SystemFolder[];
  readonly groups: ControlGroupRoots | null;
  /** The system call filter; null for a processor without one. */
  readonly filter: Uint8Array | null;
}

/** Finds out, by starting it, whether bubblewrap works here; a text says why not. */
export async function findBubblewrapHost(
  program: string | undefined,
  clock: Clock,
): Promise<BubblewrapHost | string> {
  if (process.platform !== 'linux') return 'The bubblewrap tier needs Linux.';
  const found = program ?? (await findProgram('bwrap'));
  if (found === null) {
    return 'There is no bwrap on this host; install the package bubblewrap.';
  }
  const groups = await findControlGroups();
  // For root the kernel counts no processes; only a group does.
  if (groups === null && process.getuid?.() === 0) {
    return 'As root processes can be bounded only by a control group, and none can be made here; run as another user.';
  }
  if (groups !== null) await removeStaleGroups(groups, clock);
  const host = {
    program: found,
    system: await systemFolders(),
    groups,
    filter: seccompFilter(process.arch),
  };
  return (await tryOnce(host, clock)) ?? host;
}

async function tryOnce(host: BubblewrapHost, clock: Clock): Promise<string | null> {
  const { argv, options } = bubblewrapCall({
    ...host,
    limits: DEFAULT_LIMITS,
    paths: { bound: [], covered: [] },
    folder: '/tmp',
    environment: {},
    command: ['true'],
    mergesOutput: false,
    isFiltered: host.filter !== null,
    boundsEachProcess: host.groups === null,
    memberFiles: [],
  });
  const end = await runChild({
    argv,
    environment: {},
    input: new Uint8Array(),
    timeoutMs: TRIAL_MS,
    outputBytes: TRIAL_BYTES,
    clock,
    signal: undefined,
    handed: [options, ...(host.filter === null ? [] : [host.filter])],
  });
  if (end instanceof Error) return `bwrap does not start: ${end.message}`;
  if (end.exitCode === 0) return null;
  const said = end.stderr.trim().split('\n').at(-1) ?? '';
  return `bwrap makes no namespaces here (${said || 'no message'}); allow user namespaces, or use a container.`;
}

async function systemFolders(): Promise<readonly SystemFolder[]> {
  const found: SystemFolder[] = [];
  for (const path of ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store']) {
    const stats = await lstat(path).catch(() => null);
    if (stats === null) continue;
    found.push({ path, link: stats.isSymbolicLink() ? await readlink(path) : null });
  }
  return found;
}

async function findProgram(name: string): Promise<string | null> {
  // Fixed folders: who sets the path of the host would otherwise choose the wall.
  for (const folder of SYSTEM_PATH.split(delimiter)) {
    const path = join(folder, name);
    const isUsable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isUsable) return path;
  }
  return null;
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin';
const TRIAL_MS = 10_000;
const TRIAL_BYTES = 65_536;

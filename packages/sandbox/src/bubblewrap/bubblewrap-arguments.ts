import type { BoundPaths } from '../bound-paths.ts';
import type { SandboxLimits } from '../sandbox-limits.ts';

/** What one start of bubblewrap is made of. */
export interface BubblewrapPlan {
  readonly program: string;
  readonly limits: SandboxLimits;
  readonly paths: BoundPaths;
  /** Files of this package that are seen elsewhere than where they are: source and place. */
  readonly placed?: readonly (readonly [source: string, place: string])[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly mergesOutput: boolean;
  /** Top folders of the system, as the host has them. */
  readonly system: readonly SystemFolder[];
  /** Whether a system call filter comes on descriptor 5. */
  readonly isFiltered: boolean;
  /** Whether each process's own memory has to be bounded, since no control group does it. */
  readonly boundsEachProcess: boolean;
  /** Files of control groups that the process joins first. */
  readonly memberFiles: readonly string[];
}

/** A folder of the system: bound read-only, or a link as the host has it. */
export interface SystemFolder {
  readonly path: string;
  /** Where it points, if it is a link; else null. */
  readonly link: string | null;
}

/** How one start of bubblewrap is called. */
export interface BubblewrapCall {
  readonly argv: readonly [string, ...string[]];
  /** What goes in on descriptor 4: kept off the command line, which everybody can read. */
  readonly options: Uint8Array;
}

/** What starts a command behind all of its walls. */
export function bubblewrapCall(plan: BubblewrapPlan): BubblewrapCall {
  const { limits, paths } = plan;
  const environment = Object.entries({ ...DEFAULT_ENVIRONMENT, ...plan.environment });
  const options = [
    NAMESPACES,
    systemMounts(plan.system),
    ['--size', String(limits.diskBytes), '--tmpfs', '/tmp'],
    ...paths.bound.map(({ source, path, isWritable }) => [
      isWritable ? '--bind' : '--ro-bind',
      source,
      path,
    ]),
    ...paths.covered.map(({ path, kind }) =>
      kind === 'file'
        ? ['--ro-bind', '/dev/null', path]
        : ['--size', '4096', '--perms', '0555', '--tmpfs', path],
    ),
    ...(plan.placed ?? []).map(([source, place]) => ['--ro-bind', source, place]),
    // Otherwise the root, the devices and, for a user who is root, the settings of the kernel are writable.
    ['--remount-ro', '/', '--remount-ro', '/dev', '--remount-ro', '/proc', '--clearenv'],
    ...environment.map(([name, value]) => ['--setenv', name, value]),
    ['--chdir', plan.folder, '--json-status-fd', '3'],
    plan.isFiltered ? ['--seccomp', '5'] : [],
  ].flat();
  const inner = ['--', '/bin/sh', '-c', innerScript(plan), 'sh', ...plan.command];
  const walled = [plan.program, '--args', '4', ...inner] as const;
  return {
    argv: plan.memberFiles.length === 0 ? walled : joinedTo(plan.memberFiles, walled),
    options: Buffer.from(`${options.join('\0')}\0`),
  };
}

/** Whoever joins its group before it starts can have no child outside. */
function joinedTo(
  files: readonly string[],
  walled: readonly string[],
): readonly [string, ...string[]] {
  const joining = files.map((_, index) => `echo 0 >"$${index + 1}" && `).join('');
  const script = `${joining}shift ${files.length} && exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...files, ...walled];
}

function systemMounts(system: readonly SystemFolder[]): readonly string[] {
  return [
    ...system.map(({ path, link }) =>
      link === null ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ...SYSTEM_FILES.map((path) => ['--ro-bind-try', path, path]),
    ['--proc', '/proc', '--dev', '/dev', '--size', SHARED_BYTES, '--tmpfs', '/dev/shm'],
  ].flat();
}

/** Runs inside of the user namespace, where limits on processes count only those of the run. */
function innerScript({ limits, boundsEachProcess, mergesOutput }: BubblewrapPlan): string {
  const blocks = Math.ceil(limits.diskBytes / BLOCK_BYTES);
  const data = Math.ceil(limits.memoryBytes / 1024);
  return [
    'ulimit -c 0',
    `ulimit -f ${blocks}`,
    ...(boundsEachProcess ? [`ulimit -d ${data}`] : []),
    // One of the two letters is that of the shell that the host has; that of the other is refused at once.
    `{ ulimit -p ${limits.processes} 2>/dev/null || ulimit -u ${limits.processes}; }`,
    `exec "$@"${mergesOutput ? ' 2>&1' : ''}`,
  ].join(' && ');
}

const NOBODY = '65534';
const NAMESPACES =
  `--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --uid ${NOBODY} --gid ${NOBODY} --hostname sandbox`.split(
    ' ',
  );
const SHARED_BYTES = String(2 ** 20);
const BLOCK_BYTES = 512;
const DEFAULT_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp' };
/** What programs need of the settings of the host; nothing that says who uses it. */
const SYSTEM_FILES = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'];

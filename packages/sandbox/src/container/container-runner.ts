import type { BoundPath } from '../bound-paths.ts';
import type { SandboxLimits } from '../sandbox-limits.ts';

/** Starts containers: the hook by which the container tier reaches an engine. */
export interface ContainerRunner {
  /** Name of the engine, for reports. */
  readonly name: string;
  /** The command line that runs a container in the foreground until it ends. */
  start(container: ContainerSpec): ContainerStart;
  /** The command line that kills and removes a container, also one that is gone. */
  remove(name: string): readonly [string, ...string[]];
  /** The command line that prints `true` if a container that ended was out of memory. */
  wasOutOfMemory(name: string): readonly [string, ...string[]];
  /** Whether the engine itself ends a container after its time when this host process is killed. */
  readonly endsAlone: boolean;
  /** Environment of the engine's own commands. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A container to start: without network, with a read-only root, without privileges. */
export interface ContainerSpec {
  /** Its name, free on this host. */
  readonly name: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Folder to start in. */
  readonly folder: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Paths of the host to bind. */
  readonly bound: readonly BoundPath[];
  /** Limits. */
  readonly limits: SandboxLimits;
}

/** How a container is started. */
export interface ContainerStart {
  /** The command line. */
  readonly argv: readonly [string, ...string[]];
  /** Environment of that command. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What an engine is told. */
export interface EngineOptions {
  /** Image to run in; it needs a `/bin/sh` only for commands whose outputs are merged. */
  readonly image: string;
  /** Program of the engine; default its name. */
  readonly program?: string;
  /** Options before the subcommand, such as the runtime. */
  readonly globalOptions?: readonly string[];
  /** Options of `run`, beside those that make the walls. */
  readonly runOptions?: readonly string[];
  /** User and group in the container, who have to be able to read what is bound; default `65534:65534`. */
  readonly user?: string;
  /** Environment of the engine's own commands; default only the system's `PATH`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Makes containers with Podman. */
export function podmanRunner(options: EngineOptions): ContainerRunner {
  return engine('podman', options, {
    endsAlone: true,
    // Without this it waits ten seconds for a program that does not listen.
    removal: ['--time', '0'],
    // Its monitor goes on without this process, so it has to know the limit too.
    own: ({ limits }) => ['--timeout', String(Math.ceil(limits.timeoutMs / 1000) + 1)],
  });
}

/** Makes containers with Docker. */
export function dockerRunner(options: EngineOptions): ContainerRunner {
  return engine('docker', options, { endsAlone: false, removal: [], own: () => [] });
}

function engine(
  name: string,
  options: EngineOptions,
  traits: {
    readonly endsAlone: boolean;
    readonly removal: readonly string[];
    readonly own: (container: ContainerSpec) => readonly string[];
  },
): ContainerRunner {
  const environment = options.environment ?? { PATH: SYSTEM_PATH };
  const call = [options.program ?? name, ...(options.globalOptions ?? [])];
  const line = (...rest: readonly string[]): readonly [string, ...string[]] => {
    const [program = name, ...before] = call;
    return [program, ...before, ...rest];
  };
  return {
    name,
    endsAlone: traits.endsAlone,
    environment,
    start: (container) => ({
      argv: line(
        'run',
        ...wallOptions(container, options.user ?? '65534:65534'),
        ...traits.own(container),
        ...(options.runOptions ?? []),
        options.image,
        ...container.command,
      ),
      // Values are taken from the environment, since everybody can read command lines.
      environment: { ...container.environment, ...environment },
    }),
    remove: (container) => line('rm', '--force', ...traits.removal, container),
    wasOutOfMemory: (container) =>
      line('inspect', '--type', 'container', '--format', '{{.State.OOMKilled}}', container),
  };
}

function wallOptions(
  { name, folder, environment, bound, limits }: ContainerSpec,
  user: string,
): readonly string[] {
  const disk = `rw,nosuid,nodev,mode=1777,size=${limits.diskBytes}`;
  const memory = String(limits.memoryBytes);
  return [
    ['--name', name, '--interactive', '--hostname', 'sandbox', '--workdir', folder],
    ['--network', 'none', '--read-only', '--tmpfs', `/tmp:${disk}`, '--shm-size', '1m'],
    ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--user', user],
    ['--memory', memory, '--memory-swap', memory, '--pids-limit', String(limits.processes)],
    ['--ulimit', `fsize=${limits.diskBytes}:${limits.diskBytes}`, '--ulimit', 'core=0:0'],
    ['--log-driver', 'none', '--env', `PATH=${SYSTEM_PATH}`, '--env', 'HOME=/tmp'],
    ...Object.keys(environment).map((variable) => ['--env', variable]),
    ...bound.map(({ source, path, isWritable }) => [
      '--volume',
      `${source}:${path}:${isWritable ? 'rw' : 'ro'}`,
    ]),
  ].flat();
}

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

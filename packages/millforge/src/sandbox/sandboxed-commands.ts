import type { ProfileRunner } from '@millforge/builtin-tools';
import type { CommandRunner } from '@millforge/pi-tools';
import type { CommandResult, Sandbox, SandboxLimits } from '@millforge/sandbox';

/** How commands of the shell tool are run in a sandbox. */
export interface SandboxedCommandsOptions {
  /** Limits below the ceiling of the sandbox, which is the default: what a shell is asked to do takes its time. */
  readonly limits?: Partial<SandboxLimits>;
  /** Paths that commands may read beside the workspace, which they may change. */
  readonly readOnlyPaths?: readonly string[];
  /** Whether they may only read the workspace as well. Default false. */
  readonly onlyReads?: boolean;
}

/**
 * Runs the commands of `bash` in a sandbox: `piTools({ runCommand: sandboxedCommands(sandbox) })`.
 *
 * A command sees the system and the workspace, and has no network. What the sandbox refuses or cannot do
 * does not start; a limit that ends a command is told in the output.
 */
export function sandboxedCommands(
  sandbox: Sandbox,
  options: SandboxedCommandsOptions = {},
): CommandRunner {
  return async ({ command, folder, environment, signal, write }) => {
    const result = await sandbox.run(
      {
        command: ['/bin/sh', '-c', SHELL, 'sh', command],
        folder,
        environment,
        ...workspacePaths(folder, options),
        limits: { ...sandbox.ceiling, ...options.limits },
        mergesOutput: true,
        onOutput: write,
      },
      { signal },
    );
    const notice = noticeOf(result);
    if (notice !== null) await write(Buffer.from(notice));
    if (result.kind === 'exited') return { exitCode: result.exitCode, signal: null };
    if ('containment' in result) return { exitCode: null, signal: 'SIGKILL' };
    throw new Error(result.message);
  };
}

/**
 * Runs the commands of profiles in a sandbox: `builtinTools({ runProfile: sandboxedProfiles(sandbox) })`.
 *
 * A command sees the system and the workspace, which it may change, and has no network; its home is private.
 */
export function sandboxedProfiles(
  sandbox: Sandbox,
  options: SandboxedCommandsOptions = {},
): ProfileRunner {
  return async ({ argv, folder, environment, timeoutMs, signal, write }) => {
    const [program = '', ...rest] = argv;
    const limits = { ...sandbox.ceiling, ...options.limits };
    const result = await sandbox.run(
      {
        command: [program, ...rest],
        folder,
        environment: { ...environment, HOME: '/tmp', TMPDIR: '/tmp' },
        ...workspacePaths(folder, options),
        limits: { ...limits, timeoutMs: Math.min(timeoutMs, limits.timeoutMs) },
        mergesOutput: true,
        onOutput: write,
      },
      { signal },
    );
    const notice = noticeOf(result);
    if (notice !== null) await write(Buffer.from(notice));
    if (result.kind === 'exited') return { kind: 'exited', code: result.exitCode, signal: null };
    if (!('containment' in result)) throw new Error(result.message);
    if (result.kind === 'aborted') return { kind: 'stopped', why: 'cancelled' };
    const isLate = result.kind === 'stopped' && result.limit === 'time';
    return isLate
      ? { kind: 'stopped', why: 'timeout' }
      : { kind: 'exited', code: null, signal: 'SIGKILL' };
  };
}

function workspacePaths(
  folder: string,
  { onlyReads = false, readOnlyPaths = [] }: SandboxedCommandsOptions,
): { readonly writablePaths: readonly string[]; readonly readOnlyPaths: readonly string[] } {
  return onlyReads
    ? { writablePaths: [], readOnlyPaths: [folder, ...readOnlyPaths] }
    : { writablePaths: [folder], readOnlyPaths };
}

function noticeOf(result: CommandResult): string | null {
  if (result.kind === 'stopped') return `\n[The sandbox ended it: limit of ${result.limit}.]\n`;
  if (result.kind !== 'exited' || result.limitsMet.length === 0) return null;
  return `\n[It came to a limit of the sandbox: ${result.limitsMet.join(', ')}.]\n`;
}

/** The shell of the tool, where the system has it. */
const SHELL = 'if [ -x /bin/bash ]; then exec /bin/bash -c "$1"; else exec /bin/sh -c "$1"; fi';

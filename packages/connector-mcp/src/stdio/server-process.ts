import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@millforge/contracts';

/** A server that was started, and the one way to end it. */
export interface ServerProcess {
  /** Its process id, which is also that of its group. */
  readonly pid: number;
  /** What it reads. */
  readonly stdin: Writable;
  /** What it says. */
  readonly stdout: Readable;
  /** What it says beside. */
  readonly stderr: Readable;
  /** Its end: the exit status, or the signal. */
  readonly exited: Promise<string>;
  /** Asks it to end, then tells it, then kills it and its whole group; bounded, and idempotent. */
  end(): Promise<void>;
}

/** How a server is started. */
export interface ServerCommand {
  /** Absolute path of the program. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Its working directory. */
  readonly folder: string;
}

/**
 * Starts a server in a process group of its own that does not outlive this process, however that ends: a
 * watcher in the group holds one end of a pipe, and kills the group when the other end is gone.
 *
 * Rejects where the program cannot be started.
 */
export async function startServer(
  { command, args, environment, folder }: ServerCommand,
  { clock, graceMs }: { readonly clock: Clock; readonly graceMs: number },
): Promise<ServerProcess> {
  const child = spawn('/bin/sh', ['-c', LAUNCH, 'sh', command, ...args], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const { pid, stdin, stdout, stderr } = child;
  const lifeline = child.stdio[3];
  if (pid === undefined || stdin === null || stdout === null || stderr === null) {
    throw new Error('The child has no pipes.');
  }
  // A server that is gone cannot be written to; its end is told by `exited`.
  stdin.on('error', ignore);
  lifeline?.on('error', ignore);
  const cutLifeline = (): void => void lifeline?.destroy();
  const exited = exitOf(child);
  // What the server left behind in its group goes with it.
  void exited.then(cutLifeline);
  let ending: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    stdin.end();
    if (await endedWithin(graceMs)) return;
    // The watcher keeps the group's number from being given to another, so this meets nobody else.
    killGroup(pid, 'SIGTERM');
    if (await endedWithin(graceMs)) return;
    cutLifeline();
    killGroup(pid, 'SIGKILL');
    await endedWithin(graceMs);
  };
  const endedWithin = async (ms: number): Promise<boolean> => {
    const timer = new AbortController();
    const late = clock.delay(ms, timer.signal).then(
      () => false,
      () => false,
    );
    const isOver = await Promise.race([exited.then(() => true), late]);
    timer.abort();
    return isOver;
  };
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    end() {
      ending ??= end().finally(() => {
        for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
        cutLifeline();
      });
      return ending;
    },
  };
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(code === null ? `the signal ${signal}` : `status ${code}`);
    });
  });
}

function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody of the group is left, which is what was wanted.
  }
}

function ignore(): void {}

/**
 * The watcher is forked twice, so that it is no child of the server; it ignores what the group is told, lets go
 * of the server's pipes, waits for the end of the lifeline, and kills its group, itself included.
 */
const LAUNCH = `( ( trap '' TERM INT HUP; exec <&3 3<&- >/dev/null 2>&1; read -r _; kill -KILL 0 ) & )
exec "$@" 3<&-`;

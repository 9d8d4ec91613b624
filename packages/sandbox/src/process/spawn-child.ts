import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** How a child is started: in a process group of its own, with nothing of this process but its pipes. */
export interface SpawnRequest {
  readonly argv: readonly [string, ...string[]];
  readonly folder?: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** What the child reads on descriptors from 4 on; 3 is for its status. */
  readonly handed: readonly Uint8Array[];
}

/** Starts a child; an error says why it does not start. */
export async function spawnChild(request: SpawnRequest): Promise<ChildProcess | Error> {
  const [program, ...rest] = request.argv;
  const own = 4 + request.handed.length;
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= own);
  const last = Math.max(own - 1, ...inherited);
  const isPiped = (descriptor: number): boolean =>
    descriptor < own || inherited.includes(descriptor);
  try {
    const child = spawn(program, rest, {
      ...(request.folder === undefined ? {} : { cwd: request.folder }),
      env: request.environment,
      detached: true,
      stdio: Array.from({ length: last + 1 }, (_, at) => (isPiped(at) ? 'pipe' : 'ignore')),
    });
    await new Promise<void>((settle, fail) => {
      child.once('spawn', settle);
      child.once('error', fail);
    });
    // A child that ends leaves closed pipes, and need not read what it is given.
    for (const pipe of child.stdio) pipe?.on('error', () => undefined);
    for (const descriptor of inherited) child.stdio[descriptor]?.destroy();
    for (const [index, bytes] of request.handed.entries()) {
      const pipe = child.stdio[4 + index];
      if (pipe !== null && pipe !== undefined && 'end' in pipe) pipe.end(bytes);
    }
    return child;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Kills a child and whatever is in its process group. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of it is gone.
  }
}

/**
 * Descriptors of this process that its children would get: whoever started it left them open. Each is
 * covered by a pipe that nobody holds, since a folder behind one would be a way out.
 */
function inheritedDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
  } catch {
    // Without such a list there are no namespaces either.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    const flags = /^flags:\s+(?<flags>[0-7]+)$/mu.exec(text)?.groups?.['flags'] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSED_AT_EXEC) === 0;
  } catch {
    // The one by which the list was read.
    return false;
  }
}

const CLOSED_AT_EXEC = 0o2000000;

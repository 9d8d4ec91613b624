import { spawn } from 'node:child_process';

/** How git is run. */
export interface GitHost {
  /** The program. */
  readonly git: string;
  /** Environment of the host: paths, proxies, agents for keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a run of git came to. */
export interface GitResult {
  /** Its exit status; null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git; when the signal aborts, it and all that it started is killed. Rejects only where it cannot be started. */
export function runGit(
  { git, env }: GitHost,
  args: readonly string[],
  { signal }: { readonly signal: AbortSignal },
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(git, [...ALWAYS, ...args], {
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: what carries the bytes is a child of git.
      detached: true,
    });
    const kill = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group has ended already.
      }
      // Whatever left the group may hold the pipes for good.
      child.stdout.destroy();
    };
    signal.addEventListener('abort', kill);
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    child.on('error', reject);
    let exit: { readonly status: number | null } | null = null;
    // Nobody waits for standard error: a connection that ssh keeps for the next time holds it open.
    const settle = (): void => {
      if (exit === null || !child.stdout.closed) return;
      signal.removeEventListener('abort', kill);
      child.stderr.destroy();
      resolve({ ...exit, stdout: stdout(), stderr: stderr() });
    };
    child.stdout.on('close', settle);
    child.on('exit', (status) => {
      exit = { status };
      settle();
    });
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size <= MAX_OUTPUT) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Nothing in the environment may point git at another repository, and nobody is there to be asked. */
function environment(given: GitHost['env']): NodeJS.ProcessEnv {
  const kept = Object.entries(given).filter(
    ([name]) => !name.startsWith('GIT_') || KEPT.includes(name),
  );
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
}

const KEPT = [
  'GIT_ASKPASS',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
  'GIT_SSL_CAINFO',
  'GIT_CONFIG_GLOBAL',
];
const ALWAYS = [
  '-c',
  'protocol.ext.allow=never',
  '-c',
  'gc.auto=0',
  '-c',
  'core.hooksPath=/dev/null',
];
const MAX_OUTPUT = 1_048_576;

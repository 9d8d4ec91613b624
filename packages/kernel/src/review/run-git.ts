import { spawn } from 'node:child_process';
import { reviewError } from './review-error.ts';

/** Where git is started, and with what. */
export interface GitPlace {
  /** Directory of the repository or of its work tree. */
  readonly repository: string;
  /** The program. */
  readonly git: string;
  /** Environment of the host. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A git that was started. */
export interface GitProcess {
  /** What it writes. */
  readonly stdout: AsyncIterable<Buffer>;
  /** Writes to it; false when it does not listen any more. */
  write(text: string): boolean;
  /** Says that nothing more is written. */
  endInput(): void;
  /** Resolves with its exit status and its first words on stderr, once it has ended. */
  readonly ended: Promise<{ readonly status: number; readonly stderr: string }>;
  /** Ends it. */
  kill(): void;
}

/**
 * Starts git for reading objects: no file of the work tree is read, no filter, hook, pager, editor or monitor of
 * the repository's configuration is run, and nothing is fetched for objects that are missing.
 */
export function startGit(
  { repository, git, env }: GitPlace,
  args: readonly string[],
  { signal }: { readonly signal: AbortSignal },
): GitProcess {
  const child = spawn(git, [...SAFE, '-C', repository, ...args], {
    env: { ...inherited(env), ...ENVIRONMENT },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    if (stderr.length < MOST_WORDS) stderr += text;
  });
  // Whoever reads stdout learns of the end of the process; a broken pipe to it adds nothing.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<{ readonly status: number; readonly stderr: string }>(
    (resolve, reject) => {
      child.once('error', (cause) => {
        const isMissing = 'code' in cause && cause.code === 'ENOENT';
        if (signal.aborted) reject(cause);
        else if (isMissing) reject(gitMissing(git, cause));
        else reject(reviewError('review/source-unreadable', 'git could not be started.', cause));
      });
      child.once('close', (status) =>
        resolve({ status: status ?? 1, stderr: stderr.slice(0, MOST_WORDS) }),
      );
    },
  );
  // It is asked for when the output has been read; until then nobody listens.
  ended.catch(() => undefined);
  return {
    stdout: child.stdout,
    write: (text) => child.stdin.writable && child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    ended,
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Runs git to its end and gives what it wrote, of which there may be no more than `maxBytes`. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  { signal, maxBytes }: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<Buffer> {
  const started = startGit(place, args, { signal });
  started.endInput();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of started.stdout) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) {
        throw reviewError(
          'review/source-unreadable',
          `git ${args[0] ?? ''} wrote more than ${maxBytes} bytes; review a smaller part of the tree.`,
        );
      }
      chunks.push(chunk);
    }
  } catch (error) {
    started.kill();
    throw error;
  }
  const { status, stderr } = await started.ended;
  if (status === 0) return Buffer.concat(chunks);
  throw reviewError('review/source-unreadable', `git refused: ${firstLine(stderr)}`);
}

/** The first thing that git complained about, as the end of a sentence. */
export function firstLine(stderr: string): string {
  const line = stderr.trim().split('\n', 1)[0] ?? '';
  const words = line.replace(/^(?:fatal|error): /, '').slice(0, 300);
  if (words === '') return 'it gave no reason.';
  return words.endsWith('.') ? words : `${words}.`;
}

function gitMissing(git: string, cause: unknown): Error {
  return reviewError(
    'review/git-missing',
    `There is no ${git} on this machine; install git, or review a directory.`,
    cause,
  );
}

/** Of the environment only what git needs to start and to find out whether its user trusts the repository. */
function inherited(env: GitPlace['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR'].flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const SAFE = [
  '--no-replace-objects',
  '--no-pager',
  '--literal-pathspecs',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'protocol.allow=never',
];

const ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // A partial clone would fetch what it lacks, over a transport that its own configuration names.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};

const MOST_WORDS = 4096;

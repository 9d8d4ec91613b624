import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitHost, type GitResult, runGit } from './git-process.ts';

/**
 * An empty repository that sees the objects of another one, and nothing else of it.
 *
 * The repository that an agent worked in may hold any configuration: hooks, rewritten addresses, programs to run. None of it is read.
 */
export interface ScratchRepository extends AsyncDisposable {
  /** Runs git in it. */
  run(args: readonly string[]): Promise<GitResult>;
}

/** Makes one; rejects, with what git said, where the other one is none. Of no other one, it is only empty. */
export async function openScratch(
  host: GitHost,
  {
    repository,
    objectName,
    signal,
  }: {
    readonly repository: string | null;
    /** Any object name of it: tells which kind of digest it uses. */
    readonly objectName: string;
    readonly signal: AbortSignal;
  },
): Promise<ScratchRepository> {
  const objects = repository === null ? null : await objectsOf(host, { repository, signal });
  const directory = await mkdtemp(join(tmpdir(), 'millforge-git-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const format = `--object-format=${objectName.length === 64 ? 'sha256' : 'sha1'}`;
    const init = ['init', '--quiet', '--bare', '--template=', format, directory];
    await succeed(runGit(host, init, { signal }));
    if (objects !== null) {
      await writeFile(join(directory, 'objects', 'info', 'alternates'), `${objects}\n`);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    run: (args) => runGit(host, ['--git-dir', directory, ...args], { signal }),
    [Symbol.asyncDispose]: remove,
  };
}

async function objectsOf(
  host: GitHost,
  { repository, signal }: { readonly repository: string; readonly signal: AbortSignal },
): Promise<string> {
  const args = ['rev-parse', '--path-format=absolute', '--git-path', 'objects'];
  return (await succeed(runGit(host, ['-C', repository, ...args], { signal }))).trim();
}

async function succeed(running: Promise<GitResult>): Promise<string> {
  const { status, stdout, stderr } = await running;
  if (status === 0) return stdout;
  throw new Error(stderr.trim().split('\n')[0] ?? 'git failed');
}

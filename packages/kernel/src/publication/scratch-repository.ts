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

/** Makes one; rejects, with what git said, where the other one is none. */
export async function openScratch(
  host: GitHost,
  {
    repository,
    objectName,
    signal,
  }: {
    readonly repository: string;
    /** Any object name of it: tells which kind of digest it uses. */
    readonly objectName: string;
    readonly signal: AbortSignal;
  },
): Promise<ScratchRepository> {
  const objects = await succeed(
    runGit(
      host,
      ['-C', repository, 'rev-parse', '--path-format=absolute', '--git-path', 'objects'],
      { signal },
    ),
  );
  const directory = await mkdtemp(join(tmpdir(), 'millforge-git-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const format = `--object-format=${objectName.length === 64 ? 'sha256' : 'sha1'}`;
    const init = ['init', '--quiet', '--bare', '--template=', format, directory];
    await succeed(runGit(host, init, { signal }));
    await writeFile(join(directory, 'objects', 'info', 'alternates'), `${objects.trim()}\n`);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    run: (args) => runGit(host, ['--git-dir', directory, ...args], { signal }),
    [Symbol.asyncDispose]: remove,
  };
}

async function succeed(running: Promise<GitResult>): Promise<string> {
  const { status, stdout, stderr } = await running;
  if (status === 0) return stdout;
  throw new Error(stderr.trim().split('\n')[0] ?? 'git failed');
}

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type GitPublisherOptions,
  type GitUpdate,
  gitPublisher,
  type Publisher,
} from '@millforge/kernel/publication';
import { afterAll } from 'vitest';
import { systemClock, temporaryDirectory } from '../fixture.ts';

/** A bare repository that counts what it applied, and a working one with commits. */
export interface GitWorld {
  /** The working repository. */
  readonly repository: string;
  /** The bare one. */
  readonly bare: string;
  /** `first` is pushed; `second` and `third` follow it one after the other, `other` is beside them. */
  readonly commits: Readonly<Record<'first' | 'second' | 'third' | 'other', string>>;
  /** Runs git in the bare repository. */
  readonly inBare: (...args: readonly string[]) => string;
  /** How often a push took effect. */
  readonly applied: () => number;
  /** Cuts the connection from here on. */
  readonly cut: (how: 'whole' | 'before' | 'after' | 'late' | 'down') => void;
  /** Lets what arrived `late` be applied. */
  readonly release: () => void;
  /** Resolves when a push has arrived at the remote, which keeps it while the connection is cut `late`. */
  readonly arrived: () => Promise<void>;
  /** Makes a publisher over the connection that can be cut. */
  readonly publisher: (more?: Partial<GitPublisherOptions>) => Publisher;
}

/** A change of the branch `main`. */
export function update(old: string | null, next: string): GitUpdate {
  return { kind: 'git_update', schema_version: '1.0', ref: 'refs/heads/main', old, new: next };
}

/** Makes both repositories: copies of one pair, because making them takes longer than a test. */
export function gitWorld(): GitWorld {
  original ??= makeRepositories();
  const root = temporaryDirectory();
  cpSync(original.folder, root, { recursive: true });
  const repository = join(root, 'work');
  const bare = join(root, 'remote.git');
  const cutFile = join(root, 'cut');
  const env = { ...environmentOf(root), CUT: cutFile };
  const released = join(root, 'released');
  hook(
    bare,
    'pre-receive',
    `touch '${join(root, 'arrived')}'; while grep -q late '${cutFile}' && ! [ -e '${released}' ]; do sleep 0.01; done`,
  );
  writeFileSync(cutFile, 'whole');
  const connection = join(import.meta.dirname, 'cut-connection.mjs');
  return {
    repository,
    bare,
    commits: original.commits,
    inBare: (...args) => run(bare, args, env),
    // The first line is of the commit that everything begins with.
    applied: () => readFileSync(join(bare, 'logs/refs/heads/main'), 'utf8').split('\n').length - 2,
    cut: (how) => writeFileSync(cutFile, how),
    release: () => writeFileSync(released, ''),
    arrived: () => until(() => existsSync(join(root, 'arrived'))),
    publisher: (more = {}) =>
      gitPublisher({
        repository,
        remote: `ssh://remote${bare}`,
        ref: 'refs/heads/main',
        env: { ...env, GIT_SSH_COMMAND: `'${process.execPath}' '${connection}'` },
        now: () => systemClock.now(),
        ...more,
      }),
  };
}

interface Original {
  readonly folder: string;
  readonly commits: GitWorld['commits'];
}

let original: Original | null = null;

afterAll(() => {
  if (original !== null) rmSync(original.folder, { recursive: true, force: true });
  original = null;
});

function makeRepositories(): Original {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-git-world-'));
  const env = environmentOf(folder);
  const work = join(folder, 'work');
  const bare = join(folder, 'remote.git');
  mkdirSync(work);
  run(folder, ['init', '-q', '-b', 'main', work], env);
  run(folder, ['init', '-q', '--bare', '-b', 'main', bare], env);
  run(bare, ['config', 'core.logAllRefUpdates', 'always'], env);
  const commit = (text: string): string => {
    writeFileSync(join(work, 'file'), text);
    run(work, ['commit', '-q', '-a', '-m', text], env);
    return run(work, ['rev-parse', 'HEAD'], env);
  };
  writeFileSync(join(work, 'file'), '');
  run(work, ['add', 'file'], env);
  const first = commit('first');
  const other = commit('other');
  run(work, ['reset', '-q', '--hard', first], env);
  const second = commit('second');
  const third = commit('third');
  run(work, ['push', '-q', bare, `${first}:refs/heads/main`], env);
  return { folder, commits: { first, second, third, other } };
}

function run(directory: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  return execFileSync('git', ['-C', directory, ...args], { env, encoding: 'utf8' }).trim();
}

function environmentOf(home: string): NodeJS.ProcessEnv {
  return { ...process.env, ...IDENTITY, HOME: home };
}

/** Waits for what another process does. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1500 && !holds(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function hook(bare: string, name: string, script: string): void {
  const path = join(bare, 'hooks', name);
  mkdirSync(join(bare, 'hooks'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
};

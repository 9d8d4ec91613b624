import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitUpdate } from 'millforge/kernel/publication';

/** Makes the repository that an agent worked in, and the one that it is to be published to. */
export function makeRepositories(folder: string): GitUpdate {
  const work = join(folder, 'work');
  const remote = join(folder, 'remote.git');
  mkdirSync(work);
  git(work, 'init', '-q', '-b', 'main');
  git(work, 'init', '-q', '--bare', remote);
  git(remote, 'config', 'core.logAllRefUpdates', 'always');
  const old = commit(work, 'Version 6');
  git(work, 'push', '-q', remote, 'main');
  const next = commit(work, 'Version 7');
  return { kind: 'git_update', schema_version: '1.0', ref: 'refs/heads/main', old, new: next };
}

/** How often the branch was moved there, told by its own log. */
export function countPushes(folder: string): number {
  const log = readFileSync(join(folder, 'remote.git', 'logs', 'refs', 'heads', 'main'), 'utf8');
  return log.trimEnd().split('\n').length - 1;
}

function commit(work: string, text: string): string {
  writeFileSync(join(work, 'VERSION'), text);
  git(work, 'add', 'VERSION');
  git(work, 'commit', '-q', '-m', text);
  return git(work, 'rev-parse', 'HEAD');
}

function git(folder: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
  return execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

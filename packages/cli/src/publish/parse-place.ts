import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import { usageError } from '../cli-error.ts';
import type { PublicationPlace } from '../port/publication-place.ts';

/** Reads `--to` with what belongs to it. */
export function parsePlace(args: ParsedArguments, cwd: string): PublicationPlace {
  const to = args.text('to');
  if (to === null) throw usageError(`'millforge publish intend' needs --to: ${FORMS}.`);
  const settle = args.text('settle');
  const settleMs = settle === null ? null : parseDuration(settle, '--settle');
  const statusUrl = args.text('status-url');
  if (to.startsWith('local:')) {
    refuse('local', { settle, 'status-url': statusUrl });
    return { kind: 'local', directory: localFolder(resolve(cwd, to.slice('local:'.length))) };
  }
  if (to.startsWith('git:')) {
    refuse('git', { 'status-url': statusUrl });
    return { ...parseGit(to, cwd), settleMs };
  }
  if (/^https?:\/\//.test(to)) {
    if (statusUrl !== null && !statusUrl.includes('{operation_id}')) {
      throw usageError(
        '--status-url must hold {operation_id}, where the name of the operation goes.',
      );
    }
    return { kind: 'http', url: to, statusUrl, settleMs };
  }
  throw usageError(`--to must be ${FORMS}; it was '${to.slice(0, 40)}'.`);
}

/** The folder itself is made when it is missing; one whose parent is missing is a mistyped one. */
function localFolder(directory: string): string {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw usageError(`--to local:DIR names ${directory}, which is no directory.`);
  }
  if (existsSync(dirname(directory))) return directory;
  throw usageError(`--to local:DIR names ${directory}, but there is no ${dirname(directory)}.`);
}

function parseGit(to: string, cwd: string): { kind: 'git'; remote: string; ref: string } {
  const mark = to.lastIndexOf('#');
  const remote = to.slice('git:'.length, mark);
  const ref = to.slice(mark + 1);
  if (mark < 0 || remote === '' || !/^refs\/[^/]+\/./.test(ref)) {
    throw usageError('--to git:REMOTE#REF needs the whole name of a ref, such as refs/heads/main.');
  }
  // A path means the same place from wherever it is sent.
  const isPath = remote.startsWith('.') || remote.startsWith('/');
  return { kind: 'git', remote: isPath ? resolve(cwd, remote) : remote, ref };
}

function refuse(kind: string, options: Readonly<Record<string, string | null>>): void {
  const [name] = Object.entries(options).find(([, value]) => value !== null) ?? [];
  if (name !== undefined) throw usageError(`--${name} means nothing for --to ${kind}:….`);
}

const FORMS = 'local:DIR, git:REMOTE#REF or a URL';

import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolFault } from './tool-fault.ts';

/** What a path is resolved against. */
export interface PathContext {
  /** Folder of relative paths; null for a run without one. */
  readonly workspace: string | null;
  /** What `~` means. */
  readonly homeDirectory?: string | undefined;
  /** Whether the path is tried as it was sent before it is forgiven anything; default true. */
  readonly exactPathFirst?: boolean;
}

/**
 * Turns a path as a model wrote it into an absolute one.
 *
 * The exact path is tried first. What models get wrong is then forgiven: unusual spaces, a leading `@`,
 * `~`, `file://`, and with `lenient` the spellings that macOS gives screenshots. The first that exists
 * wins, else the plain reading.
 *
 * @throws `tool/invalid_arguments` for a path that cannot be one.
 */
export function resolvePath(
  sent: string,
  context: PathContext,
  options: { readonly lenient?: boolean } = {},
): string {
  const { exactPathFirst = true } = context;
  // Without the exact path nothing is said in our words either: the file system refuses it.
  if (sent.includes('\0') && exactPathFirst) {
    throw toolFault('invalid_arguments', 'A path must not contain a NUL character.');
  }
  if (/\p{Surrogate}/u.test(sent)) {
    throw toolFault('invalid_arguments', 'A path must not contain half of a surrogate pair.');
  }
  for (const candidate of candidatePaths(sent, context, options)) {
    if (exists(candidate)) return candidate;
  }
  return plainPath(sent, context);
}

/**
 * Every path that a path as a model wrote it may be taken for, in the order in which they are tried.
 *
 * @throws `tool/invalid_arguments` for a path that cannot be one.
 */
export function candidatePaths(
  sent: string,
  context: PathContext,
  options: { readonly lenient?: boolean } = {},
): readonly string[] {
  const plain = plainPath(sent, context);
  const exact = context.exactPathFirst === false ? plain : absolute(sent, context);
  return [
    exact,
    ...(exact === plain ? [] : [plain]),
    ...(options.lenient ? spellings(plain) : []).filter((path) => path !== plain),
  ];
}

function plainPath(sent: string, context: PathContext): string {
  return absolute(expand(sent.replaceAll(UNUSUAL_SPACE, ' '), context), context);
}

/** A path for the model and the trail: relative inside the workspace, else absolute. */
export function displayPath(path: string, workspace: string | null): string {
  if (workspace === null) return path;
  if (path === workspace) return '.';
  const root = workspace.endsWith('/') ? workspace : `${workspace}/`;
  return path.startsWith(root) ? path.slice(root.length) : path;
}

function expand(sent: string, context: PathContext): string {
  const path = sent.startsWith('@') ? sent.slice(1) : sent;
  const home = context.homeDirectory ?? homedir();
  if (path === '~') return home;
  if (path.startsWith('~/')) return `${home}/${path.slice(2)}`;
  if (!path.startsWith('file://')) return path;
  try {
    return fileURLToPath(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The file URL cannot be read.';
    throw toolFault('invalid_arguments', message, error);
  }
}

function absolute(path: string, context: PathContext): string {
  if (path.startsWith('/')) return resolve(path);
  if (context.workspace === null) {
    throw toolFault('invalid_arguments', 'This run has no workspace, so a path must be absolute.');
  }
  return resolve(context.workspace, path);
}

function spellings(path: string): readonly string[] {
  const decomposed = path.normalize('NFD');
  return [
    path.replaceAll(/ (AM|PM)\./gi, '\u202F$1.'),
    decomposed,
    path.replaceAll("'", '\u2019'),
    decomposed.replaceAll("'", '\u2019'),
  ];
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Whatever keeps a path from being looked at is reported by the tool that opens it.
    return false;
  }
}

const UNUSUAL_SPACE = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

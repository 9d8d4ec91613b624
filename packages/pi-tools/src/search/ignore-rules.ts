import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { withinMatchTime } from './within-match-time.ts';

/** The ignore files that apply to one folder, innermost last. */
export type IgnoreRules = readonly {
  /** Folder that the rules are written for, ending in `/`. */
  readonly base: string;
  readonly matcher: Ignore;
  /** Whether they may take long; such rules exclude nothing any more once they did. */
  readonly cost: { readonly isHigh: boolean; isGivenUp: boolean };
}[];

/** Which of a folder's files hold ignore rules; later ones win. */
export type IgnoreFiles = readonly string[];

/** What rules are asked about. */
interface Candidate {
  readonly path: string;
  readonly kind: string;
}

/** The entries that no rule excludes. A foreign folder cannot hold the search with rules made to backtrack. */
export function withoutIgnored<T extends Candidate>(
  entries: readonly T[],
  rules: IgnoreRules,
): readonly T[] {
  const keep = () => entries.filter(({ path, kind }) => !isIgnored(path, kind === 'folder', rules));
  const costly = rules.filter(({ cost }) => cost.isHigh && !cost.isGivenUp);
  if (costly.length === 0) return keep();
  const timed = withinMatchTime(keep, FOLDER_MS);
  if (timed.inTime) return timed.value;
  for (const { cost } of costly) cost.isGivenUp = true;
  return keep();
}

/** Whether rules exclude an entry; the innermost file that says anything decides, as in git. */
function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules): boolean {
  for (const { base, matcher, cost } of rules.toReversed()) {
    if (cost.isGivenUp) continue;
    const relative = path.slice(base.length) + (isFolder ? '/' : '');
    const verdict = matcher.test(relative);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/** Rules of a folder besides those of its parents. */
export async function addRules(
  folder: string,
  rules: IgnoreRules,
  files: IgnoreFiles,
): Promise<IgnoreRules> {
  const texts: string[] = [];
  for (const file of files) {
    const text = await readText(join(folder, file));
    if (text !== null) texts.push(text);
  }
  if (texts.length === 0) return rules;
  const text = texts.join('\n');
  const matcher = ignore({ ignoreCase: false }).add(text);
  const cost = { isHigh: MANY_WILDCARDS.test(text), isGivenUp: false };
  return [...rules, { base: withSlash(folder), matcher, cost }];
}

/**
 * Rules from outside that apply to a search root: from the root of its repository down to its parent.
 *
 * None outside of a repository, and none when they exclude the root itself: whoever names an ignored
 * folder wants to see into it.
 */
export async function rulesAbove(root: string, files: IgnoreFiles): Promise<IgnoreRules> {
  const repository = await repositoryOf(root);
  if (repository === null) return [];
  let rules = await addRules(repository, [], ['.git/info/exclude']);
  if (repository === root) return rules;
  const inner = root.slice(withSlash(repository).length).split('/');
  let folder = repository;
  for (const name of inner) {
    rules = await addRules(folder, rules, files);
    folder = join(folder, name);
    if (withoutIgnored([{ path: folder, kind: 'folder' }], rules).length === 0) return [];
  }
  return rules;
}

/** Names of version control folders, which are searched only when they are named. */
export const VERSION_CONTROL: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj']);

async function repositoryOf(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    if (await exists(join(at, '.git'))) return at;
    if (dirname(at) === at) return null;
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // An ignore file that is not there or cannot be read excludes nothing.
    return null;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // What cannot be looked at is no repository for this search.
    return false;
  }
}

function withSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

/** Four wildcards in one rule are matched in bounded time, whatever the name; most rules have two. */
const MANY_WILDCARDS = /(?:\*+[^*\n]*){5}/;
const FOLDER_MS = 1000;

import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type BytePath, toBytePath, toSystemPath } from './byte-path.ts';
import { type IgnoreCandidate, type IgnoreList, readIgnoreList } from './ignore-list.ts';

/** Which ignore files count, and how far. */
export interface IgnorePolicy {
  /** Names of ignore files besides git's; what an earlier one says beats what a later one says. */
  readonly files: readonly string[];
  /** Whether git's rules count outside of a repository too. */
  readonly withoutRepository: boolean;
  /** Whether rules end where a repository begins. */
  readonly endsAtRepository: boolean;
  /** Outermost folder that counts for a search outside of a repository. */
  readonly outermost: string;
  /** Home of the user, whose own rules git applies everywhere. */
  readonly home: string;
}

/** The rules that apply to what is in one folder. */
export interface IgnoreRules {
  /** One chain per kind of file, the strongest kind first; the innermost folder comes first. */
  readonly chains: readonly (Link | null)[];
  readonly isInRepository: boolean;
}

interface Link {
  readonly list: IgnoreList;
  /** Length of the path of the folder that the list is about, with its slash. */
  readonly base: number;
  readonly outer: Link | null;
}

/** Whether rules exclude something, by its absolute path. */
export function isIgnored(candidate: IgnoreCandidate, rules: IgnoreRules): boolean {
  for (const chain of rules.chains) {
    for (let link = chain; link !== null; link = link.outer) {
      const verdict = link.list.verdict(candidate, link.base);
      if (verdict !== null) return verdict === 'ignored';
    }
  }
  return false;
}

/** The rules of a folder: its own and those of its parents. The folder ends in a slash. */
export function rulesOf(
  folder: BytePath,
  outer: IgnoreRules,
  about: { readonly policy: IgnorePolicy; readonly has: (name: string) => boolean },
): IgnoreRules {
  const { policy, has } = about;
  const isRepository = has('.git');
  const own = policy.files.map((name) => (has(name) ? listIn(folder, name) : null));
  const isInRepository = outer.isInRepository || isRepository;
  const counts = isInRepository || policy.withoutRepository;
  const git = counts && has('.gitignore') ? listIn(folder, '.gitignore') : null;
  const excluded = isRepository ? listIn(folder, '.git/info/exclude') : null;
  const found = [...own, git, excluded];
  if (!isRepository && found.every((list) => list === null)) return outer;
  const firstOfGit = policy.files.length;
  const chains = outer.chains.map((chain, kind) => {
    const isBeyond =
      isRepository && policy.endsAtRepository && kind >= firstOfGit && kind < firstOfGit + 2;
    const inherited = isBeyond ? null : chain;
    const list = found[kind] ?? null;
    return list === null ? inherited : { list, base: folder.length, outer: inherited };
  });
  return { chains, isInRepository };
}

/** The rules that apply to a folder from outside of it. */
export function rulesAbove(folder: string, policy: IgnorePolicy): IgnoreRules {
  const above = parentsOf(folder);
  const repository = above.findLastIndex((parent) => exists(`${withSlash(parent)}.git`));
  const isInRepository = repository >= 0;
  const outermost = isInRepository ? above[repository] : policy.outermost;
  const counts = isInRepository || exists(`${withSlash(folder)}.git`) || policy.withoutRepository;
  const own = counts ? userRules(policy.home) : null;
  const top = toBytePath(withSlash(above[repository] ?? folder));
  const none = policy.files.map(() => null);
  let rules: IgnoreRules = {
    chains: [
      ...none,
      null,
      null,
      own === null ? null : { list: own, base: top.length, outer: null },
    ],
    isInRepository: false,
  };
  if (outermost === undefined) return rules;
  for (const parent of above) {
    if (policy.endsAtRepository && !isBelow(parent, outermost)) continue;
    const base = withSlash(toBytePath(parent));
    rules = rulesOf(base, rules, { policy, has: (name) => exists(`${withSlash(parent)}${name}`) });
  }
  return rules;
}

/** Names of version control folders, which are searched only when they are named. */
export const VERSION_CONTROL: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj']);

/** What git ignores for this user in every repository. */
function userRules(home: string): IgnoreList | null {
  const named = /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(
    readText(`${home}/.gitconfig`) ?? '',
  )?.[1];
  const file = named ?? `${home}/.config/git/ignore`;
  const text = readText(file.startsWith('~/') ? `${home}/${file.slice(2)}` : file);
  return text === null ? null : readIgnoreList(text);
}

function listIn(folder: BytePath, name: string): IgnoreList | null {
  const text = readText(toSystemPath(folder + name));
  return text === null ? null : readIgnoreList(text);
}

function readText(path: string | Buffer): string | null {
  try {
    const stats = statSync(path);
    // A rule file that is none, such as a pipe, would hold the search; a huge one as well.
    if (!stats.isFile() || stats.size > MAX_BYTES) return null;
    return readFileSync(path, 'latin1');
  } catch {
    // An ignore file that is not there or cannot be read excludes nothing.
    return null;
  }
}

/** The parents of a folder, outermost first. */
function parentsOf(folder: string): readonly string[] {
  const parents: string[] = [];
  for (let at = folder; dirname(at) !== at; ) {
    at = dirname(at);
    parents.unshift(at);
  }
  return parents;
}

function isBelow(folder: string, top: string): boolean {
  return folder === top || folder.startsWith(withSlash(top));
}

function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    // What cannot be looked at is not there for this search.
    return false;
  }
}

function withSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

const MAX_BYTES = 1024 * 1024;

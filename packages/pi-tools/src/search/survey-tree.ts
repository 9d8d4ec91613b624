import { leftOut } from './left-out.ts';
import { closedPaths, type RipgrepQuestion, runRipgrep } from './ripgrep.ts';
import { placeInWalk, type TreeEntry, type WalkOptions } from './walk-tree.ts';

/** How a whole tree is asked about at once. */
export interface Survey extends RipgrepQuestion {
  /** What a walk of the tree leaves out. */
  readonly walk: WalkOptions;
  /** Hits with which it is not worth the while. */
  readonly maxHits: number;
}

/**
 * Has ripgrep walk and search a tree with all threads, and gives what a walk of our own would have come to
 * and has to be looked at, in its order; null when that has to be found out by such a walk.
 *
 * Ripgrep reads ignore files nearly as git does. What it leaves out it tells, and each of that is held
 * against our rules: if they keep any of it, its answer is worth nothing.
 */
export async function surveyTree(
  survey: Survey,
  signal: AbortSignal,
): Promise<readonly TreeEntry[] | null> {
  const { folder, walk, maxHits } = survey;
  const flags = walk.showsVersionControl ? SURVEY_FLAGS : [...SURVEY_FLAGS, ...NO_VERSION_CONTROL];
  const answer = await runRipgrep(survey, { flags, places: ['./'], signal, maxHits });
  if (answer === null) return null;
  const others = answer.complaints.filter((line) => !NOTE.test(line));
  const closed = closedPaths(others.filter((line) => !LEFT_OUT.test(line)));
  if (closed === null || (answer.code > 1 && closed.length === 0)) return null;
  const rules = leftOut(folder, walk);
  for (const line of others) {
    const path = LEFT_OUT.exec(line)?.[1];
    if (path !== undefined && !rules.covers(path)) return null;
  }
  return [...new Set([...answer.hits, ...closed])]
    .map((path) => rules.entry(path))
    .filter((entry) => entry !== null)
    .map(asLookedAt)
    .toSorted((left, right) => (placeInWalk(left) < placeInWalk(right) ? -1 : 1));
}

function asLookedAt(entry: TreeEntry): TreeEntry {
  return entry.kind === 'folder' ? { ...entry, kind: 'closed' } : entry;
}

const SURVEY_FLAGS = ['--debug', '--no-ignore-global'];
const NO_VERSION_CONTROL = ['.git', '.hg', '.svn', '.jj'].map((name) => `--glob=!${name}/`);
/** Notes about anything but what is left out. */
const NOTE = /^rg: DEBUG\|(?!ignore::walk\|[^|: ]+:\d+: ignoring )/;
const LEFT_OUT = /^rg: DEBUG\|ignore::walk\|[^|: ]+:\d+: ignoring \.\/(.+?): Ignore\(IgnoreMatch\(/;

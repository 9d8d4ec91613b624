import picomatch from 'picomatch';
import { toolFault } from '../tool-fault.ts';
import type { TreeEntry } from './walk-tree.ts';
import { inGroups, withinMatchTime } from './within-match-time.ts';

/** What a glob of the model means. */
export interface GlobOptions {
  /** Whether a leading `!` turns the glob round. */
  readonly mayNegate?: boolean;
}

/**
 * The entries of a walk that a glob means. Without a slash it is about the name at any depth, with one
 * about the path from the search root, and one that begins with a slash also about the whole path. Case
 * counts; hidden names match like any other.
 *
 * @throws `tool/invalid_arguments` for a glob that is none, or that takes too long.
 */
export function matchingEntries(
  entries: AsyncIterable<TreeEntry>,
  glob: string,
  options: GlobOptions = {},
): AsyncIterable<TreeEntry> {
  // Compiled before anything is walked, so that a wrong glob is refused at once.
  return filter(entries, compileGlob(glob, options));
}

async function* filter(
  entries: AsyncIterable<TreeEntry>,
  isMeant: (entry: TreeEntry) => boolean,
): AsyncGenerator<TreeEntry> {
  for await (const group of inGroups(entries, { count: GROUP_ENTRIES })) {
    const timed = withinMatchTime(() => group.filter(isMeant), GROUP_MS);
    if (!timed.inTime) {
      const message = 'The glob takes too long to match; write it with fewer wildcards.';
      throw toolFault('invalid_arguments', message);
    }
    yield* timed.value;
  }
}

function compileGlob(glob: string, { mayNegate }: GlobOptions): (entry: TreeEntry) => boolean {
  const isNegated = mayNegate === true && glob.startsWith('!');
  const pattern = (isNegated ? glob.slice(1) : glob).replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  if (pattern === '') return () => !isNegated;
  const isMatch = compile(pattern, glob);
  const isAboutName = !pattern.includes('/');
  const isAbsolute = pattern.startsWith('/');
  return ({ path, relative }) => {
    const inTree = isAboutName ? relative.slice(relative.lastIndexOf('/') + 1) : relative;
    // A leading slash also means the search root, as it does in ignore files.
    const isHit = isAbsolute ? isMatch(path) || isMatch(`/${relative}`) : isMatch(inTree);
    return isHit !== isNegated;
  };
}

function compile(pattern: string, glob: string): (path: string) => boolean {
  const fault =
    pattern.length > MAX_GLOB ? `longer than ${MAX_GLOB} characters` : unclosed(pattern);
  if (fault !== null) {
    throw toolFault('invalid_arguments', `Invalid glob: ${glob.slice(0, 200)} (${fault}).`);
  }
  return picomatch(pattern, { dot: true, nonegate: true, noextglob: true });
}

/** Which bracket of a glob has no end; one that is meant itself needs a backslash. */
function unclosed(pattern: string): string | null {
  let braces = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '{') braces++;
    else if (character === '}') braces = Math.max(0, braces - 1);
    else if (character === '[') {
      // A bracket right after the opening one is a member.
      const first = /^\[[!^]?\]?/.exec(pattern.slice(at, at + 3))?.[0].length ?? 1;
      const end = pattern.indexOf(']', at + first);
      if (end < 0) return 'unclosed [; write \\[ for the character';
      at = end;
    }
  }
  return braces > 0 ? 'unclosed {; write \\{ for the character' : null;
}

const GROUP_ENTRIES = 256;
const GROUP_MS = 2000;
const MAX_GLOB = 4096;

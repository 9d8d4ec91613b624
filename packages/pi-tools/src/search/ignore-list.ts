import type { BytePath } from './byte-path.ts';
import { compileGlob, type Glob } from './compile-glob.ts';

/** What rules are asked about. */
export interface IgnoreCandidate {
  /** Path of the folder that it is in, with a slash at its end. */
  readonly folder: BytePath;
  readonly name: BytePath;
  readonly isFolder: boolean;
}

/** The rules of one ignore file. */
export interface IgnoreList {
  /**
   * What the last rule that fits says; null when none does. The file is in the folder whose path is the
   * first `base` units of the candidate's.
   */
  readonly verdict: (candidate: IgnoreCandidate, base: number) => 'ignored' | 'kept' | null;
}

/** Reads the rules of an ignore file, byte by byte, as git does. */
export function readIgnoreList(text: string): IgnoreList | null {
  const rules = text
    .replace(BYTE_ORDER_MARK, '')
    .split('\n')
    .map(readRule)
    .filter((rule) => rule !== null);
  if (rules.length === 0) return null;
  const byName = new Map<string, Numbered[]>();
  const byEnding = new Map<string, Numbered[]>();
  const others: Numbered[] = [];
  for (const [index, rule] of rules.entries()) {
    // Most rules are plain names and endings, and most names fit none of them.
    const ending = rule.isAnchored ? undefined : /^\*(\.[^.*?[\\]+)$/.exec(rule.pattern)?.[1];
    if (rule.lastName !== null) add(byName, rule.lastName, { index, rule });
    else if (ending !== undefined) add(byEnding, ending, { index, rule });
    else others.push({ index, rule });
  }
  return {
    verdict: (candidate, base) => {
      const { name } = candidate;
      let last = lastFit(byName.get(name), candidate, base);
      if (byEnding.size > 0) {
        last = later(
          last,
          lastFit(byEnding.get(name.slice(name.lastIndexOf('.'))), candidate, base),
        );
      }
      if (others.length > 0) last = later(last, lastFit(others, candidate, base));
      if (last === null) return null;
      return last.rule.isNegated ? 'kept' : 'ignored';
    },
  };
}

interface Numbered {
  readonly index: number;
  readonly rule: Rule;
}

function later(left: Numbered | null, right: Numbered | null): Numbered | null {
  if (left === null || right === null) return left ?? right;
  return left.index > right.index ? left : right;
}

function lastFit(
  rules: readonly Numbered[] | undefined,
  { folder, name, isFolder }: IgnoreCandidate,
  base: number,
): Numbered | null {
  if (rules === undefined) return null;
  for (let at = rules.length - 1; at >= 0; at--) {
    const one = rules[at];
    if (one === undefined || (one.rule.isFolderOnly && !isFolder)) continue;
    const { rule } = one;
    if (rule.fits(rule.isAnchored ? folder.slice(base) + name : name)) return one;
  }
  return null;
}

interface Rule {
  readonly pattern: string;
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
  /** Whether it is about the path from the folder of the file, not about a name at any depth. */
  readonly isAnchored: boolean;
  /** The name of all that it fits, if there is only one. */
  readonly lastName: BytePath | null;
  readonly fits: Glob;
}

function readRule(line: string): Rule | null {
  let pattern = withoutTrailingSpaces(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (pattern.startsWith('#')) return null;
  const isNegated = pattern.startsWith('!');
  if (isNegated) pattern = pattern.slice(1);
  const isFolderOnly = pattern.endsWith('/');
  if (isFolderOnly) pattern = pattern.slice(0, -1);
  // Any depth is what a name without a slash means, too.
  pattern = pattern.replace(/^(?:\*\*\/)+(?=[^/]+$)/, '');
  const isAnchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern === '') return null;
  const last = pattern.slice(pattern.lastIndexOf('/') + 1);
  const lastName = /[*?[\]\\]/.test(last) ? null : last;
  return { pattern, isNegated, isFolderOnly, isAnchored, lastName, fits: compileGlob(pattern) };
}

/** A space at the end counts only behind a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') {
    let slashes = 0;
    while (line[end - 2 - slashes] === '\\') slashes++;
    if (slashes % 2 === 1) break;
    end--;
  }
  return line.slice(0, end);
}

function add(map: Map<string, Numbered[]>, key: string, rule: Numbered): void {
  const rules = map.get(key);
  if (rules === undefined) map.set(key, [rule]);
  else rules.push(rule);
}

const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

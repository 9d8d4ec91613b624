import { compileGlob, type Glob, MAX_GLOB } from './compile-glob.ts';

/** The rules of the `.gitignore` files from the workspace down to one folder. */
export interface IgnoreRules {
  /** Whether an entry of that folder, or below it, is ignored. */
  isIgnored(path: string, isFolder: boolean): boolean;
  /** The rules of a folder below, with those of its own file. */
  within(folder: string, file: string | null): IgnoreRules;
}

/** No rules. */
export const NO_RULES: IgnoreRules = rulesOf([]);

interface Rule {
  /** The folder of the file, empty or with a slash at its end. */
  readonly base: string;
  readonly matches: Glob;
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
}

function rulesOf(rules: readonly Rule[]): IgnoreRules {
  return {
    isIgnored(path, isFolder) {
      // The last rule that matches decides.
      for (let index = rules.length - 1; index >= 0; index--) {
        const rule = rules[index];
        if (rule === undefined || (rule.isForFolders && !isFolder)) continue;
        if (!path.startsWith(rule.base) || !rule.matches(path.slice(rule.base.length))) continue;
        return !rule.isNegated;
      }
      return false;
    },
    within(folder, file) {
      if (file === null) return rulesOf(rules);
      const base = folder === '' ? '' : `${folder}/`;
      return rulesOf([...rules, ...readRules(file, base)]);
    },
  };
}

function readRules(file: string, base: string): readonly Rule[] {
  return file
    .split(/\r?\n/)
    .slice(0, MAX_RULES)
    .flatMap((line) => {
      const rule = readRule(line, base);
      return rule === null ? [] : [rule];
    });
}

function readRule(line: string, base: string): Rule | null {
  // Before anything else: blanks at the end are sought from every blank on.
  if (line.startsWith('#') || line.length > MAX_GLOB) return null;
  // Blanks at the end count only behind a backslash.
  const text = line.replace(/(?<!\\)[ \t]+$/, '');
  const isNegated = text.startsWith('!');
  const body = isNegated ? text.slice(1) : text;
  const isForFolders = body.endsWith('/');
  const pattern = isForFolders ? body.slice(0, -1) : body;
  if (pattern === '' || pattern === '/') return null;
  // A slash anywhere but at the end ties the pattern to the folder of its file.
  const isTied = pattern.includes('/');
  const glob = compileGlob(pattern);
  const tied = pattern.startsWith('/') && !pattern.slice(1).includes('/') ? atTop(glob) : glob;
  return { base, matches: isTied ? tied : glob, isNegated, isForFolders };
}

/** A glob of one name that is meant for entries of the folder itself only. */
function atTop(glob: Glob): Glob {
  return (path) => !path.includes('/') && glob(path);
}

const MAX_RULES = 10_000;

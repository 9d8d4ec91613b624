import { relative, resolve } from 'node:path';
import { toolFault } from '../tool-fault.ts';
import { type BytePath, toBytePath, toText } from './byte-path.ts';
import { compileGlob, expandBraces, type Glob, globFault } from './compile-glob.ts';
import { readIgnoreList } from './ignore-list.ts';
import type { TreeEntry } from './walk-tree.ts';

/** Which entries of a walk are meant. */
export interface EntryFilter {
  readonly isMeant: (entry: TreeEntry) => boolean;
  /** Folder that holds everything that is meant, with a slash at its end; empty for the root. */
  readonly within: BytePath;
  /** Glob that the names of all that is meant fit, if it is a simple one. */
  readonly nameGlob: string | null;
}

/**
 * What a glob of the model means. Without a slash it is about the name at any depth, with one about the
 * path from the search root, and one that begins with a slash also about the whole path. Case counts.
 *
 * @throws `tool/invalid_arguments` for a glob that is none.
 */
export function entryFilter(
  glob: string,
  { root, mayNegate }: { readonly root: string; readonly mayNegate: boolean },
): EntryFilter {
  const isNegated = mayNegate && glob.startsWith('!');
  const meant = (isNegated ? glob.slice(1) : glob).replace(/^(?:\.\/)+/, '');
  const pattern = meant.replace(/\/+$/, '');
  const fault = globFault(pattern);
  if (fault !== null) {
    throw toolFault('invalid_arguments', `Invalid glob: ${glob.slice(0, 200)} (${fault}).`);
  }
  if (pattern === '') return anywhere(() => !isNegated);
  // Only files are searched, so a folder stands for what is in it.
  const whole = mayNegate && meant.endsWith('/') ? `${pattern}/**` : pattern;
  // In the root of the file system, both meanings of a leading slash are one.
  const form = root === '/' && whole.includes('/', 1) ? whole.replace(/^\//, '') : whole;
  const isHit = anyOf((expandBraces(form) ?? []).map((one) => testOf(one, root)));
  if (isNegated) return anywhere((entry) => !isHit(entry));
  const within = form.startsWith('/') ? '' : (/^(?:[^*?[\]{}\\/]+\/)*/.exec(form)?.[0] ?? '');
  const name = form.slice(form.lastIndexOf('/') + 1);
  const isSimple = /^[\w.*?-]+$/.test(name) && name !== '**' && !/[{}]/.test(form);
  return { isMeant: isHit, within: toBytePath(within), nameGlob: isSimple ? name : null };
}

/**
 * What a glob means to Pi's `find`: a path may begin anywhere, also above the root, and small letters stand
 * for capitals too when there are no capitals.
 */
export function piFindFilter(glob: string, root: string): EntryFilter {
  const fault = globFault(glob);
  if (fault !== null) {
    throw toolFault(
      'invalid_arguments',
      `[fd error]: error parsing glob '${glob}': ${asFdSays(fault)}`,
    );
  }
  if (glob === '') return anywhere(() => true);
  const isSmall = glob.toLowerCase() === glob;
  const asMeant = (text: string) => (isSmall ? text.toLowerCase() : text);
  const base = root.endsWith('/') ? root : `${root}/`;
  const tests = (expandBraces(glob) ?? []).map((form): Test => {
    if (!glob.includes('/')) {
      const fits = compileGlob(form);
      return ({ name }) => fits(asMeant(textOf(name)));
    }
    const isWhole = form.startsWith('/') || form.startsWith('**/');
    const fits = compileGlob(isWhole ? form : `**/${form}`);
    return ({ folder, name }) => fits(asMeant(base + textOf(folder.path + name)));
  });
  return anywhere(anyOf(tests));
}

/**
 * What a glob means to Pi's `grep`: a line of an ignore file, turned round, in the folder that the process
 * happens to be in.
 */
export function piGrepFilter(glob: string, root: string): EntryFilter {
  const fault = globFault(glob);
  if (fault !== null) {
    throw toolFault('invalid_arguments', `rg: error parsing glob '${glob}': ${fault}`);
  }
  const isNegated = glob.startsWith('!');
  const lines = expandBraces(isNegated ? glob.slice(1) : glob) ?? [];
  const list = readIgnoreList(toBytePath(lines.join('\n')));
  if (list === null) return anywhere(() => true);
  const prefix = relative(resolve('.'), root);
  const isOutside = prefix === '..' || prefix.startsWith('../');
  const base = toBytePath(isOutside ? `${root.slice(1)}/` : prefix === '' ? '' : `${prefix}/`);
  const isHit = (folder: BytePath, name: BytePath, isFolder: boolean) =>
    list.verdict({ folder: base + folder, name, isFolder }, 0) === 'ignored';
  if (!isNegated) return anywhere(({ folder, name }) => isHit(folder.path, name, false));
  return anywhere(({ folder, name }) => {
    // A folder that is left out takes along what is in it.
    for (let start = 0, end = 0; ; start = end + 1) {
      end = folder.path.indexOf('/', start);
      if (end < 0) return !isHit(folder.path, name, false);
      if (isHit(folder.path.slice(0, start), folder.path.slice(start, end), true)) return false;
    }
  });
}

type Test = EntryFilter['isMeant'];

function anywhere(isMeant: Test): EntryFilter {
  return { isMeant, within: '', nameGlob: null };
}

function asFdSays(fault: string): string {
  if (fault.startsWith('unclosed [')) return "unclosed character class; missing ']'";
  return fault.startsWith('unclosed {')
    ? "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
    : fault;
}

function testOf(form: string, root: string): Test {
  if (!form.includes('/')) {
    // What stands for itself, or for any number of bytes, does so in bytes as well.
    if (!/[?[]/.test(form)) {
      const fits = compileGlob(toBytePath(form));
      return ({ name }) => fits(name);
    }
    const fits = compileGlob(form);
    return ({ name }) => fits(textOf(name));
  }
  // A leading slash also means the search root, as it does in ignore files.
  if (!form.startsWith('/')) return onPath(compileGlob(form));
  const inTree = onPath(compileGlob(form.slice(1)));
  const whole = compileGlob(form);
  const base = root.endsWith('/') ? root : `${root}/`;
  return (entry) => inTree(entry) || whole(base + textOf(entry.folder.path + entry.name));
}

function onPath(fits: Glob): Test {
  return ({ folder, name }) => fits(textOf(folder.path + name));
}

function anyOf(tests: readonly Test[]): Test {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (entry) => tests.some((test) => test(entry));
}

function textOf(path: BytePath): string {
  return toText(path) ?? Buffer.from(path, 'latin1').toString();
}

import { type LogicalPath, readLogicalPath } from './logical-path.ts';
import { pathFault, shown } from './path-fault.ts';

/** What may not be written, and how the file system tells names apart. */
export interface ProtectedPathOptions {
  /** Paths that are not written, nor anything below them, beside `.git` in every folder. */
  readonly protectedPaths?: readonly string[];
  /**
   * Brings a name to the form by which the file system compares it. Default: the name itself on Linux,
   * else normalised and in lower case, as macOS compares.
   */
  readonly foldName?: (name: string) => string;
}

/** Refuses paths that may not be written. */
export type WriteGuard = (path: Pick<LogicalPath, 'parts' | 'text'>) => void;

/**
 * Makes the guard of paths for writing.
 *
 * @throws `path/<rule>` at once for an operator's path that is none.
 */
export function guardWrites(options: ProtectedPathOptions = {}): WriteGuard {
  const fold = options.foldName ?? defaultFold();
  const listed = (options.protectedPaths ?? []).map((path) =>
    readLogicalPath(path).parts.map((part) => fold(part)),
  );
  return ({ parts, text }) => {
    if (parts.some(isGitName)) {
      throw pathFault(
        'git_folder',
        `${shown(text)} belongs to version control and is not touched.`,
      );
    }
    const folded = parts.map((part) => fold(part));
    const isListed = listed.some(
      (entry) =>
        entry.length <= folded.length && entry.every((part, index) => part === folded[index]),
    );
    if (isListed) {
      throw pathFault(
        'protected',
        `${shown(text)} is protected by the operator and is not written.`,
      );
    }
  };
}

/** Whether a name is, or on some file system would be, the folder of git. */
export function isGitName(name: string): boolean {
  // HFS+ ignores these characters, NTFS drops dots and spaces at the end and knows the short name.
  const folded = name.normalize('NFKC').replaceAll(IGNORED, '').toLowerCase();
  return /^(?:\.git|git~\d+)[ .]*$/.test(folded);
}

function defaultFold(): (name: string) => string {
  return process.platform === 'linux'
    ? (name) => name
    : (name) => name.normalize('NFC').toLowerCase();
}

const IGNORED = /[\u200c-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g;

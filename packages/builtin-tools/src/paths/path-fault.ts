import { MillforgeError, type ToolErrorCode } from '@millforge/contracts';

/** The rule by which a path is refused; part of every refusal, so that it can be looked up. */
export type PathRule =
  /** Not text, or nothing but white space. */
  | 'empty'
  /** A NUL character. */
  | 'nul'
  /** Any other control character, or half of a surrogate pair. */
  | 'control_character'
  /** A backslash, which separates folders elsewhere. */
  | 'backslash'
  /** A colon: drives and alternate streams. */
  | 'colon'
  /** Begins at the root of the host. */
  | 'absolute'
  /** Begins with `~`. */
  | 'home'
  /** A part `..`. */
  | 'parent'
  /** A part `.` where the workspace itself is not meant. */
  | 'dot'
  /** Two slashes in a row, or one at the end. */
  | 'empty_part'
  /** A name that is a device on some systems, such as `CON` or `nul.txt`. */
  | 'device_name'
  /** More than 4,096 bytes, or 255 in one part. */
  | 'too_long'
  /** `.git`, however it is spelled. */
  | 'git_folder'
  /** A path that the operator has listed. */
  | 'protected'
  /** A link that leads out of the workspace. */
  | 'outside'
  /** Links that lead to links without end. */
  | 'link_loop'
  /** A link to nothing, where a file would be written. */
  | 'dangling_link'
  /** Nothing is there. */
  | 'not_found'
  /** A folder, pipe, socket or device where a file is needed. */
  | 'not_a_file'
  /** Something else where a folder is needed. */
  | 'not_a_folder'
  /** A file with further names, where the operator refuses those. */
  | 'hard_link'
  /** More bytes than a file may have that is read or replaced whole. */
  | 'too_large'
  /** The entry became another one between the look and the opening. */
  | 'changed'
  /** The host does not let this process do it. */
  | 'permission'
  /** The host failed in another way. */
  | 'io'
  /** The workspace is missing, no folder, or on a host without open folders by number. */
  | 'workspace';

/** A path refused by a rule; the code is `path/<rule>`, the message begins with the rule. */
export function pathFault(rule: PathRule, sentence: string, cause?: unknown): MillforgeError {
  return new MillforgeError(
    `path/${rule}`,
    `${rule}: ${sentence}`,
    cause === undefined ? {} : { cause },
  );
}

/** The rule of a fault; null for every other value. */
export function pathRuleOf(error: unknown): PathRule | null {
  if (!MillforgeError.is(error) || !error.code.startsWith('path/')) return null;
  const rule = error.code.slice('path/'.length);
  return isRule(rule) ? rule : null;
}

/** What a refused path means to the caller of a tool. */
export function toolCodeOf(rule: PathRule): ToolErrorCode {
  return CODES[rule];
}

/**
 * A failure of the file system in fixed words: the message of the system would name paths of the host.
 */
export function systemFault(error: unknown, path: string): MillforgeError {
  const known = KNOWN[errnoOf(error) ?? ''];
  if (known !== undefined) return pathFault(known[0], `${shown(path)} ${known[1]}`, error);
  return pathFault(
    'io',
    `${shown(path)} cannot be used (${errnoOf(error) ?? 'no reason'}).`,
    error,
  );
}

/** The `errno` name of a system error, such as `ENOENT`; null for any other value. */
export function errnoOf(error: unknown): string | null {
  const isSystem = error instanceof Error && 'errno' in error && 'code' in error;
  return isSystem && typeof error.code === 'string' ? error.code : null;
}

/** A path for a message: short, and on one line. */
export function shown(path: string): string {
  if (path === '') return 'the workspace';
  const short = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return short.replaceAll(UNPRINTABLE, '\ufffd');
}

function isRule(rule: string): rule is PathRule {
  return Object.hasOwn(CODES, rule);
}

const UNPRINTABLE = /[\p{Cc}\p{Surrogate}\u2028\u2029]/gu;

const KNOWN: { readonly [errno: string]: readonly [PathRule, string] } = {
  ENOENT: ['not_found', 'does not exist.'],
  ENOTDIR: ['not_a_folder', 'lies below something that is no folder.'],
  EISDIR: ['not_a_file', 'is a folder.'],
  ELOOP: ['changed', 'became a link meanwhile; try again.'],
  EACCES: ['permission', 'may not be used by this process.'],
  EPERM: ['permission', 'may not be used by this process.'],
  EROFS: ['permission', 'lies on a read-only file system.'],
  ENAMETOOLONG: ['too_long', 'is longer than the file system allows.'],
  ENXIO: ['not_a_file', 'is no regular file.'],
  ENOSPC: ['io', 'cannot be written: the disk is full.'],
  EDQUOT: ['io', 'cannot be written: the quota is used up.'],
  EMFILE: ['io', 'cannot be opened: this process has too many files open.'],
};

// Keyed by the union, so that the compiler asks for every rule.
const CODES: { readonly [Rule in PathRule]: ToolErrorCode } = {
  empty: 'invalid_arguments',
  nul: 'policy_denied',
  control_character: 'policy_denied',
  backslash: 'policy_denied',
  colon: 'policy_denied',
  absolute: 'policy_denied',
  home: 'policy_denied',
  parent: 'policy_denied',
  dot: 'policy_denied',
  empty_part: 'policy_denied',
  device_name: 'policy_denied',
  too_long: 'policy_denied',
  git_folder: 'policy_denied',
  protected: 'policy_denied',
  outside: 'policy_denied',
  link_loop: 'policy_denied',
  dangling_link: 'policy_denied',
  not_found: 'not_found',
  not_a_file: 'policy_denied',
  not_a_folder: 'not_found',
  hard_link: 'policy_denied',
  too_large: 'policy_denied',
  changed: 'conflict',
  permission: 'permission_denied',
  io: 'io_error',
  workspace: 'policy_denied',
};

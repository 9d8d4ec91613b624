import { pathFault, shown } from './path-fault.ts';

/** A path inside the workspace, checked by its text alone. */
export interface LogicalPath {
  /** The path as it is shown: parts joined by `/`, empty for the workspace itself. */
  readonly text: string;
  /** Its parts from the workspace down. */
  readonly parts: readonly string[];
}

/**
 * Reads a path as a caller wrote it. Looks at the text only, so the answer is the same on every machine.
 *
 * @throws `path/<rule>` naming the rule that the text breaks.
 */
export function readLogicalPath(
  sent: unknown,
  options: { /** Whether `.` names the workspace itself. */ readonly allowDot?: boolean } = {},
): LogicalPath {
  if (typeof sent !== 'string' || sent.trim() === '') {
    throw pathFault(
      'empty',
      'a path is text that names a file of the workspace, such as src/a.ts.',
    );
  }
  for (const [rule, breaks, sentence] of TEXT_RULES) {
    if (breaks(sent)) throw pathFault(rule, `${shown(sent)} ${sentence}`);
  }
  if (sent === '.' && options.allowDot === true) return WORKSPACE;
  const parts = sent.split('/');
  for (const part of parts) {
    for (const [rule, breaks, sentence] of PART_RULES) {
      if (breaks(part)) throw pathFault(rule, `${shown(sent)} ${sentence}`);
    }
  }
  return Object.freeze({ text: sent, parts: Object.freeze(parts) });
}

/** The workspace itself. */
export const WORKSPACE: LogicalPath = Object.freeze({ text: '', parts: Object.freeze([]) });

/** The path of a folder with a further part, without a check. */
export function childPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

type Rule = readonly [
  Parameters<typeof pathFault>[0],
  (text: string) => boolean,
  /** Continues a sentence that begins with the path. */
  string,
];

const RELATIVE = 'use a path relative to the workspace.';

const TEXT_RULES: readonly Rule[] = [
  ['nul', (path) => path.includes('\0'), 'contains a NUL character.'],
  ['backslash', (path) => path.includes('\\'), 'contains a backslash; separate folders with /.'],
  ['colon', (path) => path.includes(':'), 'contains a colon, which names drives and streams.'],
  ['absolute', (path) => path.startsWith('/'), `is absolute; ${RELATIVE}`],
  ['home', (path) => path.startsWith('~'), `begins at a home folder; ${RELATIVE}`],
  [
    'control_character',
    (path) => /[\p{Cc}\p{Surrogate}]/u.test(path),
    'contains a control character or half of a surrogate pair.',
  ],
  ['too_long', (path) => utf8Bytes(path) > 4096, 'is longer than 4,096 bytes.'],
];

const PART_RULES: readonly Rule[] = [
  ['parent', (part) => part === '..', `contains the part ".."; ${RELATIVE}`],
  ['dot', (part) => part === '.', 'contains the part "."; leave it out.'],
  ['empty_part', (part) => part === '', 'contains two slashes in a row or one at its end.'],
  ['device_name', isDeviceName, 'contains a name that is a device on some systems.'],
  ['too_long', (part) => utf8Bytes(part) > 255, 'contains a name longer than 255 bytes.'],
];

/** Windows takes these names for devices in every folder, whatever their ending. */
function isDeviceName(part: string): boolean {
  const stem = (part.split('.')[0] ?? '').replace(/[ .]+$/, '');
  return /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])$/i.test(stem);
}

import { createRedactor, type Diagnostic } from '@millforge/contracts';

/** Tells which lines of a source may not be shown, counted from 1. */
export type IsHidden = (line: number) => boolean;

/**
 * Finds the lines of a source that hold something which looks like a secret.
 *
 * It hides rather too much: a line whose neighbour turns it into a secret, a line that only its escapes keep from
 * looking like one, all of a private key, and all of a scalar that a diagnostic calls a secret.
 */
export function hiddenLines(
  lines: readonly string[],
  diagnostics: readonly Diagnostic[],
): IsHidden {
  const hidden = new Set<number>();
  for (const { code, span } of diagnostics) {
    if (code === SECRET_CODE && span !== undefined) hideScalar(lines, span.line, hidden);
  }
  hidePrivateKeys(lines, hidden);
  const judged = new Map<number, boolean>();
  return (line) => {
    const before = judged.get(line);
    if (before !== undefined) return before;
    const isHidden = hidden.has(line) || looksSecretAt(lines, line);
    judged.set(line, isHidden);
    return isHidden;
  };
}

const SECRET_CODE = 'MF-S026';
const redactor = createRedactor();

function looksSecretAt(lines: readonly string[], line: number): boolean {
  const text = lines[line - 1] ?? '';
  const isAlone = holdsSecret(text) || holdsSecret(unescaped(text));
  if (isAlone) return true;
  // A scalar of several lines is judged as a whole: the name may end one line, the value begin the next.
  const previous = (lines[line - 2] ?? '').trim();
  const next = (lines[line] ?? '').trim();
  return (
    (!holdsSecret(previous) && holdsSecret(`${previous}\n${text.trim()}`)) ||
    (!holdsSecret(next) && holdsSecret(`${text.trim()}\n${next}`))
  );
}

function holdsSecret(text: string): boolean {
  return redactor.text(text) !== text;
}

/** What a quoted scalar says; other text comes back nearly as it was, which is good enough to be judged. */
function unescaped(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi, (_, long: string, short: string) =>
      String.fromCharCode(Number.parseInt(long ?? short, 16)),
    )
    .replaceAll(/\\(["\\/])/g, '$1');
}

/** The entry at a line, and everything below it that stands further in. */
function hideScalar(lines: readonly string[], first: number, hidden: Set<number>): void {
  hidden.add(first);
  const indent = indentOf(lines[first - 1] ?? '');
  for (let line = first + 1; line <= lines.length; line++) {
    const text = lines[line - 1] ?? '';
    if (text.trim() !== '' && indentOf(text) <= indent) return;
    hidden.add(line);
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function hidePrivateKeys(lines: readonly string[], hidden: Set<number>): void {
  let isInside = false;
  lines.forEach((text, index) => {
    if (BEGIN.test(text)) isInside = true;
    else if (isInside && !KEY_LINE.test(text) && !END.test(text)) isInside = false;
    if (isInside) hidden.add(index + 1);
    if (END.test(text)) isInside = false;
  });
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
const END = /-----END /;
/** Base64, also quoted or as an item, the head lines of an encrypted key, and blank lines. */
const KEY_LINE = /^[\s"',|>-]*(?:[A-Za-z0-9+/=\\]*|[A-Za-z-]+: .*)[\s"',]*$/;

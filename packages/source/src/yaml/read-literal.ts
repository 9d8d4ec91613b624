import { admitText } from './resolve-scalar.ts';
import { fail, failLine, isFollowedOnLine, toNextLine, type YamlCursor } from './yaml-cursor.ts';

/** Reads the literal whose `|` is at the cursor: its lines as they are, without their indentation. */
export function readLiteral(cursor: YamlCursor, holder: number): string | undefined {
  const { text, limits, at: start } = cursor;
  cursor.at = start + 1;
  const isPlainHeader = text.charAt(start) === '|' && !isFollowedOnLine(cursor);
  if (!isPlainHeader) return failLine(cursor, 'block-indicator', start);
  const first = findFirstLine(cursor, holder, start);
  if (first === undefined) return undefined;
  let value = '\n'.repeat(first.blankLines);
  let pending = 0;
  let lineStart = first.lineStart;
  for (;;) {
    const indent = countSpaces(text, lineStart, first.indent);
    const at = lineStart + indent;
    const code = text.charCodeAt(at);
    if (Number.isNaN(code)) break;
    if (indent < first.indent && code !== LINE_FEED) {
      if (code === TAB) return fail(cursor, 'tab', at);
      break;
    }
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    if (end === at) pending += 1;
    else {
      value += `${'\n'.repeat(pending)}${text.slice(at, end)}\n`;
      pending = 0;
      if (value.length > limits.maxScalarBytes) return fail(cursor, 'scalar-size', start);
    }
    lineStart = end + 1;
    if (newline < 0) break;
  }
  const admitted = admitText(value, limits);
  if (!admitted.ok) return fail(cursor, admitted.rule, start);
  cursor.at = Math.min(lineStart, text.length);
  return toNextLine(cursor) ? value : undefined;
}

interface FirstLine {
  /** Offset at which the first line with text begins. */
  readonly lineStart: number;
  /** Spaces before that text: the indentation of the whole literal. */
  readonly indent: number;
  /** Empty lines before it. */
  readonly blankLines: number;
}

function findFirstLine(cursor: YamlCursor, holder: number, start: number): FirstLine | undefined {
  const { text } = cursor;
  let blankLines = 0;
  let widest = 0;
  let lineStart = cursor.at + 1;
  for (;;) {
    const indent = countSpaces(text, lineStart, text.length);
    const code = text.charCodeAt(lineStart + indent);
    if (code === LINE_FEED) {
      blankLines += 1;
      widest = Math.max(widest, indent);
      lineStart += indent + 1;
      continue;
    }
    if (code === TAB && indent <= holder) return fail(cursor, 'tab', lineStart + indent);
    if (Number.isNaN(code) || indent <= holder) return failLine(cursor, 'empty-block', start);
    // YAML could not tell such an empty line from text, and would want the indentation in the header.
    if (widest > indent) return fail(cursor, 'indentation', lineStart + indent);
    return { lineStart, indent, blankLines };
  }
}

function countSpaces(text: string, from: number, most: number): number {
  let count = 0;
  while (count < most && text.charCodeAt(from + count) === SPACE) count += 1;
  return count;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const SPACE = 0x20;

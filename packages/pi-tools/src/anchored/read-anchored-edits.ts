import type { JsonObject, JsonValue } from '@millforge/contracts';
import { toolFault } from '../tool-fault.ts';
import { type Anchor, parseAnchor } from './anchor.ts';

/** One change as the model asked for it. */
export interface AnchoredEdit {
  readonly op: 'replace' | 'delete' | 'insert_before' | 'insert_after';
  /** The line, or the first of several. */
  readonly first: Anchor;
  /** The last line that is replaced or deleted. */
  readonly last: Anchor;
  /** New lines; none for `delete`. */
  readonly lines: readonly string[];
}

/**
 * Reads the changes that a model asked for.
 *
 * @throws `tool/invalid_arguments` naming the first that is none.
 */
export function readAnchoredEdits(input: JsonObject): readonly AnchoredEdit[] {
  const given = input['edits'];
  if (!Array.isArray(given) || given.length === 0) {
    throw toolFault('invalid_arguments', 'edits must hold at least one change.');
  }
  return given.map((item: JsonValue, index) => readEdit(Object(item), `edits[${index}]`));
}

function readEdit(item: Record<string, unknown>, name: string): AnchoredEdit {
  const { op, at, to, text } = item;
  if (op !== 'replace' && op !== 'delete' && op !== 'insert_before' && op !== 'insert_after') {
    throw invalid(`${name}.op must be replace, delete, insert_before or insert_after.`);
  }
  const first = readAnchor(at, `${name}.at`);
  const takesRange = op === 'replace' || op === 'delete';
  if (to !== undefined && to !== null && !takesRange) {
    throw invalid(`${name}.to is only for replace and delete; ${op} has one place.`);
  }
  const last = to === undefined || to === null ? first : readAnchor(to, `${name}.to`);
  if (last.line < first.line) throw invalid(`${name}.to must not stand before ${name}.at.`);
  return { op, first, last, lines: readLines(op, text, name) };
}

function readAnchor(value: unknown, name: string): Anchor {
  const anchor = typeof value === 'string' ? parseAnchor(value) : null;
  if (anchor !== null) return anchor;
  throw invalid(`${name} must be an anchor such as 12#a3f9, as read_anchored shows it.`);
}

function readLines(op: AnchoredEdit['op'], text: unknown, name: string): readonly string[] {
  if (op === 'delete') {
    if (text === undefined || text === null || text === '') return [];
    throw invalid(`${name}.text must be absent for delete; use replace to put something there.`);
  }
  if (typeof text !== 'string' || text === '') {
    throw invalid(
      `${name}.text must be the new lines; it is "\\n" for one empty line, and op is delete for none.`,
    );
  }
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  // The line feed behind the last line ends it and begins no other.
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function invalid(message: string) {
  return toolFault('invalid_arguments', message);
}

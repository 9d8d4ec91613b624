import type { ExactJson } from './json-value.ts';

/** Why a text was refused. */
export type ReadJsonReason =
  | 'malformed'
  | 'trailing'
  | 'duplicate-key'
  | 'non-finite'
  | 'control-character'
  | 'lone-surrogate'
  | 'depth'
  | 'entries'
  | 'string-size'
  | 'number-size';

/** The first fault of a text. */
export interface JsonFault {
  /** The text was refused. */
  readonly ok: false;
  /** The rule that it breaks. */
  readonly reason: ReadJsonReason;
  /** Where, in UTF-16 units from the start of the text. */
  readonly offset: number;
  /** What is wrong, in one sentence that repeats nothing of the text. */
  readonly message: string;
}

/** An object whose entries are still being read. */
export type ObjectInProgress = { [key: string]: ExactJson };

/** A container whose entries are still being read. */
export type ContainerInProgress = ObjectInProgress | ExactJson[];

/** The state of one reading of JSON text. */
export interface JsonCursor {
  readonly text: string;
  readonly maxEntries: number;
  readonly maxDepth: number;
  readonly maxStringBytes: number;
  readonly maxNumberChars: number;
  readonly allowsControls: boolean;
  readonly allowsLoneSurrogates: boolean;
  readonly onEntry: ((container: object, key: string | number, offset: number) => void) | undefined;
  /** Offset of the next character to look at. */
  at: number;
  /** Entries counted so far. */
  entries: number;
  /** The container whose opening bracket was the last thing read. */
  opened: ContainerInProgress | null;
  /** The first fault; nothing is read after it. */
  fault: JsonFault | null;
}

/** Moves past white space between tokens: space, tab, LF and CR, nothing else. */
export function skipSpace(cursor: JsonCursor): void {
  const { text } = cursor;
  let { at } = cursor;
  let code = text.charCodeAt(at);
  while (code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d) {
    at += 1;
    code = text.charCodeAt(at);
  }
  cursor.at = at;
}

/** Notes why the text is refused; the undefined answer is what every reading function passes up. */
export function fail(
  cursor: JsonCursor,
  offset: number,
  why: readonly [reason: ReadJsonReason, message: string],
): undefined {
  const [reason, message] = why;
  cursor.fault = { ok: false, reason, offset, message };
  return undefined;
}

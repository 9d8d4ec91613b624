import type { Edit } from './match-edits.ts';

/** The content of a file in a form that can be searched and put back byte for byte. */
export interface FileContent {
  /** Whether it is UTF-8; other bytes stand for one character each. */
  readonly isText: boolean;
  /** The byte order mark at its beginning, or nothing. */
  readonly mark: string;
  /** What follows the mark. */
  readonly text: string;
  /** Spells an edit like the text. */
  spell(this: void, edit: Edit): Edit;
  /** The bytes of a changed text, with the mark. */
  encode(this: void, text: string): Buffer;
}

/** Opens the content of a file. One that is not UTF-8 is taken as bytes, so that nothing is re-encoded. */
export function openContent(bytes: Buffer): FileContent {
  try {
    const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
    return {
      isText: true,
      mark,
      text: content.slice(mark.length),
      spell: (edit) => edit,
      encode: (text) => Buffer.from(mark + text),
    };
  } catch {
    return {
      isText: false,
      mark: '',
      text: bytes.toString('latin1'),
      spell: ({ oldText, newText }) => ({ oldText: asBytes(oldText), newText: asBytes(newText) }),
      encode: (text) => Buffer.from(text, 'latin1'),
    };
  }
}

/** The UTF-8 bytes of a text, as one character each. */
function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const BYTE_ORDER_MARK = '\uFEFF';

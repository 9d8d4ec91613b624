/** What may be shown of a text that is still being written. */
export interface RedactedPiece {
  /** The piece, redacted. */
  readonly text: string;
  /** Whether it stands in place of all that was shown before. */
  readonly replaces: boolean;
}

/** Redacts a text while it is written. */
export interface RedactedText {
  /** Takes the next piece and gives what may be shown; null for nothing new. */
  push(piece: string): RedactedPiece | null;
}

/**
 * Makes the way of one text through a redactor.
 *
 * A word is shown once it has ended, since half a secret has no shape; and where what comes makes a secret of
 * what was shown, all is shown anew. The redactor sees a paragraph at a time, so that the cost of a text grows
 * with its length.
 */
export function redactAsWritten(redact: (text: string) => string): RedactedText {
  let isShown = false;
  let before = '';
  let paragraph = '';
  let shown = '';
  let word = '';
  return {
    push(piece) {
      const end = lastWordEnd(piece);
      if (end === 0) {
        word += piece;
        return null;
      }
      paragraph += word + piece.slice(0, end);
      word = piece.slice(end);
      let text = '';
      let replaces = false;
      const show = (raw: string): void => {
        const redacted = redact(raw);
        if (redacted.startsWith(shown)) text += redacted.slice(shown.length);
        else {
          text = before + redacted;
          replaces = isShown;
        }
        shown = redacted;
      };
      for (let over = paragraphEnd(paragraph); over > 0; over = paragraphEnd(paragraph)) {
        show(paragraph.slice(0, over));
        before += shown;
        shown = '';
        paragraph = paragraph.slice(over);
      }
      show(paragraph);
      if (text === '' && !replaces) return null;
      isShown = true;
      return { text, replaces };
    },
  };
}

/** Behind the last character that ends a word; scripts without spaces end one with each character. */
function lastWordEnd(text: string): number {
  for (let end = text.length; end > 0; end--) {
    const code = text.charCodeAt(end - 1);
    if (code <= SPACE || (code >= FIRST_IDEOGRAPHIC && !isLeadingSurrogate(code))) return end;
  }
  return 0;
}

function isLeadingSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function paragraphEnd(text: string): number {
  const blank = text.indexOf('\n\n');
  if (blank >= 0) return blank + 2;
  return text.length > MAX_PARAGRAPH ? lastWordEnd(text) : 0;
}

const SPACE = 0x20;
const FIRST_IDEOGRAPHIC = 0x2e80;
/** More than a private key in its armour has, which is a secret as a whole. */
const MAX_PARAGRAPH = 4096;

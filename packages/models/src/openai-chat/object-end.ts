/** Notices in pieces of text where a JSON object ends; each character is looked at once. */
export interface ObjectEnd {
  /** Takes the next piece. */
  push(piece: string): void;
  /** Whether every bracket that was opened is closed again. */
  isReached(): boolean;
}

/** Makes one for a text that has not begun. */
export function createObjectEnd(): ObjectEnd {
  let depth = 0;
  let hasBegun = false;
  let isString = false;
  let isEscaped = false;
  const take = (code: number): void => {
    if (isEscaped) isEscaped = false;
    else if (code === BACKSLASH) isEscaped = isString;
    else if (code === QUOTE) isString = !isString;
    else if (!isString) depth += depthOf(code);
    hasBegun ||= depth > 0;
  };
  return {
    push(piece) {
      for (let at = 0; at < piece.length; at += 1) take(piece.charCodeAt(at));
    },
    isReached: () => hasBegun && depth === 0 && !isString,
  };
}

function depthOf(code: number): number {
  if (code === 0x7b || code === 0x5b) return 1;
  return code === 0x7d || code === 0x5d ? -1 : 0;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

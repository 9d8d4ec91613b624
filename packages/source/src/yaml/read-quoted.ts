/** Offset behind the closing quote of a text that is quoted on one line, or -1 without one. */
export function endOfQuoted(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || Number.isNaN(code)) return -1;
    if (code === BACKSLASH && quote === DOUBLE_QUOTE) at += 1;
    else if (code === quote) {
      if (quote === DOUBLE_QUOTE || text.charCodeAt(at + 1) !== quote) return at + 1;
      at += 1;
    }
  }
}

const LINE_FEED = 0x0a;
const DOUBLE_QUOTE = 0x22;
const BACKSLASH = 0x5c;

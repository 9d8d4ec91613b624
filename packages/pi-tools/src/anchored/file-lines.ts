/** The lines of a text, with the offsets between which each stands. */
export interface FileLines {
  /** Number of lines; what follows a final line feed is none. */
  readonly count: number;
  /** Text of a line from 1, without its ending. */
  text(line: number): string;
  /** Offset at which a line from 1 starts; that behind the last line is the end of the text. */
  start(line: number): number;
  /** Offset behind the text of a line, before its ending. */
  end(line: number): number;
}

/** Finds the lines of a text: they end with LF or CRLF, and a CR alone is a character of its line. */
export function fileLines(text: string): FileLines {
  const starts = [0];
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', feed + 1)) {
    starts.push(feed + 1);
  }
  if (starts.at(-1) !== text.length) starts.push(text.length);
  const start = (line: number): number => starts[line - 1] ?? text.length;
  const end = (line: number): number => {
    const next = start(line + 1);
    if (text[next - 1] !== '\n') return next;
    return text[next - 2] === '\r' && next - 2 >= start(line) ? next - 2 : next - 1;
  };
  return {
    count: starts.length - 1,
    start,
    end,
    text: (line) => text.slice(start(line), end(line)),
  };
}

/** A file that changes are placed in. */
export interface AnchoredFile {
  readonly text: string;
  readonly lines: FileLines;
  /** Whether the text is UTF-8; else each character stands for one byte. */
  readonly isText: boolean;
  /** The path as the model sent it. */
  readonly path: string;
}

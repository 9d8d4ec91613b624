import type { TextSink } from './terminal.ts';

/** Lines that stay, and on a terminal one line below them that is rewritten. */
export interface StatusLine {
  /** Prints a line that stays. */
  print(line: string): void;
  /** Shows what is going on; nothing in a pipe. */
  show(text: string): void;
  /** Removes the rewritten line. */
  clear(): void;
}

/** Makes a status line for a sink; in a pipe only the lines that stay are written. */
export function createStatusLine(sink: TextSink): StatusLine {
  let shown = '';
  const erase = () => {
    if (shown !== '') sink.write('\r\u001B[2K');
    shown = '';
  };
  return {
    print(line) {
      const pending = shown;
      erase();
      sink.write(`${line}\n`);
      if (pending !== '') this.show(pending);
    },
    show(text) {
      if (!sink.isTerminal) return;
      erase();
      shown = [...text].slice(0, Math.max(sink.columns - 1, 1)).join('');
      sink.write(shown);
    },
    clear: erase,
  };
}

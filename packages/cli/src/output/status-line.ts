import { printable, type TextSink } from './terminal.ts';

/** Lines that stay, and on a terminal one line below them that is rewritten. */
export interface StatusLine {
  /** Prints a line that stays, in the place of the one that is rewritten. */
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
      erase();
      sink.write(`${printable(line)}\n`);
    },
    show(text) {
      if (!sink.isTerminal) return;
      erase();
      // One column is left free: a full line would wrap, and only its last part would be erased.
      const characters = Array.from(printable(text).replaceAll(/[\t\n]/g, ' '));
      shown = characters.slice(0, Math.max(sink.columns - 1, 1)).join('');
      sink.write(shown);
    },
    clear: erase,
  };
}

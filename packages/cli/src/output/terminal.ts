/** Where text goes: a stream and whether a person watches it. */
export interface TextSink {
  /** Writes text as it is. */
  write(text: string): void;
  /** Whether lines may be rewritten: a terminal that nobody asked to keep plain. */
  readonly isTerminal: boolean;
  /** Characters in a line of the terminal, as wide as it is at the moment. */
  readonly columns: number;
}

/** What the command line is given of the process it runs in. */
export interface CliHost {
  /** Results. */
  readonly stdout: TextSink;
  /** Progress and errors. */
  readonly stderr: TextSink;
  /** Whether a person can be asked on standard input. */
  readonly canAsk: boolean;
  /** Everything on standard input. */
  readStdin(): Promise<string>;
  /** Asks a question and gives the line that was typed, empty at the end of the input. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
  /** Environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Current directory. */
  readonly cwd: string;
  /** Calls back on each Ctrl-C until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Milliseconds that never go backwards, for elapsed times. */
  monotonicMs(): number;
  /** Calls back again and again until the returned function is called; never keeps a process alive. */
  every(ms: number, listener: () => void): () => void;
}

/** Writes one line of text that others may have written: without control characters. */
export function writeLine(sink: TextSink, line: string): void {
  sink.write(`${printable(line)}\n`);
}

/** Writes a document as one line of JSON Lines, in ASCII, its keys in the order given. */
export function writeJsonLine(sink: TextSink, document: object): void {
  sink.write(`${JSON.stringify(document).replaceAll(NOT_ASCII, escaped)}\n`);
}

/** Text without the characters by which a model or a file could take hold of a terminal. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, '\uFFFD');
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

// All controls but tab and line feed, and the marks that turn the direction of text around.
const CONTROLS = /(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;
const NOT_ASCII = /[\u007F-\uFFFF]/g;

/** Where text goes: a stream and whether a person watches it. */
export interface TextSink {
  /** Writes text as it is. */
  write(text: string): void;
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Characters in a line of the terminal. */
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
  /** Asks a question and gives the line that was typed. */
  ask(question: string): Promise<string>;
  /** Environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Current directory. */
  readonly cwd: string;
  /** Calls back on each Ctrl-C until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Milliseconds that never go backwards, for elapsed times. */
  monotonicMs(): number;
}

/** Writes one line. */
export function writeLine(sink: TextSink, line: string): void {
  sink.write(`${line}\n`);
}

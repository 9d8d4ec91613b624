import { createInterface } from 'node:readline/promises';
import { usageError } from '../cli-error.ts';
import type { CliHost, TextSink } from './terminal.ts';

/** The process that this program runs in. */
export function nodeHost(): CliHost {
  return {
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    canAsk: isTerminal(process.stdin) && isTerminal(process.stderr),
    env: process.env,
    // Asked for late: even the help can be read in a folder that is gone.
    get cwd() {
      return currentFolder();
    },
    monotonicMs: () => performance.now(),
    async readStdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks).toString('utf8');
    },
    async ask(question, signal) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      // While a line is read, the terminal gives Ctrl-C as a key, and who waits for it must hear of it.
      lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      const ended = new Promise<string>((resolve) => {
        lines.once('close', () => resolve(''));
      });
      try {
        const typed = lines.question(question, signal === undefined ? {} : { signal });
        return await Promise.race([typed, ended]);
      } finally {
        lines.close();
      }
    },
    onInterrupt(listener) {
      process.on('SIGINT', listener);
      return () => {
        process.off('SIGINT', listener);
      };
    },
    every(ms, listener) {
      const timer = setInterval(listener, ms).unref();
      return () => {
        clearInterval(timer);
      };
    },
  };
}

function sink(stream: NodeJS.WriteStream): TextSink {
  return {
    write(text) {
      stream.write(text);
    },
    isTerminal: isTerminal(stream) && !isPlain(process.env),
    get columns() {
      // Undefined in a pipe, and 0 on a terminal that does not know its size.
      return stream.columns || 80;
    },
  };
}

// The types say that it is always there; on a stream that is no terminal it is undefined.
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY ?? false;
}

function isPlain(env: NodeJS.ProcessEnv): boolean {
  return (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw usageError('The folder you are in is gone: change to one that exists.');
  }
}

import { createInterface } from 'node:readline/promises';
import type { CliHost, TextSink } from './terminal.ts';

/** The process that this program runs in. */
export function nodeHost(): CliHost {
  return {
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    canAsk: process.stdin.isTTY === true && process.stderr.isTTY === true,
    env: process.env,
    cwd: process.cwd(),
    monotonicMs: () => performance.now(),
    async readStdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks).toString('utf8');
    },
    async ask(question) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(question);
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
  };
}

function sink(stream: NodeJS.WriteStream): TextSink {
  return {
    write(text) {
      stream.write(text);
    },
    isTerminal: stream.isTTY === true && !('NO_COLOR' in process.env),
    columns: stream.columns ?? 80,
  };
}

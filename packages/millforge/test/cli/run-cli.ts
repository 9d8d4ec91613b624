import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliHost, type MillforgeFactory, main, type TextSink } from '@millforge/cli';
import { createMillforge } from 'millforge';
import { onTestFinished } from 'vitest';

/** What a command line came to. */
export interface CliEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** Answers to questions; with none, nobody can be asked. */
  readonly answers?: readonly string[];
  readonly createMillforge?: MillforgeFactory;
  /** Given the function that presses Ctrl-C. */
  readonly onStart?: (interrupt: () => void) => void;
  readonly onStderr?: (text: string) => void;
}

/** Runs one command line in this process, with its own HOME. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<CliEnd> {
  let stdout = '';
  let stderr = '';
  const answers = [...(options.answers ?? [])];
  const listeners = new Set<() => void>();
  const host: CliHost = {
    stdout: sink((text) => {
      stdout += text;
    }),
    stderr: sink((text) => {
      stderr += text;
      options.onStderr?.(text);
    }),
    canAsk: options.answers !== undefined,
    readStdin: async () => options.stdin ?? '',
    async ask(question) {
      stderr += question;
      return answers.shift() ?? '';
    },
    env: { HOME: options.cwd, ...options.env },
    cwd: options.cwd,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    monotonicMs: () => 0,
    every: () => () => {},
  };
  options.onStart?.(() => {
    for (const listener of listeners) listener();
  });
  const code = await main(argv, {
    createMillforge: options.createMillforge ?? createMillforge,
    version: '0.0.0-test',
    host,
  });
  return { code, stdout, stderr };
}

function sink(write: (text: string) => void): TextSink {
  return { write, isTerminal: false, columns: 80 };
}

/** A folder that is removed when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The last line of standard output, as JSON. */
export function lastJson(end: CliEnd): Record<string, unknown> {
  return JSON.parse(end.stdout.trimEnd().split('\n').at(-1) ?? 'null');
}

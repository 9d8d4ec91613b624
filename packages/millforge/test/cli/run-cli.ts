import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliHost, type MillforgeFactory, main, type TextSink } from '@millforge/cli';
import { createMillforge, logInToConnector, openConnector, openCustomTools } from 'millforge';
import { expect, onTestFinished } from 'vitest';

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
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
  /** Makes standard error a terminal of that many columns. */
  readonly columns?: number;
  /** Given the function that lets a second pass, where there is a terminal. */
  readonly onClock?: (tick: () => void) => void;
}

/**
 * Runs one command line in this process, with its own HOME. Unless its environment says how it was called, it is
 * called by npx, by which all that it advises has to be found, and gives what an installed one says.
 */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<CliEnd> {
  let stdout = '';
  let stderr = '';
  const answers = [...(options.answers ?? [])];
  const listeners = new Set<() => void>();
  const timers = new Set<() => void>();
  let now = 0;
  const host: CliHost = {
    stdout: sink((text) => {
      stdout += text;
      options.onStdout?.(text);
    }),
    stderr: sink((text) => {
      stderr += text;
      options.onStderr?.(text);
    }, options.columns),
    canAsk: options.answers !== undefined,
    readStdin: async () => options.stdin ?? '',
    async ask(question) {
      stderr += question;
      return answers.shift() ?? '';
    },
    env: { HOME: options.cwd, npm_command: 'exec', ...options.env },
    cwd: options.cwd,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    monotonicMs: () => now,
    every(ms, listener) {
      expect(ms).toBeLessThanOrEqual(1000);
      timers.add(listener);
      return () => timers.delete(listener);
    },
  };
  options.onClock?.(() => {
    now += 1000;
    for (const timer of timers) timer();
  });
  options.onStart?.(() => {
    for (const listener of listeners) listener();
  });
  const code = await main(argv, {
    createMillforge: options.createMillforge ?? createMillforge,
    openConnector,
    logInToConnector,
    openCustomTools,
    version: '0.0.0-test',
    host,
  });
  expect([listeners.size, timers.size], 'listeners and timers that were left').toEqual([0, 0]);
  if (options.env !== undefined && 'npm_command' in options.env) return { code, stdout, stderr };
  expect(notFound(`${stdout}\n${stderr}`), 'commands that are not found').toEqual([]);
  return { code, stdout: asInstalled(stdout), stderr: asInstalled(stderr) };
}

/** The lines for people that tell them to type a command that only an installation for all has. */
function notFound(text: string): readonly string[] {
  return text.split('\n').filter((line) => !/^\s*["{]/.test(line) && BARE.test(line));
}

function asInstalled(text: string): string {
  return text.replaceAll('npx millforge', 'millforge');
}

const BARE =
  /(?<!npx )millforge (?:init|trust|doctor|compile|explain|diff|run|resume|develop|review|publish|runs|trail|tools|connect|help|COMMAND)\b/;

function sink(write: (text: string) => void, columns?: number): TextSink {
  return { write, isTerminal: columns !== undefined, columns: columns ?? 80 };
}

/** A folder that is removed when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A command line with other values for some of its options. */
export function overriding(argv: readonly string[], more: readonly string[]): readonly string[] {
  const renewed = new Set(more.filter((part) => part.startsWith('--')));
  const kept = argv.filter((part, at) => !renewed.has(part) && !renewed.has(argv[at - 1] ?? ''));
  return [...kept, ...more];
}

/** All lines of standard output, as JSON. */
export function allJson(end: CliEnd): readonly Record<string, unknown>[] {
  return end.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The last line of standard output, as JSON. */
export function lastJson(end: CliEnd): Record<string, unknown> {
  return JSON.parse(end.stdout.trimEnd().split('\n').at(-1) ?? 'null');
}

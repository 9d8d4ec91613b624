import { spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Clock } from '@millforge/contracts';
import { CALL_KEY, endProcesses } from './call-processes.ts';
import { type OutputWindow, outputWindow } from './output-window.ts';

/** One command to run. */
export interface Command {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Bytes of output that are kept. */
  readonly maxOutputBytes: number;
  /** By which its processes are found. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** How a command ended. */
export type CommandEnd =
  | { readonly kind: 'not-started'; readonly reason: string }
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly output: string;
      readonly isCut: boolean;
    }
  | {
      readonly kind: 'stopped';
      readonly why: 'timeout' | 'cancelled';
      readonly output: string;
      readonly isCut: boolean;
      /** Whether all of its processes were seen to be gone. */
      readonly isGone: boolean;
    };

/**
 * Runs a program in a process group of its own, without a shell and without input. When it ends, however
 * it ends, all that it has started ends with it.
 */
export async function runCommand(command: Command): Promise<CommandEnd> {
  const { clock, signal, timeoutMs, maxOutputBytes, key } = command;
  const started = await start(command);
  if (typeof started === 'string') return { kind: 'not-started', reason: started };
  const { group, outputs, exited, stdout, stderr } = started;
  const timers = new AbortController();
  // The half of each, so that a flood of one does not wash away the other.
  const windows = [stdout, stderr].map((stream) => {
    const window = outputWindow(Math.ceil(maxOutputBytes / 2));
    return { window, done: readAll(stream, window) };
  });
  const end = await Promise.race([
    exited,
    abortOf(signal, timers.signal).then(() => 'cancelled' as const),
    clock.delay(timeoutMs, timers.signal).then(
      () => 'timeout' as const,
      () => never,
    ),
  ]);
  timers.abort();
  const isGone = await endProcesses({ group, key, outputs, clock });
  // What still holds a pipe cannot be ended, or is none of ours.
  const drained = new AbortController();
  await Promise.race([
    Promise.all(windows.map(({ done }) => done)),
    clock.delay(DRAIN_MS, drained.signal).catch(() => undefined),
  ]);
  drained.abort();
  for (const stream of [stdout, stderr]) stream.destroy();
  const output = joined(windows.map(({ window }) => window));
  return typeof end === 'string'
    ? { kind: 'stopped', why: end, ...output, isGone }
    : { kind: 'exited', ...end, ...output };
}

interface Started {
  readonly group: number;
  readonly outputs: readonly string[];
  readonly exited: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
  }>;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** A text says why it could not be started. */
async function start({ argv, folder, environment, key }: Command): Promise<Started | string> {
  const [program = '', ...rest] = argv;
  try {
    const child = spawn(program, rest, {
      cwd: folder,
      env: { ...environment, [CALL_KEY]: key },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // At once, before it can hand them on and end.
    const outputs = outputsOf(child.pid);
    const exited: Started['exited'] = new Promise((settle) => {
      child.once('exit', (code, signal) => settle({ code, signal }));
    });
    await new Promise<void>((settle, fail) => {
      child.once('spawn', settle);
      child.once('error', fail);
    });
    const { pid, stdout, stderr } = child;
    return pid === undefined ? 'it has no number' : { group: pid, outputs, exited, stdout, stderr };
  } catch (error) {
    // The message would name folders of the host.
    return error instanceof Error && 'code' in error ? String(error.code) : 'no reason was given';
  }
}

/** What a process writes to, as Linux names it; nothing where that cannot be told. */
function outputsOf(pid: number | undefined): readonly string[] {
  return [1, 2].flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${descriptor}`);
      // A program that has already sent its output to a file shares that with anybody.
      return /^(?:pipe|socket):/.test(target) ? [target] : [];
    } catch {
      return [];
    }
  });
}

async function readAll(stream: Readable, window: OutputWindow): Promise<void> {
  try {
    for await (const chunk of stream) window.add(Buffer.from(chunk));
  } catch {
    // The pipe was closed from our side, since nothing more is wanted.
  }
}

/** Output first, then errors. */
function joined(windows: readonly OutputWindow[]): {
  readonly output: string;
  readonly isCut: boolean;
} {
  const parts = windows.map((window) => window.text());
  return {
    output: parts
      .map(({ text }) => text.trim())
      .filter((text) => text !== '')
      .join('\n'),
    isCut: parts.some(({ isCut }) => isCut),
  };
}

/** Listens until `until` aborts. */
function abortOf(signal: AbortSignal, until: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    if (signal.aborted) settle();
    else signal.addEventListener('abort', () => settle(), { once: true, signal: until });
  });
}

const never = new Promise<never>(() => undefined);
const DRAIN_MS = 2000;

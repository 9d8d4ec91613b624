import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@millforge/contracts';
import { endGroup, endProcesses, signalGroup } from './end-processes.ts';
import { joinOutputs } from './join-outputs.ts';
import type { OutputLog } from './output-log.ts';

/** One command to run. */
export interface Command {
  readonly shell: string;
  readonly command: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Time until it is ended; null for no limit of its own. */
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly output: OutputLog;
  /** By which its processes are found. */
  readonly idempotencyKey: string;
  /** Whether a stop also ends what left the process group, after asking it to end. */
  readonly endsDescendants: boolean;
  /** How long the background is listened to after the shell has ended; null for as long as it writes. */
  readonly drainMs: number | null;
  /** Called right before and right after the process starts. */
  readonly onEffect: (phase: 'before-effect' | 'after-effect') => void;
}

/** How a command ended. */
export type CommandEnd =
  | { readonly kind: 'not-started'; readonly error: Error }
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      /** Whether a process it left behind was still writing when we stopped listening. */
      readonly isStillWriting: boolean;
      /** The process group, which may have members that live on. */
      readonly group: number | null;
    }
  | {
      readonly kind: 'stopped';
      readonly why: 'timeout' | 'aborted';
      /** Whether its process group was seen to be gone. */
      readonly isGone: boolean;
    };

/**
 * Runs a command in a process group of its own, with both outputs in one, so that they come in the order
 * in which they were written.
 *
 * Processes that it leaves in the background cannot hold the call: listening ends when the shell has
 * exited and nothing came for 100 ms, at the latest after `drainMs`.
 */
export async function runCommand(command: Command): Promise<CommandEnd> {
  const { clock, output } = command;
  const timers = new AbortController();
  command.onEffect('before-effect');
  const started = await start(command);
  if (started instanceof Error) return { kind: 'not-started', error: started };
  const { exited, outputs, group } = started;
  try {
    command.onEffect('after-effect');
    const reading = readAll(outputs, output);
    const stopped = stopOf(command, timers.signal);
    const listening = { clock, output, timers: timers.signal };
    const stop = async (why: 'timeout' | 'aborted'): Promise<CommandEnd> => {
      const { idempotencyKey, endsDescendants } = command;
      const isGone = await (endsDescendants ? endProcesses : endGroup)({
        group,
        idempotencyKey,
        clock,
      });
      await drain(reading, { ...listening, drainMs: DRAIN_MS });
      return { kind: 'stopped', why, isGone };
    };
    const first = await Promise.race([exited, stopped]);
    if (typeof first === 'string') return await stop(first);
    const { drainMs } = command;
    const drained = await Promise.race([drain(reading, { ...listening, drainMs }), stopped]);
    // Without a bound of its own the command is over only with its background.
    if (typeof drained === 'string' && drainMs === null) return await stop(drained);
    return { kind: 'exited', ...first, isStillWriting: drained !== true, group };
  } catch (error) {
    signalGroup(group, 'SIGKILL');
    throw error;
  } finally {
    // With a reason given, none has to be made.
    timers.abort('over');
    for (const one of outputs) one.destroy();
  }
}

interface Started {
  readonly exited: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
  }>;
  readonly outputs: readonly Readable[];
  readonly group: number;
}

async function start(command: Command): Promise<Started | Error> {
  const { program, args, environment } = joinOutputs(command);
  try {
    // A shell that does not join its outputs after all still loses nothing, but the order between them.
    const child = spawn(program, args, {
      cwd: command.folder,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited: Started['exited'] = new Promise((settle) => {
      child.once('exit', (code, signal) => settle({ code, signal }));
    });
    await new Promise<void>((settle, fail) => {
      child.once('spawn', settle);
      child.once('error', fail);
    });
    const { stdout, stderr, pid } = child;
    if (pid !== undefined) return { exited, outputs: [stdout, stderr], group: pid };
    return new Error('The process has no number.');
  } catch (error) {
    // The caller tells the model; a command line that is too long ends here.
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Takes what comes from all outputs, one piece after the other. */
async function readAll(outputs: readonly Readable[], log: OutputLog): Promise<void> {
  let last = Promise.resolve();
  const readOne = async (output: Readable): Promise<void> => {
    try {
      for await (const chunk of output) {
        last = last.then(() => log.add(Buffer.from(chunk)));
        await last;
      }
    } catch {
      // The pipe was closed from our side, since nothing more is wanted.
    }
  };
  await Promise.all(outputs.map(readOne));
}

/** Waits for the rest of the output; whether it came to an end or to a pause. */
async function drain(
  reading: Promise<void>,
  parts: {
    readonly clock: Clock;
    readonly output: OutputLog;
    readonly timers: AbortSignal;
    readonly drainMs: number | null;
  },
): Promise<boolean> {
  const { clock, output, timers } = parts;
  const end = clock.monotonicMs() + (parts.drainMs ?? Number.POSITIVE_INFINITY);
  const ended = reading.then(() => true);
  // What most shells wrote has come to its end with them, so no clock has to be asked.
  if (await Promise.race([ended, nextTurn(false)])) return true;
  for (;;) {
    const seen = output.pieces();
    const pause = clock.delay(PAUSE_MS, timers).then(
      () => false,
      () => false,
    );
    if (await Promise.race([ended, pause])) return true;
    // While a slow disk takes a piece, nothing more is read, which is no pause of the command.
    if (output.pieces() === seen && !output.isBusy()) return true;
    if (clock.monotonicMs() >= end) return false;
  }
}

/** Why the command is to be ended, when it is; listens until `until` aborts. */
function stopOf(
  { clock, signal, timeoutMs }: Command,
  until: AbortSignal,
): Promise<'timeout' | 'aborted'> {
  const aborted = abortOf(signal, until);
  if (timeoutMs === null) return aborted;
  const timeout = clock.delay(timeoutMs, until).then(
    () => 'timeout' as const,
    () => aborted,
  );
  return Promise.race([aborted, timeout]);
}

/** Listens until `until` aborts. */
function abortOf(signal: AbortSignal, until: AbortSignal): Promise<'aborted'> {
  return new Promise((settle) => {
    if (signal.aborted) settle('aborted');
    else signal.addEventListener('abort', () => settle('aborted'), { once: true, signal: until });
  });
}

const PAUSE_MS = 100;

/** How long the rest of a stopped command is listened to, and by default any background. */
export const DRAIN_MS = 2000;

import { outputWindow } from './output-window.ts';
import type { Command, CommandEnd } from './run-command.ts';

/**
 * Runs the commands of profiles somewhere else than in a process of this host, as in a sandbox. Resolves
 * when the command is over and all of its output has been handed over; rejects when it could not be started.
 */
export type ProfileRunner = (command: ProfileCommand) => Promise<ProfileExit>;

/** A command for a runner. */
export interface ProfileCommand {
  /** Program and arguments. */
  readonly argv: readonly string[];
  /** Absolute path of the folder to run it in. */
  readonly folder: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds after which it is ended with all it started. */
  readonly timeoutMs: number;
  /** Aborts at a stop; the runner then ends the command and all it started. */
  readonly signal: AbortSignal;
  /** Takes what the command writes, both outputs as they come. */
  readonly write: (chunk: Uint8Array) => Promise<void>;
}

/** How a command of a runner ended. */
export type ProfileExit =
  | {
      /** It ended by itself, or by a signal that was not ours. */
      readonly kind: 'exited';
      /** Exit code; null when a signal ended it. */
      readonly code: number | null;
      /** Name of that signal; null when it exited. */
      readonly signal: NodeJS.Signals | null;
    }
  | {
      /** It was ended. */
      readonly kind: 'stopped';
      /** What for. */
      readonly why: 'timeout' | 'cancelled';
    };

/** Runs a command by a runner, and keeps of its output what fits. */
export async function runByRunner(runner: ProfileRunner, command: Command): Promise<CommandEnd> {
  const { argv, folder, environment, timeoutMs, signal, maxOutputBytes } = command;
  const window = outputWindow(maxOutputBytes);
  const write = async (chunk: Uint8Array): Promise<void> => window.add(Buffer.from(chunk));
  const ended = await runner({ argv, folder, environment, timeoutMs, signal, write }).catch(
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  if (ended instanceof Error) return { kind: 'not-started', reason: ended.message };
  const { text, isCut } = window.text();
  return ended.kind === 'exited'
    ? { ...ended, output: text, isCut }
    : { ...ended, output: text, isCut, isGone: true };
}

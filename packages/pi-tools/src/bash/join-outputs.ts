import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CALL_MARK, callMark } from './call-mark.ts';

/** A command for a shell. */
export interface ShellCommand {
  readonly shell: string;
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  /** By which its processes are found. */
  readonly idempotencyKey: string;
}

/** A program that runs the text of a command, with both of its outputs in one where that can be had. */
export interface ShellStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Says how to start a shell so that it writes errors to its standard output, in the order in which it writes.
 *
 * Bash reads a file first that joins the two and marks its processes. Another shell is started by `sh`, which
 * joins them and becomes that shell; this takes a third longer.
 */
export function joinOutputs({
  shell,
  command,
  environment,
  idempotencyKey,
}: ShellCommand): ShellStart {
  const file = readsFile(shell, environment) ? joiningFile() : null;
  if (file !== null) {
    const args = ['-c', asArgument(command)];
    const told = { BASH_ENV: file, [CALL_MARK]: callMark(idempotencyKey) };
    return { program: shell, args, environment: { ...environment, ...told } };
  }
  const args = ['-c', 'exec "$0" -c "$1" 2>&1', shell, asArgument(command)];
  return { program: '/bin/sh', args, environment };
}

/** Whether a shell reads the file that `BASH_ENV` names, and has none of its own to read. */
function readsFile(shell: string, environment: Readonly<Record<string, string>>): boolean {
  if (basename(shell) !== 'bash' || process.getuid?.() !== process.geteuid?.()) return false;
  return OTHERWISE.every((name) => environment[name] === undefined);
}

/** A command that begins like an option would be one to the shell. */
function asArgument(command: string): string {
  return /^[-+]/.test(command) ? ` ${command}` : command;
}

/** It lies beside this file, and beside the one that is built from all. */
function joiningFile(): string | null {
  if (!isThere) isThere = existsSync(JOINING_FILE);
  return isThere ? JOINING_FILE : null;
}

const JOINING_FILE = join(import.meta.dirname, 'join-outputs.bash');
let isThere = false;

const OTHERWISE = ['BASH_ENV', 'POSIXLY_CORRECT', 'SHELLOPTS'];

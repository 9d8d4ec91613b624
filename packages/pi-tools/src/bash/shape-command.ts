import type { PiToolOptions } from '../pi-tool-options.ts';
import { shellEnvironment } from './shell-environment.ts';

/** A command as it is about to be started. */
export interface SpawnContext {
  /** Text for the shell, behind the prefix that every command gets. */
  readonly command: string;
  /** Absolute path of the folder to run it in. */
  readonly cwd: string;
  /** The whole environment, without what looks like a secret. */
  readonly env: Readonly<Record<string, string>>;
}

/** Changes a command before it is started, as to choose another folder or to add a variable. */
export type SpawnHook = (context: SpawnContext) => SpawnContext;

/** The command that a model sent, as the host wants it to be started. */
export function shapeCommand(sent: string, cwd: string, options: PiToolOptions): SpawnContext {
  const { commandPrefix, spawnHook } = options;
  const command = commandPrefix === undefined ? sent : `${commandPrefix}\n${sent}`;
  const context = { command, cwd, env: shellEnvironment(options) };
  return spawnHook === undefined ? context : spawnHook(context);
}

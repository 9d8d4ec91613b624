import type { PiToolOptions } from '../pi-tool-options.ts';
import { shellEnvironment } from './shell-environment.ts';
import type { SpawnContext } from './spawn-hook.ts';

/** The command that a model sent, as the host wants it to be started. */
export function shapeCommand(sent: string, cwd: string, options: PiToolOptions): SpawnContext {
  const { commandPrefix, spawnHook } = options;
  const command = commandPrefix === undefined ? sent : `${commandPrefix}\n${sent}`;
  const context = { command, cwd, env: shellEnvironment(options) };
  return spawnHook === undefined ? context : spawnHook(context);
}

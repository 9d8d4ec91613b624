import { join } from 'node:path';
import { createSandbox, type Sandbox, type SandboxOptions } from '@millforge/sandbox';
import { nodeClock } from '../node-clock.ts';
import { nodeIds } from '../node-ids.ts';
import { defaultDataDir, homeOf } from '../platform.ts';

/** What a sandbox of this host is made with; everything has a default. */
export interface HostSandboxOptions extends Partial<SandboxOptions> {
  /** Environment by which the folders of the user are found; default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes a sandbox with this machine's clock, from which the user's keys and Millforge's own folders are
 * hidden whatever is bound. Whoever makes one disposes of it.
 */
export function createHostSandbox(options: HostSandboxOptions = {}): Sandbox {
  const { env = process.env, hiddenPaths = [], ...rest } = options;
  return createSandbox({
    clock: nodeClock(),
    ids: nodeIds(),
    ...rest,
    hiddenPaths: [...userSecrets(env), ...hiddenPaths],
  });
}

function userSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = homeOf(env);
  const configuration = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'millforge');
  const keys = ['.ssh', '.gnupg', '.aws', '.netrc', '.npmrc'].map((name) => join(home, name));
  return [configuration, defaultDataDir(env), ...keys];
}

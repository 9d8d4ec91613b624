import type { ModelSetting } from '@millforge/cli';
import type { Clock, Ids } from '@millforge/contracts';
import type { ModelProfile } from '@millforge/models';
import { piTerminals, piTools } from '@millforge/pi-tools';
import { createMillforge } from '../create-millforge.ts';
import { assertSupportedPlatform, homeOf } from '../platform.ts';
import type { OpenBaseOptions } from './base-options.ts';
import type { MillforgeBase } from './millforge-base.ts';
import { openBase } from './open-base.ts';

/** What millforge-base is made of; folder and profile have no default. */
export interface MillforgeBaseOptions extends Omit<OpenBaseOptions, 'model' | 'grants'> {
  /** How the model is reached; or a setting, such as a script. */
  readonly profile: ModelProfile | ModelSetting;
  /**
   * Directory of the trail, made when it is missing; null keeps nothing and loads no driver. Default
   * `$XDG_STATE_HOME/millforge`, or `~/.local/state/millforge`.
   */
  readonly dataDir?: string | null;
  /** Where the key that the profile names is asked for, at every run; default the environment. */
  readonly secrets?: SecretResolver;
  /** Environment of the shell and of keys; default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** HTTP; default the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Time; default this machine's. */
  readonly clock?: Clock;
  /** Source of fresh names; default random. */
  readonly ids?: Ids;
  /** Who acts, as it stands in the trail; default `user@host`. */
  readonly actor?: string;
  /** What this runs on; default the platform of the process. On `win32` nothing is composed. */
  readonly platform?: NodeJS.Platform;
}

/** Where a program keeps its keys. */
export interface SecretResolver {
  /** The secret of a name, or undefined where there is none. */
  resolve(name: string): string | undefined | Promise<string | undefined>;
}

/**
 * Composes millforge-base, the coding agent that may do everything, for one folder and one model.
 *
 * It is not sandboxed: its tools read, change and start whatever the user of the process may. Nothing is
 * asked of the network and no secret is looked up before a run. Dispose of it.
 *
 * @throws `millforge/unsupported-platform` before anything else; `millforge/usage` for a wrong folder;
 * `millforge/document` for a wrong profile; `pi-tools/invalid-option` for wrong terminals or prompts.
 */
export async function createMillforgeBase(options: MillforgeBaseOptions): Promise<MillforgeBase> {
  const platform = options.platform ?? process.platform;
  assertSupportedPlatform(platform);
  const { profile, secrets, terminals, dataDir, fetch, clock, ids, actor, ...rest } = options;
  const { env: given = process.env, platform: _, ...parts } = rest;
  const model: ModelSetting = 'kind' in profile ? profile : { kind: 'endpoint', profile };
  const keyName = model.kind === 'endpoint' ? model.profile.api_key_env : undefined;
  const keys = { ...given };
  const millforge = createMillforge({
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(clock === undefined ? {} : { clock }),
    ...(ids === undefined ? {} : { ids }),
    ...(actor === undefined ? {} : { actor }),
    platform,
    env: keys,
    shippedTools: piTools({ environment: without(given, keyName) }),
    tools: terminals === undefined ? [] : piTerminals(terminals).filter(isNotShipped),
  });
  try {
    const ground = {
      millforge,
      platform,
      home: homeOf(given),
      async beforeRun() {
        if (secrets === undefined || keyName === undefined) return;
        keys[keyName] = await secrets.resolve(keyName);
      },
      onClose: async () => millforge[Symbol.asyncDispose](),
    };
    if (secrets !== undefined && keyName !== undefined) keys[keyName] = undefined;
    return await openBase(ground, {
      ...parts,
      model,
      ...(terminals === undefined ? {} : { terminals }),
    });
  } catch (error) {
    await millforge[Symbol.asyncDispose]();
    throw error;
  }
}

// The key of the model is nothing that a command needs, whatever its variable is called.
function without(
  env: Readonly<Record<string, string | undefined>>,
  name: string | undefined,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([variable]) => variable !== name));
}

function isNotShipped({ descriptor }: ReturnType<typeof piTerminals>[number]): boolean {
  return descriptor.tool_id.startsWith('builtin.pi_compat.terminal.');
}

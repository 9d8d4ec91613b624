import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ModelProfile } from '@millforge/models';
import { documentError, usageError } from '../arguments/usage-error.ts';
import { type ConfigDocument, readConfigDocument } from './config-document.ts';
import {
  defaultDataDirectory,
  type Environment,
  projectConfigFile,
  userConfigFile,
} from './places.ts';
import { openTrustStore } from './trust-store.ts';

/** Where a value came from, strongest first. */
export type ConfigSource = 'flag' | 'environment' | 'project' | 'user' | 'default';

/** What a person gave on the command line. */
export interface ConfigFlags {
  /** `--model`. */
  readonly model: string | null;
  /** `--api-key-env`. */
  readonly apiKeyEnv: string | null;
  /** `--data`. */
  readonly data: string | null;
  /** `--grant`, all of them. */
  readonly grants: readonly string[];
  /** `--trust-project`: use this project's file for this command without recording it. */
  readonly trustProject: boolean;
}

/** The values in force, and what was left aside. */
export interface EffectiveConfig {
  /** Model reference with its key's variable, both from one source; null when none is set. */
  readonly model: {
    readonly reference: string;
    readonly apiKeyEnv: string | null;
    readonly source: ConfigSource;
    /** Folder that a relative file in the reference starts from. */
    readonly directory: string;
  } | null;
  /** Profiles by id, each from the strongest source that names it. */
  readonly profiles: readonly ModelProfile[];
  /** Capabilities granted. */
  readonly grants: readonly string[];
  /** Data directory, absolute. */
  readonly dataDirectory: string;
  /** Directory of the trust store, absolute; a project cannot move it. */
  readonly trustDirectory: string;
  /** The project's file when it exists and nobody has vouched for it. */
  readonly untrusted: UntrustedProject | null;
}

/** A project configuration that is not used. */
export interface UntrustedProject {
  /** Its path. */
  readonly file: string;
  /** What it asks for, for a person to judge. */
  readonly asksFor: readonly string[];
  /** Its text, to be accepted. */
  readonly text: string;
}

/** What the configuration is read from. */
export interface ConfigPlaces {
  /** Directory of the project: its file is `.millforge/config.json`. */
  readonly project: string;
  /** Current directory, for relative flags. */
  readonly cwd: string;
  /** Environment. */
  readonly env: Environment;
}

/**
 * Merges flag > environment > trusted project file > user file > default.
 *
 * @throws `cli/document` for a file in force that is wrong; `cli/usage` for a key without its model.
 */
export async function readEffectiveConfig(
  flags: ConfigFlags,
  places: ConfigPlaces,
): Promise<EffectiveConfig> {
  const { env, cwd } = places;
  const userFile = userConfigFile(env);
  const user = await readOptional(userFile);
  const userConfig = user === null ? EMPTY : readConfigDocument(user, userFile);
  const project = await readProject(places, userConfig, flags);

  const layers: readonly Layer[] = [
    { source: 'flag', directory: cwd, ...fromFlags(flags) },
    { source: 'environment', directory: cwd, ...fromEnvironment(env) },
    { source: 'project', directory: places.project, ...project.config },
    { source: 'user', directory: dirname(userFile), ...userConfig },
  ];
  const dataLayer = layers.find((layer) => layer.data !== null);
  return {
    model: modelOf(layers),
    profiles: profilesOf(layers),
    grants: layers.find((layer) => layer.grants.length > 0)?.grants ?? [],
    dataDirectory:
      dataLayer?.data == null
        ? defaultDataDirectory(env)
        : resolve(dataLayer.directory, dataLayer.data),
    trustDirectory: trustDirectory(flags.data, userConfig, places),
    untrusted: project.untrusted,
  };
}

/** The data directory that holds the trust store; a project cannot move it. */
export async function userDataDirectory(
  flagData: string | null,
  places: Pick<ConfigPlaces, 'env' | 'cwd'>,
): Promise<string> {
  const userFile = userConfigFile(places.env);
  const user = await readOptional(userFile);
  const config = user === null ? EMPTY : readConfigDocument(user, userFile);
  return trustDirectory(flagData, config, places);
}

/** Says in words what a configuration asks for. */
export function describeConfig(config: ConfigDocument): readonly string[] {
  return [
    ...(config.model === null ? [] : [`model ${config.model}`]),
    ...(config.apiKeyEnv === null
      ? []
      : [`send the key in ${config.apiKeyEnv} to the model's server`]),
    ...config.profiles.map(
      (profile) =>
        `profile ${profile.profile_id} at ${profile.base_url}${profile.api_key_env === undefined ? '' : `, with the key in ${profile.api_key_env}`}`,
    ),
    ...(config.grants.length === 0 ? [] : [`grants ${config.grants.join(', ')}`]),
    ...(config.data === null ? [] : [`data directory ${config.data}`]),
  ];
}

interface Layer extends ConfigDocument {
  readonly source: ConfigSource;
  readonly directory: string;
}

function modelOf(layers: readonly Layer[]): EffectiveConfig['model'] {
  const named = layers.find((layer) => layer.model !== null);
  const keyed = layers.find((layer) => layer.apiKeyEnv !== null);
  if (named?.model == null) return null;
  // A key goes only to the origin that the same source names; a key named by a stronger source than
  // the model's would otherwise be sent wherever a weaker one points.
  if (keyed !== undefined && layers.indexOf(keyed) < layers.indexOf(named)) {
    throw usageError(
      `The key variable comes from ${SOURCE_NAMES[keyed.source]} but the model from ${SOURCE_NAMES[named.source]}; give both in the same place, for example with --model and --api-key-env.`,
    );
  }
  return {
    reference: named.model,
    apiKeyEnv: named.apiKeyEnv,
    source: named.source,
    directory: named.directory,
  };
}

function profilesOf(layers: readonly Layer[]): readonly ModelProfile[] {
  const byId = new Map<string, ModelProfile>();
  for (const profile of layers.flatMap((layer) => layer.profiles)) {
    if (!byId.has(profile.profile_id)) byId.set(profile.profile_id, profile);
  }
  return [...byId.values()];
}

async function readProject(
  places: ConfigPlaces,
  user: ConfigDocument,
  flags: ConfigFlags,
): Promise<{ config: ConfigDocument; untrusted: UntrustedProject | null }> {
  const file = projectConfigFile(places.project);
  const text = await readOptional(file);
  if (text === null) return { config: EMPTY, untrusted: null };
  const store = openTrustStore(trustDirectory(flags.data, user, places));
  if (flags.trustProject || (await store.isTrusted(file, text))) {
    return { config: readConfigDocument(text, file), untrusted: null };
  }
  return { config: EMPTY, untrusted: { file, text, asksFor: asksFor(text, file) } };
}

// A file that nobody vouched for is described even when it is wrong: its mistakes are not errors of
// this command.
function asksFor(text: string, file: string): readonly string[] {
  try {
    return describeConfig(readConfigDocument(text, file));
  } catch (error) {
    return [error instanceof Error ? error.message : 'nothing that can be read'];
  }
}

function trustDirectory(
  flagData: string | null,
  user: ConfigDocument,
  { env, cwd }: Pick<ConfigPlaces, 'env' | 'cwd'>,
): string {
  const named = flagData ?? env['MILLFORGE_DATA'] ?? null;
  if (named !== null && named !== '') return resolve(cwd, named);
  if (user.data !== null) return resolve(dirname(userConfigFile(env)), user.data);
  return defaultDataDirectory(env);
}

function fromFlags(flags: ConfigFlags): ConfigDocument {
  return {
    model: flags.model,
    apiKeyEnv: flags.apiKeyEnv,
    data: flags.data,
    grants: flags.grants,
    profiles: [],
  };
}

function fromEnvironment(env: Environment): ConfigDocument {
  return {
    model: env['MILLFORGE_MODEL'] || null,
    apiKeyEnv: env['MILLFORGE_API_KEY_ENV'] || null,
    data: env['MILLFORGE_DATA'] || null,
    grants: (env['MILLFORGE_GRANT'] ?? '').split(',').flatMap((id) => id.trim() || []),
    profiles: [],
  };
}

async function readOptional(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw documentError(`${file} cannot be read (${String(code)}); check its permissions.`, cause);
  }
}

const SOURCE_NAMES: Readonly<Record<ConfigSource, string>> = {
  flag: 'a flag',
  environment: 'the environment',
  project: "the project's configuration",
  user: "the user's configuration",
  default: 'the defaults',
};

const EMPTY: ConfigDocument = {
  model: null,
  apiKeyEnv: null,
  data: null,
  grants: [],
  profiles: [],
};

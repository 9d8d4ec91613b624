import { dirname, resolve } from 'node:path';
import type { CapabilityGrant } from '@millforge/contracts';
import { type ModelProfile, parseModelReference } from '@millforge/models';
import type { ApprovalPolicy } from '@millforge/registry';
import { usageError } from '../cli-error.ts';
import type { OperatorSettings } from '../port/operator-settings.ts';
import { type ConfigDocument, EMPTY_CONFIG, readConfigDocument } from './config-document.ts';
import { mergeOperatorSettings } from './operator-settings.ts';
import { defaultDataDirectory, type Environment, userConfigFile } from './places.ts';
import { readProjectConfig, type UntrustedProject } from './project-config.ts';
import { readConfigFile } from './read-config-file.ts';

/** Where a value came from, strongest first. */
export type ConfigSource = 'flag' | 'environment' | 'project' | 'user';

/** What a person gave on the command line. */
export interface ConfigFlags {
  /** `--model`. */
  readonly model: string | null;
  /** `--api-key-env`. */
  readonly apiKeyEnv: string | null;
  /** `--proxy`, or `none` for `--no-proxy`. */
  readonly proxy: string | null;
  /** `--data`. */
  readonly data: string | null;
  /** `--grant`, all of them. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** `--trust-project`: use this project's file for this command without recording it. */
  readonly trustProject: boolean;
}

/** The values in force, and what was left aside. */
export interface EffectiveConfig {
  /** The model; null when none is set. */
  readonly model: EffectiveModel | null;
  /** Profiles by id, each from the strongest source that names it. */
  readonly profiles: readonly ModelProfile[];
  /** Capabilities granted, without repetitions. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to; null when no source says it. */
  readonly approvals: ApprovalPolicy | null;
  /** The proxy for servers that are not this machine; null when no source says anything. */
  readonly proxy: EffectiveProxy | null;
  /** Commands and protected paths of the built-in tools, of all files in force. */
  readonly settings: OperatorSettings;
  /** Data directory, absolute. */
  readonly dataDirectory: string;
  /** Directory of the trust store, absolute; a project cannot move it. */
  readonly trustDirectory: string;
  /** The project's file when it exists and nobody has vouched for it. */
  readonly untrusted: UntrustedProject | null;
}

/** A model reference and its key's variable, both from one source. */
export interface EffectiveModel {
  /** Profile id, `URL#MODEL` or `scripted:FILE`. */
  readonly reference: string;
  /** Name of the variable that holds the key. */
  readonly apiKeyEnv: string | null;
  /** Who names it. */
  readonly source: ConfigSource;
  /** Folder that a relative file in the reference starts from. */
  readonly directory: string;
}

/** A proxy and who names it. */
export interface EffectiveProxy {
  /** Its URL, or `none` for no proxy at all. */
  readonly url: string;
  /** Where it came from: a flag and the environment count more than a profile, files count less. */
  readonly source: ConfigSource;
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
  const { layers, trustDirectory, untrusted } = await readLayers(flags, places);
  return {
    model: modelOf(layers),
    profiles: profilesOf(layers),
    grants: [...new Set(layers.find((layer) => layer.grants.length > 0)?.grants)],
    approvals: layers.find(({ approvals }) => approvals !== null)?.approvals ?? null,
    proxy: proxyOf(layers),
    settings: mergeOperatorSettings(layers.map(({ settings }) => settings)),
    dataDirectory: dataDirectoryOf(layers, places.env),
    trustDirectory,
    untrusted,
  };
}

/** The data directory of a command that works on what is kept, not on a harness. */
export async function readDataDirectory(
  data: string | null,
  places: ConfigPlaces,
): Promise<string> {
  const { layers } = await readLayers({ ...NO_FLAGS, data }, places);
  return dataDirectoryOf(layers, places.env);
}

/** Commands and protected paths for a command that works on what is kept, not on a harness. */
export async function readSettings(
  data: string | null,
  places: ConfigPlaces,
): Promise<OperatorSettings> {
  const { layers } = await readLayers({ ...NO_FLAGS, data }, places);
  return mergeOperatorSettings(layers.map(({ settings }) => settings));
}

/** The directory of the trust store: the data directory as it is without any project. */
export async function readTrustDirectory(
  data: string | null,
  { env, cwd }: Pick<ConfigPlaces, 'env' | 'cwd'>,
): Promise<string> {
  const layers: readonly Layer[] = [
    { source: 'flag', directory: cwd, ...EMPTY_CONFIG, data },
    { source: 'environment', directory: cwd, ...fromEnvironment(env) },
    await readUserLayer(env),
  ];
  return dataDirectoryOf(layers, env);
}

interface Layer extends ConfigDocument {
  readonly source: ConfigSource;
  readonly directory: string;
}

async function readLayers(flags: ConfigFlags, { project, cwd, env }: ConfigPlaces) {
  const given: readonly Layer[] = [
    { source: 'flag', directory: cwd, ...fromFlags(flags) },
    { source: 'environment', directory: cwd, ...fromEnvironment(env) },
  ];
  const user = await readUserLayer(env);
  const trustDirectory = dataDirectoryOf([...given, user], env);
  const { config, untrusted } = await readProjectConfig(project, {
    directory: trustDirectory,
    isGiven: flags.trustProject,
  });
  const layers: readonly Layer[] = [
    ...given,
    { source: 'project', directory: project, ...config },
    user,
  ];
  return { layers, trustDirectory, untrusted };
}

function fromFlags({ model, apiKeyEnv, data, grants, proxy }: ConfigFlags): ConfigDocument {
  return { ...EMPTY_CONFIG, model, apiKeyEnv, data, grants, proxy };
}

function fromEnvironment(env: Environment): ConfigDocument {
  return {
    ...EMPTY_CONFIG,
    model: env['MILLFORGE_MODEL'] || null,
    apiKeyEnv: env['MILLFORGE_API_KEY_ENV'] || null,
    data: env['MILLFORGE_DATA'] || null,
    grants: (env['MILLFORGE_GRANT'] ?? '').split(',').flatMap((id) => id.trim() || []),
    proxy: env['MILLFORGE_PROXY'] || null,
  };
}

async function readUserLayer(env: Environment): Promise<Layer> {
  const file = userConfigFile(env);
  const text = await readConfigFile(file);
  const config = text === null ? EMPTY_CONFIG : readConfigDocument(text, file);
  return { source: 'user', directory: dirname(file), ...config };
}

function modelOf(layers: readonly Layer[]): EffectiveModel | null {
  const named = layers.find((layer) => layer.model !== null);
  const keyed = layers.find((layer) => layer.apiKeyEnv !== null);
  if (named?.model == null) return null;
  // A key goes only to the origin that the same source names; a key named by a stronger source than
  // the model's would otherwise be sent wherever a weaker one points.
  // One that stands without a model, behind the one that names it, would be dropped without a word.
  const isLost = named.apiKeyEnv === null && keyed?.model === null && isServer(named.model);
  if (keyed !== undefined && (layers.indexOf(keyed) < layers.indexOf(named) || isLost)) {
    throw usageError(
      `The key variable comes from ${SOURCE_NAMES[keyed.source]} but the model from ${SOURCE_NAMES[named.source]}; give both in the same place, for example with --model and --api-key-env.`,
    );
  }
  const { model: reference, apiKeyEnv, source, directory } = named;
  return { reference, apiKeyEnv, source, directory };
}

/** Whether a reference is a server itself; a profile has a key variable of its own, and a script asks nobody. */
function isServer(reference: string): boolean {
  return parseModelReference(reference).kind === 'endpoint';
}

function proxyOf(layers: readonly Layer[]): EffectiveProxy | null {
  const named = layers.find(({ proxy }) => proxy !== null);
  return named?.proxy == null ? null : { url: named.proxy, source: named.source };
}

function profilesOf(layers: readonly Layer[]): readonly ModelProfile[] {
  const byId = new Map<string, ModelProfile>();
  for (const profile of layers.flatMap((layer) => layer.profiles)) {
    if (!byId.has(profile.profile_id)) byId.set(profile.profile_id, profile);
  }
  return [...byId.values()];
}

function dataDirectoryOf(layers: readonly Layer[], env: Environment): string {
  const layer = layers.find(({ data }) => data !== null);
  return layer?.data == null ? defaultDataDirectory(env) : resolve(layer.directory, layer.data);
}

const NO_FLAGS: ConfigFlags = {
  model: null,
  apiKeyEnv: null,
  proxy: null,
  data: null,
  grants: [],
  trustProject: false,
};

/** What a source is called in a sentence. */
export const SOURCE_NAMES: Readonly<Record<ConfigSource, string>> = {
  flag: 'a flag',
  environment: 'the environment',
  project: "the project's configuration",
  user: "the user's configuration",
};

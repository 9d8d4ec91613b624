import {
  type Clock,
  digest,
  MillforgeError,
  type ModelClient,
  type Redactor,
} from '@millforge/contracts';
import {
  createModelClient,
  createScriptedModel,
  type ModelProfile,
  type ModelScript,
  readModelProfile,
  readModelScript,
} from '@millforge/models';

/** A model as it is stored with a run: never with a key, at most with the name of its variable. */
export type ModelSetting =
  | {
      /** A server. */
      readonly kind: 'endpoint';
      /** How it is spoken to. */
      readonly profile: ModelProfile;
    }
  | {
      /** Replies that were written down beforehand. */
      readonly kind: 'scripted';
      /** The replies. */
      readonly script: ModelScript;
    };

/** What a model client is made of besides its setting. */
export interface ModelParts {
  /** HTTP. */
  readonly fetch: typeof globalThis.fetch;
  /** Time. */
  readonly clock: Clock;
  /** Environment in which the key is looked up by name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Replaces secrets in errors. */
  readonly redactor: Redactor;
}

/** Makes the client of a stored setting; the key is read from the environment at each request. */
export function openModel(setting: ModelSetting, parts: ModelParts): ModelClient {
  if (setting.kind === 'scripted') return createScriptedModel(setting.script);
  const { profile } = setting;
  const keyName = profile.api_key_env;
  return createModelClient({
    profile,
    fetch: parts.fetch,
    clock: parts.clock,
    random: Math.random,
    redactor: parts.redactor,
    ...(keyName === undefined ? {} : { apiKey: () => keyFrom(parts.env, keyName) }),
  });
}

/** Reads a setting back from a run's inputs. */
export function readModelSetting(value: unknown): ModelSetting {
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    if (value.kind === 'scripted' && 'script' in value) {
      const script = readModelScript(value.script);
      if (script.ok) return { kind: 'scripted', script: script.script };
    }
    if (value.kind === 'endpoint' && 'profile' in value) {
      const profile = readModelProfile(value.profile);
      if (profile.ok) return { kind: 'endpoint', profile: profile.profile };
    }
  }
  throw new MillforgeError(
    'millforge/document',
    'The model stored with this run cannot be read by this version of Millforge.',
  );
}

/** Digest by which a resumed run notices another model. */
export function modelDigest(setting: ModelSetting): string {
  return digest(JSON.parse(JSON.stringify(setting)));
}

/** The key of a setting as the environment holds it, so that it can be found wherever it turns up. */
export function settingKey(
  setting: ModelSetting,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const name = setting.kind === 'endpoint' ? setting.profile.api_key_env : undefined;
  return name === undefined ? undefined : env[name];
}

function keyFrom(env: ModelParts['env'], name: string): string {
  const key = env[name];
  if (key === undefined || key === '') {
    throw new MillforgeError(
      'millforge/key-missing',
      `The environment variable ${name} is empty; set it to the model server's key.`,
    );
  }
  return key;
}

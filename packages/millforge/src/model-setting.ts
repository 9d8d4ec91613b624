import type { ModelSetting } from '@millforge/cli';
import { type Clock, digest, type ModelClient, type Redactor } from '@millforge/contracts';
import {
  createModelClient,
  createScriptedModel,
  type DocumentProblem,
  environmentProxy,
  type ModelProfile,
  readModelProfile,
  readModelScript,
} from '@millforge/models';
import { millforgeError } from './millforge-error.ts';
import type { ModelHttp } from './model-http.ts';

/** What a model client is made of besides its setting. */
export interface ModelParts {
  /** The way to model servers. */
  readonly http: ModelHttp;
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
  const { http, clock, redactor, env } = parts;
  const fetch = http.fetchFor(proxyOf(profile, env));
  const options = { profile, fetch, clock, redactor, random: Math.random };
  const name = keyName(setting);
  if (name === undefined) return createModelClient(options);
  const apiKey = () => keyFrom(env, name);
  return withoutKey(createModelClient({ ...options, apiKey }), apiKey);
}

/** The proxy of a profile; one that the environment names may hold a password, and is kept nowhere. */
function proxyOf({ proxy, base_url }: ModelProfile, env: ModelParts['env']): string | undefined {
  if (proxy !== 'environment') return proxy;
  const named = environmentProxy(base_url, env);
  if (named === null) return undefined;
  if (named.url !== null) return named.url;
  throw millforgeError(
    'millforge/usage',
    `The environment variable ${named.variable} must hold the http or https URL of a proxy; other kinds, such as SOCKS, cannot be used. Set it to one, or unset it to go without.`,
  );
}

/** A client whose replies never hold the key: some servers repeat what they were sent. */
function withoutKey(client: ModelClient, apiKey: () => string): ModelClient {
  return {
    ...client,
    async complete(request, options) {
      const completion = await client.complete(request, options);
      if (completion.kind !== 'reply') return completion;
      const text = JSON.stringify(completion.reply);
      const key = JSON.stringify(apiKey()).slice(1, -1);
      if (!text.includes(key)) return completion;
      return { ...completion, reply: JSON.parse(text.replaceAll(key, '[REDACTED]')) };
    },
  };
}

/** A setting in normal form, or one sentence that says what is wrong with it. */
export type ReadModelSetting =
  | {
      /** It is a setting. */
      readonly ok: true;
      /** The setting, frozen. */
      readonly setting: ModelSetting;
    }
  | {
      /** It is none. */
      readonly ok: false;
      /** One sentence. */
      readonly problem: string;
    };

/** Reads a setting that a program handed in or a run has kept. */
export function readModelSetting(value: unknown): ReadModelSetting {
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    if (value.kind === 'scripted' && 'script' in value) {
      const read = readModelScript(value.script);
      if (read.ok) return { ok: true, setting: { kind: 'scripted', script: read.script } };
      return { ok: false, problem: sentenceOf(read.problems) };
    }
    if (value.kind === 'endpoint' && 'profile' in value) {
      const read = readModelProfile(value.profile);
      if (read.ok) return { ok: true, setting: { kind: 'endpoint', profile: read.profile } };
      return { ok: false, problem: sentenceOf(read.problems) };
    }
  }
  return { ok: false, problem: 'it is neither an endpoint with a profile nor a script.' };
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
  const name = keyName(setting);
  return name === undefined ? undefined : env[name]?.trim();
}

/**
 * Refuses a model whose key or proxy is not in the environment that it is left to.
 *
 * @throws `millforge/key-missing` or `millforge/usage` naming the variable.
 */
export function assertReachable(
  setting: ModelSetting,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (setting.kind !== 'endpoint') return;
  const name = keyName(setting);
  if (name !== undefined) keyFrom(env, name);
  proxyOf(setting.profile, env);
}

function keyName(setting: ModelSetting): string | undefined {
  return setting.kind === 'endpoint' ? setting.profile.api_key_env : undefined;
}

function keyFrom(env: ModelParts['env'], name: string): string {
  // As it is sent: a line break from a file would hide it from whoever looks for it in what comes back.
  const key = env[name]?.trim();
  if (key === undefined || key === '') {
    throw millforgeError(
      'millforge/key-missing',
      `The environment variable ${name} is empty; set it to the model server's key.`,
    );
  }
  return key;
}

function sentenceOf(problems: readonly DocumentProblem[]): string {
  const [first] = problems;
  return first === undefined ? 'it is not valid.' : `${first.path || '/'}: ${first.message}`;
}

import { resolve } from 'node:path';
import { readJson, toPlainJson, unreachable } from '@millforge/contracts';
import {
  environmentProxy,
  parseModelReference,
  readModelProfile,
  readModelScript,
} from '@millforge/models';
import { documentError, usageError } from '../cli-error.ts';
import {
  type EffectiveConfig,
  type EffectiveProxy,
  SOURCE_NAMES,
} from '../config/effective-config.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import type { ModelSetting } from '../port/model-setting.ts';
import { readInputFile } from './read-input-file.ts';

/**
 * Finds the model of a run: the reference in force, else the configured profile that the harness names.
 *
 * @throws `cli/usage` when there is none, or when a named profile is not the harness's.
 */
export async function modelSetting(
  config: EffectiveConfig,
  profileId: string,
  host: Pick<CliHost, 'env' | 'stderr'>,
): Promise<ModelSetting> {
  const { env } = host;
  const setting = throughProxy(await settingOf(config, profileId), config.proxy);
  const key = setting.kind === 'endpoint' ? setting.profile.api_key_env : undefined;
  if (key !== undefined && (env[key] ?? '') === '') {
    throw usageError(`The environment variable ${key} is empty; set it to the model server's key.`);
  }
  tellProxy(setting, host, config.proxy?.url === 'none');
  return setting;
}

/** Says which proxy the environment names, and where nobody leaves that to it, that it is not used. */
function tellProxy(
  setting: ModelSetting,
  { env, stderr }: Pick<CliHost, 'env' | 'stderr'>,
  isNoneWanted: boolean,
): void {
  if (setting.kind !== 'endpoint') return;
  const { proxy, base_url } = setting.profile;
  const named = environmentProxy(base_url, env);
  if (proxy === undefined && named !== null && !isNoneWanted) {
    const said = `The proxy that ${named.variable} names is not used: requests go straight to the model server.`;
    const way =
      named.url === null
        ? 'It is of a kind that cannot be, such as SOCKS; '
        : '--proxy environment uses it, ';
    writeLine(stderr, `${said} ${way}--no-proxy leaves this line out.`);
  }
  if (proxy === 'environment' && named?.url === null) {
    throw usageError(
      `The environment variable ${named.variable} must hold the http or https URL of a proxy; other kinds, such as SOCKS, cannot be used. ${OTHER_PROXY}`,
    );
  }
  tellEnvironmentProxy(setting, { env, stderr });
}

/** Says which proxy requests go through where that is left to the environment, in a run that goes on as well. */
export function tellEnvironmentProxy(
  setting: ModelSetting,
  { env, stderr }: Pick<CliHost, 'env' | 'stderr'>,
): void {
  if (setting.kind !== 'endpoint' || setting.profile.proxy !== 'environment') return;
  const named = environmentProxy(setting.profile.base_url, env);
  if (named === null) {
    writeLine(stderr, 'The environment names no proxy for the model server.');
  } else if (named.url !== null) {
    writeLine(
      stderr,
      `Requests go through the proxy ${new URL(named.url).host} (${named.variable}).`,
    );
  }
}

async function settingOf(config: EffectiveConfig, profileId: string): Promise<ModelSetting> {
  const { model } = config;
  if (model === null) return configuredProfile(config, profileId, profileId);
  const reference = parseModelReference(model.reference);
  switch (reference.kind) {
    case 'invalid':
      throw usageError(reference.message);
    case 'profile':
      return configuredProfile(config, reference.profileId, profileId);
    case 'scripted':
      return scripted(resolve(model.directory, reference.file));
    case 'endpoint':
      return endpoint(profileId, reference, model.apiKeyEnv);
    default:
      return unreachable(reference, 'model reference');
  }
}

/** A flag or the environment counts more than what a profile says, a file of the configuration less. */
function throughProxy(setting: ModelSetting, proxy: EffectiveProxy | null): ModelSetting {
  if (setting.kind !== 'endpoint' || proxy === null) return setting;
  const { proxy: own, ...profile } = setting.profile;
  const isStronger = proxy.source === 'flag' || proxy.source === 'environment';
  if (own !== undefined && !isStronger) return setting;
  const read = readModelProfile(proxy.url === 'none' ? profile : { ...profile, proxy: proxy.url });
  if (read.ok) return { kind: 'endpoint', profile: read.profile };
  const source = proxy.source === 'environment' ? 'MILLFORGE_PROXY' : SOURCE_NAMES[proxy.source];
  throw usageError(
    `The proxy of ${source} cannot be used: ${read.problems[0]?.message ?? ''} ${OTHER_PROXY}`,
  );
}

function configuredProfile(
  config: EffectiveConfig,
  wanted: string,
  profileId: string,
): ModelSetting {
  const profile = config.profiles.find((one) => one.profile_id === wanted);
  if (profile === undefined) {
    const known = config.profiles.map((one) => `'${one.profile_id}'`).join(', ');
    const lack = `The configuration has no profile '${wanted}'${known === '' ? '' : `, only ${known}`}.`;
    throw usageError(
      config.model === null ? `No model is set. ${lack} ${FORMS}` : `${lack} ${FORMS}`,
    );
  }
  if (wanted !== profileId) {
    throw usageError(
      `The harness is written for the profile '${profileId}', not for '${wanted}'; give the server itself as URL#MODEL to use it all the same.`,
    );
  }
  return { kind: 'endpoint', profile };
}

function endpoint(
  profileId: string,
  reference: { readonly baseUrl: string; readonly model: string },
  apiKeyEnv: string | null,
): ModelSetting {
  const read = readModelProfile({
    profile_id: profileId,
    base_url: reference.baseUrl,
    model: reference.model,
    ...(apiKeyEnv === null ? {} : { auth: { scheme: 'bearer' }, api_key_env: apiKeyEnv }),
  });
  if (read.ok) return { kind: 'endpoint', profile: read.profile };
  throw usageError(`The model cannot be used: ${read.problems[0]?.message ?? ''}`);
}

async function scripted(file: string): Promise<ModelSetting> {
  const content = await readInputFile({
    path: file,
    what: 'model script',
    maxBytes: MAX_SCRIPT_BYTES,
  });
  if (content.length > MAX_SCRIPT_BYTES) {
    throw documentError(`The model script ${file} is larger than ${MAX_SCRIPT_BYTES} bytes.`);
  }
  const json = readJson(content.toString('utf8'));
  if (!json.ok) throw documentError(`The model script ${file} is not valid JSON: ${json.message}`);
  const read = readModelScript(toPlainJson(json.value));
  if (read.ok) return { kind: 'scripted', script: read.script };
  const [problem] = read.problems;
  throw documentError(
    `The model script ${file} is wrong at ${problem?.path ?? '/'}: ${problem?.message ?? ''}`,
  );
}

const OTHER_PROXY = 'Name another with --proxy, or go without with --no-proxy.';

const FORMS =
  '--model takes a server and its model, such as http://127.0.0.1:11434/v1#qwen3:8b, the id of a configured profile, or scripted:FILE.';

const MAX_SCRIPT_BYTES = 512 * 1024;

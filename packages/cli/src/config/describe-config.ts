import { type CapabilityGrant, canonicalJson, grantDocument } from '@millforge/contracts';
import type { CommandProfile } from '../port/operator-settings.ts';
import type { ConfigDocument } from './config-document.ts';

/** Says in words what a configuration asks for, one line each. */
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
    ...(config.grants.length === 0 ? [] : [`grants ${config.grants.map(grantText).join(', ')}`]),
    ...(config.approvals === null
      ? []
      : config.approvals.rules.map(
          ({ verdict, tools, effects }) =>
            `approvals: ${verdict} ${[...(tools ?? []), ...(effects ?? [])].join(', ') || 'every call'}`,
        )),
    ...(config.approvals?.required === undefined
      ? []
      : [`approvals: ${config.approvals.required} what a tool asks approval for`]),
    ...(config.proxy === null
      ? []
      : [
          `send requests through the proxy ${config.proxy === 'environment' ? 'that the environment names' : config.proxy}`,
        ]),
    ...commandTexts('run as tests', config.settings.testProfiles),
    ...commandTexts('run as checks', config.settings.checkProfiles),
    ...(config.settings.protectedPaths.length === 0
      ? []
      : [`write nothing to ${config.settings.protectedPaths.join(', ')}`]),
    ...(config.data === null ? [] : [`data directory ${config.data}`]),
  ];
}

function commandTexts(
  what: string,
  profiles: Readonly<Record<string, CommandProfile>>,
): readonly string[] {
  return Object.entries(profiles).map(
    ([name, { argv }]) => `${what} (${name}): ${canonicalJson([...argv], { newline: false })}`,
  );
}

function grantText(grant: string | CapabilityGrant): string {
  if (typeof grant === 'string') return grant;
  return canonicalJson(grantDocument(grant), { newline: false });
}

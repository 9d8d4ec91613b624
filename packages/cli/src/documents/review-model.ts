import { parseModelReference } from '@millforge/models';
import type { EffectiveConfig } from '../config/effective-config.ts';
import type { CliHost } from '../output/terminal.ts';
import type { ModelSetting } from '../port/model-setting.ts';
import { modelSetting } from './model-setting.ts';

/** The model in force for a review, which no harness names; null when there is none. */
export async function reviewModel(
  config: EffectiveConfig,
  host: CliHost,
): Promise<ModelSetting | null> {
  const { model } = config;
  if (model === null) return null;
  const reference = parseModelReference(model.reference);
  const profileId = reference.kind === 'profile' ? reference.profileId : 'review';
  return modelSetting(config, profileId, host);
}

import { parseModelReference } from '@millforge/models';
import { usageError } from '../cli-error.ts';
import { type EffectiveConfig, SOURCE_NAMES } from '../config/effective-config.ts';
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
  const isGiven = model.source === 'flag' || model.source === 'environment';
  if (reference.kind === 'scripted' && !isGiven) {
    throw usageError(
      `The model of ${SOURCE_NAMES[model.source]}, ${model.reference}, is a script for a run, and answers no reviewer; name a server as --model URL#MODEL, or look with --rules only.`,
    );
  }
  const profileId = reference.kind === 'profile' ? reference.profileId : 'review';
  return modelSetting(config, profileId, host);
}

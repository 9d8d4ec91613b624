import { realpath } from 'node:fs/promises';
import {
  assemblePrompt,
  BASE_GRANTS,
  discoverInstructions,
  millforgeBase,
} from '@millforge/pi-tools';
import { compileForRun } from '../compile-for-run.ts';
import type { Millforge } from '../millforge.ts';
import { millforgeError } from '../millforge-error.ts';
import { readModelSetting } from '../model-setting.ts';
import { assertWorkspace } from '../workspace.ts';
import type { BaseComposition } from './base-composition.ts';
import type { OpenBaseOptions } from './base-options.ts';

/** Finds the instructions, puts the prompt together and compiles the plan. */
export async function composeBase(
  millforge: Pick<Millforge, 'compile'>,
  parts: OpenBaseOptions & { readonly home: string | null },
): Promise<BaseComposition> {
  const read = readModelSetting(parts.model);
  if (!read.ok) {
    throw millforgeError('millforge/document', `The model cannot be used: ${read.problem}`);
  }
  await assertWorkspace(parts.cwd);
  const cwd = await realpath(parts.cwd);
  const { contextFiles, otherAgents, systemPrompt, appendSystemPrompt, promptDate } = parts;
  const instructions = await discoverInstructions({
    cwd,
    home: parts.home,
    ...(contextFiles === undefined ? {} : { contextFiles }),
    ...(otherAgents === undefined ? {} : { otherAgents }),
  });
  const terminals = parts.terminals === undefined ? {} : { terminals: parts.terminals };
  const prompt = assemblePrompt({
    instructions,
    ...terminals,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    ...(promptDate === undefined ? {} : { date: promptDate }),
    ...(parts.tellsDirectory === true ? { workingDirectory: cwd } : {}),
  });
  const model = read.setting;
  const profileId = model.kind === 'endpoint' ? model.profile.profile_id : SCRIPT_PROFILE;
  const source = millforgeBase({
    modelProfileId: profileId,
    systemInstructions: prompt.system_instructions,
    ...terminals,
  });
  const plan = compileForRun(millforge, source, parts.grants ?? BASE_GRANTS);
  return { cwd, model, profileId, grants: BASE_GRANTS, instructions, prompt, plan };
}

/** The profile of a model that is a script, which has no name of its own. */
const SCRIPT_PROFILE = 'millforge.base';

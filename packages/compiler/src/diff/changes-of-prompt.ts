import { type CompiledHarnessPlan, digest } from '@millforge/contracts';
import type { PlanChange } from './plan-diff.ts';

/** Finds what the model is told differently; instructions are shown by their digests only. */
export function changesOfPrompt(
  { prompt_policy: before }: CompiledHarnessPlan,
  { prompt_policy: after }: CompiledHarnessPlan,
): readonly PlanChange[] {
  const found: PlanChange[] = [];
  if (before.policy_id !== after.policy_id) {
    found.push({
      change: 'prompt-policy-changed',
      risk: 'low',
      path: '/prompt_policy/policy_id',
      message: `The prompt policy is ${after.policy_id}, it was ${before.policy_id}.`,
      before: before.policy_id,
      after: after.policy_id,
    });
  }
  if (before.system_instructions !== after.system_instructions) {
    found.push({
      change: 'prompt-changed',
      risk: 'medium',
      path: '/prompt_policy/system_instructions',
      message: 'The model is given other instructions; only their digests are shown.',
      before: digest(before.system_instructions),
      after: digest(after.system_instructions),
    });
  }
  if (before.include_request_context !== after.include_request_context) {
    found.push({
      change: 'request-context-changed',
      risk: after.include_request_context ? 'low' : 'none',
      path: '/prompt_policy/include_request_context',
      message: after.include_request_context
        ? 'The model now reads about run, stage and inputs.'
        : 'The model no longer reads about run, stage and inputs.',
      before: before.include_request_context,
      after: after.include_request_context,
    });
  }
  return found;
}

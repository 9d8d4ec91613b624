import { type Exhaustion, findExhaustion } from './exhaustion.ts';
import type { GuardPolicy } from './guard-policy.ts';
import {
  chargeMistakes,
  forgiveMistakes,
  type GuardState,
  MISTAKES,
  type MistakeBudget,
} from './guard-state.ts';

/** What became of the calls of one reply. */
export interface BatchReport {
  /** Calls that were performed. */
  readonly performedCalls: number;
  /** Whether a call had arguments that no repair made usable. */
  readonly unusableArguments: boolean;
  /** Whether a call failed in a way that its tool did not foresee. */
  readonly failedCall: boolean;
  /** Whether a call stood before its prerequisites, or was one more than the plan allows. */
  readonly unmetPrerequisite: boolean;
  /** Whether a call tried to end the run too early. */
  readonly prematureTerminal: boolean;
}

/**
 * Charges the mistakes of one batch, once each, whatever the number of calls.
 *
 * Only a batch that performed something and made no mistake ends the rows of mistakes before it.
 */
export function settleBatch(
  state: GuardState,
  options: { readonly policy: GuardPolicy; readonly batch: BatchReport },
): { readonly state: GuardState; readonly exhausted: Exhaustion | null } {
  const { batch, policy } = options;
  const mistakes: MistakeBudget[] = [];
  if (batch.unusableArguments || batch.failedCall) mistakes.push('tool_errors');
  if (batch.unmetPrerequisite) mistakes.push('prerequisite_violations');
  if (batch.prematureTerminal) mistakes.push('premature_terminals');
  if (mistakes.length === 0) {
    return {
      state: batch.performedCalls > 0 ? forgiveMistakes(state, BATCH) : state,
      exhausted: null,
    };
  }
  const charged = chargeMistakes(state, mistakes);
  return { state: charged, exhausted: findExhaustion(charged, policy.budgets) };
}

const BATCH = MISTAKES.filter((kind) => kind !== 'validation_retries');
